//! The frames that element-wise cards share: what differs stands in the card.

/// A card of one operand: name and summary, kernel, what the rule reads, the rule.
macro_rules! unary {
    ($Op:ident $name:literal $summary:literal, $kernel:expr, $reads:expr,
     |$cx:ident, $site:ident| $rule:expr) => {
        #[doc = concat!("`", $name, "`: ", $summary, ".")]
        #[derive(Clone, Debug, PartialEq)]
        pub(crate) struct $Op;

        impl $crate::ops::Operation for $Op {
            const NAME: &'static str = $name;
            const SUMMARY: &'static str = $summary;
            const ARITY: Option<usize> = Some(1);

            fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
                Ok(operands[0].clone())
            }
            #[inline]
            fn eval<P: Tensorial>(&self, operands: &[&P], kernels: Kernels) -> P {
                operands[0].map($kernel, kernels)
            }
            fn lower(&self, _: &[&Shape]) -> $crate::ops::lower::Lowered {
                $crate::ops::lower::Lowered::unary($kernel)
            }
            fn reads(&self, _: usize) -> Reads {
                $reads
            }
            #[inline]
            fn vjp<A: Algebra>(&self, $cx: &A, $site: &Site<'_, A::Value>, _: usize) -> A::Value {
                $rule
            }
            fn from_attributes(_: &Attributes) -> Option<Self> {
                Some(Self)
            }
        }
    };
}

/// The `Value` method of a card of one operand.
macro_rules! unary_method {
    ($Op:ident, $method:ident, $summary:literal, $input:literal => $output:literal) => {
        impl<'n, P: Tensorial> $crate::graph::Value<'n, P> {
            #[doc = concat!($summary, ", element by element, in the shape of `self`.")]
            ///
            /// # Example
            ///
            /// ```
            /// let network = poorgrad::Network::new();
            #[doc = concat!("let y = network.leaf(", $input, "_f64).", stringify!($method), "();")]
            #[doc = concat!("assert_eq!(network.forward().of(y), ", $output, ");")]
            /// ```
            #[must_use]
            #[track_caller]
            pub fn $method(self) -> Self {
                self.apply($Op, &[])
            }
        }
    };
}

/// A card of two operands of one shape.
macro_rules! binary {
    ($Op:ident $name:literal $summary:literal, $kernel:expr, [$left_reads:expr, $right_reads:expr],
     |$cx:ident, $site:ident| $left:expr, |$cx2:ident, $site2:ident| $right:expr) => {
        #[doc = concat!("`", $name, "`: ", $summary, ".")]
        #[derive(Clone, Debug, PartialEq)]
        pub(crate) struct $Op;

        impl $crate::ops::Operation for $Op {
            const NAME: &'static str = $name;
            const SUMMARY: &'static str = $summary;
            const CONSTRAINTS: &'static [&'static str] = &["C1: the operands have one shape"];
            const ARITY: Option<usize> = Some(2);

            fn infer(&self, operands: &[&Shape]) -> Result<Shape, Violation> {
                $crate::ops::rule::same_shape(operands)
            }
            #[inline]
            fn eval<P: Tensorial>(&self, operands: &[&P], kernels: Kernels) -> P {
                operands[0].zip($kernel, operands[1], kernels)
            }
            fn lower(&self, _: &[&Shape]) -> $crate::ops::lower::Lowered {
                $crate::ops::lower::Lowered::binary($kernel)
            }
            fn reads(&self, position: usize) -> Reads {
                if position == 0 { $left_reads } else { $right_reads }
            }
            #[inline]
            fn vjp<A: Algebra>(
                &self,
                cx: &A,
                site: &Site<'_, A::Value>,
                position: usize,
            ) -> A::Value {
                if position == 0 {
                    let ($cx, $site) = (cx, site);
                    $left
                } else {
                    let ($cx2, $site2) = (cx, site);
                    $right
                }
            }
            fn from_attributes(_: &Attributes) -> Option<Self> {
                Some(Self)
            }
        }
    };
}

/// The `Value` method of a card of two operands, and its twin.
macro_rules! binary_method {
    ($Op:ident, $method:ident, $try_method:ident, $summary:literal, $a:literal, $b:literal => $output:literal) => {
        impl<'n, P: Tensorial> $crate::graph::Value<'n, P> {
            #[doc = concat!($summary, ", element by element over two values of one shape.")]
            ///
            /// # Example
            ///
            /// ```
            /// let network = poorgrad::Network::new();
            #[doc = concat!("let (a, b) = (network.leaf(", $a, "_f64), network.leaf(", $b, "));")]
            #[doc = concat!("let y = a.", stringify!($method), "(b);")]
            #[doc = concat!("assert_eq!(network.forward().of(y), ", $output, ");")]
            /// ```
            ///
            /// # Panics
            ///
            /// Where the shapes differ (C1).
            #[must_use]
            #[track_caller]
            pub fn $method(self, rhs: Self) -> Self {
                self.apply($Op, &[rhs])
            }

            #[doc = concat!("The twin of [`Value::", stringify!($method), "`](crate::Value::", stringify!($method), ") that returns what it would panic with.")]
            ///
            /// # Errors
            ///
            /// Where the shapes differ (C1).
            #[track_caller]
            pub fn $try_method(self, rhs: Self) -> Result<Self, $crate::graph::ShapeError> {
                self.try_apply($Op, &[rhs])
            }
        }
    };
}

pub(crate) use {binary, binary_method, unary, unary_method};
