//! Sliding windows and their adjoint.

mod fold;
mod unfold;

pub(crate) use fold::Fold;
pub(crate) use unfold::Unfold;

use crate::graph::error::Violation;

/// The number of windows on `extent` positions (C2: no number is 0; C3: a window fits).
pub(crate) fn windows(
    extent: usize,
    size: usize,
    step: usize,
    dilation: usize,
) -> Result<usize, Violation> {
    if size == 0 || step == 0 || dilation == 0 {
        let problem =
            format!("size {size}, step {step} and dilation {dilation} must be at least 1");
        return Err(Violation::new(2, problem));
    }
    let span = (size - 1).checked_mul(dilation).and_then(|span| span.checked_add(1));
    match span.filter(|&span| span <= extent) {
        Some(span) => Ok((extent - span) / step + 1),
        None => {
            let problem = format!(
                "a window of {size} with dilation {dilation} does not fit {extent} positions"
            );
            Err(Violation::new(3, problem)
                .help("a smaller window, or padding in front of it, fits"))
        }
    }
}
