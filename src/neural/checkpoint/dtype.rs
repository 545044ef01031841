//! `Dtype`: how the numbers of an array in a file are written.

use std::fmt;

macro_rules! dtypes {
    ($($(#[$doc:meta])* $Variant:ident $name:literal $size:literal $npy:expr,)+) => {
        /// How one number of an array is written: little-endian, as all formats here store it.
        ///
        /// Arrays of every kind can be read and written; what becomes a parameter is one of the four
        /// floating-point kinds, `F64`, `F32`, `F16` and `BF16`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Dtype {
            $($(#[$doc])* $Variant,)+
        }

        impl Dtype {
            const ALL: &[Self] = &[$(Self::$Variant,)+];

            /// The bytes of one number.
            #[must_use]
            pub fn size(self) -> usize {
                match self { $(Self::$Variant => $size,)+ }
            }

            /// The name that `safetensors` gives it, such as `F32`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$Variant => $name,)+ }
            }

            /// NumPy's letter and size, such as `f4`; `None` where NumPy has no such numbers.
            pub(super) fn numpy(self) -> Option<&'static str> {
                match self { $(Self::$Variant => $npy,)+ }
            }
        }
    };
}

dtypes! {
    /// IEEE 754 binary64.
    F64 "F64" 8 Some("f8"),
    /// Signed, 64 bits.
    I64 "I64" 8 Some("i8"),
    /// Unsigned, 64 bits.
    U64 "U64" 8 Some("u8"),
    /// IEEE 754 binary32.
    F32 "F32" 4 Some("f4"),
    /// Signed, 32 bits.
    I32 "I32" 4 Some("i4"),
    /// Unsigned, 32 bits.
    U32 "U32" 4 Some("u4"),
    /// The upper half of binary32.
    BF16 "BF16" 2 None,
    /// IEEE 754 binary16.
    F16 "F16" 2 Some("f2"),
    /// Signed, 16 bits.
    I16 "I16" 2 Some("i2"),
    /// Unsigned, 16 bits.
    U16 "U16" 2 Some("u2"),
    /// Signed, 8 bits.
    I8 "I8" 1 Some("i1"),
    /// Unsigned, 8 bits.
    U8 "U8" 1 Some("u1"),
    /// A byte that is 0 or 1.
    Bool "BOOL" 1 Some("b1"),
}

impl Dtype {
    /// The kind of this `safetensors` name.
    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|dtype| dtype.name() == name)
    }

    /// The kind of NumPy's letter and size.
    pub(super) fn from_numpy(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|dtype| dtype.numpy() == Some(code))
    }
}

/// As `safetensors` names it.
impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
