//! The documents beside the code, as part of its documentation and of its tests. No build of the
//! library has this module.

#[doc = include_str!("../ARCHITECTURE.md")]
pub mod architecture {}

#[doc = include_str!("../ACCELERATION.md")]
pub mod acceleration {}

#[doc = include_str!("../docs/tour.md")]
pub mod tour {}

#[doc = include_str!("../docs/OPERATIONS.md")]
pub mod operations {}

#[doc = include_str!("../RELIABILITY.md")]
pub mod reliability {}

#[doc = include_str!("../TERMINOLOGY.md")]
pub mod terminology {}

#[doc = include_str!("../CHANGELOG.md")]
pub mod changelog {}
