//! Fitting in `f64`: methods of second order, which run to the end and report on it.
//!
//! A fit looks at a network as a function of one vector, all parameters behind one another
//! ([`Objective`]), runs it by compiled plans, and hands back the next generation with a report.
//!
//! INVARIANT: a fit is a function of its tape, parameters and feeds. Its own arithmetic is written here,
//! in one fixed order and without a clock: a library of linear algebra that chooses its kernels by the
//! machine would make the last bits of a fit depend on the machine.

mod descent;
mod error;
mod factorisation;
mod lbfgs;
mod least_squares;
mod levenberg_marquardt;
mod line_search;
mod objective;
mod region;
mod report;
mod vector;

pub use error::FitError;
pub use lbfgs::Lbfgs;
pub use levenberg_marquardt::LevenbergMarquardt;
pub use report::{Estimate, Iterate, LeastSquaresReport, MinimumReport, Stop};
