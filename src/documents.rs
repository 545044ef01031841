//! The tour and the other documents, readable here.

// No build of the library has this module: it is part of the documentation and of its tests. In the
// repository the documents link to files; a definition in front of a text wins over the text's own,
// so that here the same links lead to pages.

#[doc = "[the specification]: crate::documents::specification"]
#[doc = "[Reading a plan]: crate::documents::reading_a_plan"]
#[doc = include_str!("../docs/tour.md")]
pub mod tour {}

#[doc = include_str!("../docs/reading-a-plan.md")]
pub mod reading_a_plan {}

#[doc = include_str!("../docs/emission.md")]
pub mod emission {}

#[doc = include_str!("../docs/OPERATIONS.md")]
pub mod operations {}

#[doc = "[1-values.md]: crate::documents::specification::values"]
#[doc = "[2-arithmetic.md]: crate::documents::specification::arithmetic"]
#[doc = "[3-operations.md]: crate::documents::specification::operations"]
#[doc = "[4-networks.md]: crate::documents::specification::networks"]
#[doc = "[5-text.md]: crate::documents::specification::text"]
#[doc = "[6-elementary-functions.md]: crate::documents::specification::elementary_functions"]
#[doc = "[7-plans.md]: crate::documents::specification::plans"]
#[doc = include_str!("../docs/spec/README.md")]
pub mod specification {
    #[doc = include_str!("../docs/spec/1-values.md")]
    pub mod values {}

    #[doc = include_str!("../docs/spec/2-arithmetic.md")]
    pub mod arithmetic {}

    #[doc = include_str!("../docs/spec/3-operations.md")]
    pub mod operations {}

    #[doc = include_str!("../docs/spec/4-networks.md")]
    pub mod networks {}

    #[doc = include_str!("../docs/spec/5-text.md")]
    pub mod text {}

    #[doc = include_str!("../docs/spec/6-elementary-functions.md")]
    pub mod elementary_functions {}

    #[doc = include_str!("../docs/spec/7-plans.md")]
    pub mod plans {}
}

#[doc = "[0001]: crate::documents::design::tape_and_forks"]
#[doc = "[0002]: crate::documents::design::one_derivative_rule"]
#[doc = "[0003]: crate::documents::design::order_of_arithmetic"]
#[doc = "[0004]: crate::documents::design::own_elementary_functions"]
#[doc = "[0005]: crate::documents::design::absorbing_products"]
#[doc = "[0006]: crate::documents::design::operations_that_rules_need"]
#[doc = "[0007]: crate::documents::design::literals"]
#[doc = "[0008]: crate::documents::design::open_traits"]
#[doc = "[0009]: crate::documents::design::native_kernels"]
#[doc = "[0010]: crate::documents::design::the_plan"]
#[doc = "[0011]: crate::documents::design::finish_and_fast_products"]
#[doc = "[0012]: crate::documents::design::other_shapes"]
#[doc = "[0013]: crate::documents::design::passes_in_registers"]
#[doc = "[0014]: crate::documents::design::what_a_text_may_take"]
#[doc = include_str!("../docs/design/README.md")]
pub mod design {
    #[doc = include_str!("../docs/design/0001-tape-and-forks.md")]
    pub mod tape_and_forks {}

    #[doc = include_str!("../docs/design/0002-one-derivative-rule.md")]
    pub mod one_derivative_rule {}

    #[doc = include_str!("../docs/design/0003-order-of-arithmetic.md")]
    pub mod order_of_arithmetic {}

    #[doc = include_str!("../docs/design/0004-own-elementary-functions.md")]
    pub mod own_elementary_functions {}

    #[doc = include_str!("../docs/design/0005-absorbing-products.md")]
    pub mod absorbing_products {}

    #[doc = include_str!("../docs/design/0006-operations-that-rules-need.md")]
    pub mod operations_that_rules_need {}

    #[doc = include_str!("../docs/design/0007-literals.md")]
    pub mod literals {}

    #[doc = include_str!("../docs/design/0008-open-traits.md")]
    pub mod open_traits {}

    #[doc = include_str!("../docs/design/0009-native-kernels.md")]
    pub mod native_kernels {}

    #[doc = include_str!("../docs/design/0010-the-plan.md")]
    pub mod the_plan {}

    #[doc = include_str!("../docs/design/0011-finish-and-fast-products.md")]
    pub mod finish_and_fast_products {}

    #[doc = include_str!("../docs/design/0012-other-shapes.md")]
    pub mod other_shapes {}
    #[doc = include_str!("../docs/design/0013-passes-in-registers.md")]
    pub mod passes_in_registers {}

    #[doc = include_str!("../docs/design/0014-what-a-text-may-take.md")]
    pub mod what_a_text_may_take {}
}

#[doc = "[ACCELERATION.md]: crate::documents::acceleration"]
#[doc = include_str!("../ARCHITECTURE.md")]
pub mod architecture {}

#[doc = include_str!("../RELIABILITY.md")]
pub mod reliability {}

#[doc = include_str!("../ACCELERATION.md")]
pub mod acceleration {}

#[doc = include_str!("../TERMINOLOGY.md")]
pub mod terminology {}

#[doc = "[ARCHITECTURE.md]: crate::documents::architecture"]
#[doc = include_str!("../CONTRIBUTING.md")]
pub mod contributing {}

#[doc = include_str!("../SECURITY.md")]
pub mod security {}

#[doc = include_str!("../CHANGELOG.md")]
pub mod changelog {}
