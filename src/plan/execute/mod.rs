//! Running a plan: by slices in one arena, by a flat program over single elements, or by the
//! payload's own operations.

mod band;
mod bind;
mod opaque;
mod scalar;
mod tensor;

pub(super) use bind::Given;
pub(super) use opaque::Opaque;
pub(super) use scalar::Flat;
pub(super) use tensor::Arena;
