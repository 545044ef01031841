//! Element-wise work split over threads.

use crate::kernel::Elementary;
use crate::kernel::reference::View;
use crate::kernel::threads;
use crate::kernel::walk::product_of;

/// Runs `run` on views of one shape and their row-major result: on all of it, or on parts of their
/// outermost axis side by side. `cost` is how many plain operations one element takes.
pub(super) fn over<E: Elementary, const N: usize>(
    views: [View<'_, E>; N],
    cost: usize,
    out: &mut [E],
    run: impl Fn([View<'_, E>; N], &mut [E]) + Sync,
) {
    let extents = views[0].extents;
    let parts = threads::parts_here(out.len().saturating_mul(cost), usize::MAX);
    let outermost = extents.iter().position(|&extent| extent > 1);
    let Some(axis) = outermost.filter(|_| parts > 1) else { return run(views, out) };
    takes!("elements over threads");
    let inner = product_of(&extents[axis + 1..]);
    let mut rest = out;
    let mut work = Vec::with_capacity(parts);
    for bounds in threads::bounds(extents[axis], parts, 1) {
        let (part, after) = rest.split_at_mut(bounds.len() * inner);
        rest = after;
        work.push((bounds, part));
    }
    threads::each(work, |(bounds, out)| {
        let mut shape = extents.to_vec();
        shape[axis] = bounds.len();
        let views = views.map(|view| View {
            extents: &shape,
            offset: view.offset + bounds.start * view.strides[axis],
            ..view
        });
        run(views, out);
    });
}
