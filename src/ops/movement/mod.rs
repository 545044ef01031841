//! Movement: shapes change, elements do not (sums of repeated elements are the one adjoint here).

mod broadcast_along;
mod broadcast_like;
mod concat;
mod count;
mod narrow;
mod pad;
mod permute;
mod reshape;
mod reshape_like;
mod squeeze;
mod sum_like;
mod unsqueeze;

pub(crate) use broadcast_along::BroadcastAlong;
pub(crate) use broadcast_like::BroadcastLike;
pub(crate) use concat::Concat;
pub(crate) use count::Count;
pub(crate) use narrow::Narrow;
pub(crate) use pad::Pad;
pub(crate) use permute::Permute;
pub use reshape::Extent;
pub(crate) use reshape::Reshape;
pub(crate) use reshape_like::ReshapeLike;
pub(crate) use squeeze::Squeeze;
pub(crate) use sum_like::SumLike;
pub(crate) use unsqueeze::Unsqueeze;
