//! The passes in the order of the pipeline, one file each.
//!
//! A pass takes a schedule that is right and leaves one that is right: the same results, to the
//! bit. To add one, write its file and its line in `pipeline`.

mod bands;
mod fuse;
mod memory;
mod order;
mod rematerialise;
mod simplify;
mod slice;
mod steps;
mod views;

pub(crate) use simplify::drop_unused;
pub(crate) use slice::slice;
pub(crate) use views::is_splat;

use super::options::Options;
use super::patterns::{epilogue, sums, windows};
use super::report::Report;
use super::schedule::Schedule;
use crate::payload::{Form, Tensorial};

/// A pass that may be left out of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Pass {
    /// What is computed twice is computed once; what is constant, when the plan is made.
    Simplify,
    /// Convolutions and maximum pools walk over images; no window is laid out.
    Windows,
    /// Element-wise functions over one space become one step.
    Fuse,
    /// Element-wise functions follow on a product's result while it is near.
    Epilogue,
    /// The sum of all that element-wise functions compute is taken while they compute it.
    Sums,
    /// Steps over the rows of a matrix too large for a cache run together, block by block.
    Bands,
}

/// A stage of the pipeline.
pub(crate) struct Stage<P: Tensorial> {
    /// The name that descriptions print.
    pub(crate) name: &'static str,
    /// The switch, where the executor can do without it.
    pub(crate) pass: Option<Pass>,
    pub(crate) run: fn(&mut Schedule<P>, &Options) -> Report,
}

/// The stages for payloads of type `P`, in order.
pub(crate) fn pipeline<P: Tensorial>() -> Vec<Stage<P>> {
    let optional = |name, pass, run| Stage { name, pass: Some(pass), run };
    let needed = |name, run| Stage { name, pass: None, run };
    match P::form() {
        Form::Tensor => vec![
            optional("simplify", Pass::Simplify, simplify::run),
            optional("windows", Pass::Windows, windows::run),
            needed(rematerialise::NAME, rematerialise::run),
            needed("views", views::run),
            needed("steps", steps::run),
            optional("fuse", Pass::Fuse, fuse::run),
            optional("epilogue", Pass::Epilogue, epilogue::run),
            optional("sums", Pass::Sums, sums::run),
            needed("order", order::run),
            optional("bands", Pass::Bands, bands::run),
            needed("memory", memory::run),
        ],
        Form::Scalar => vec![optional("simplify", Pass::Simplify, simplify::run)],
        Form::Opaque => vec![],
    }
}
