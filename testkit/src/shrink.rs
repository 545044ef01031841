//! Shrinking: the byte string of a failing tape cut down while it still fails.
//!
//! INVARIANT: what comes out fails as what went in, and is no longer. Removing bytes and zeroing
//! them is all that is needed, because zero is the plainest decision and an end means zeros.

/// The smallest byte string found for which `fails` holds, as it does for `bytes`.
///
/// Delta debugging: chunks of half, a quarter, .. of the string are removed, then bytes are zeroed
/// and lowered, until nothing helps.
///
/// # Example
///
/// ```
/// let fails = |bytes: &[u8]| bytes.iter().any(|byte| *byte > 9);
/// assert_eq!(testkit::shrink::shrunk(&[1, 2, 200, 3, 4], fails), [10]);
/// ```
pub fn shrunk(bytes: &[u8], mut fails: impl FnMut(&[u8]) -> bool) -> Vec<u8> {
    let mut best = bytes.to_vec();
    loop {
        let before = best.clone();
        remove_chunks(&mut best, &mut fails);
        lower_bytes(&mut best, &mut fails);
        if best == before {
            return best;
        }
    }
}

fn remove_chunks(best: &mut Vec<u8>, fails: &mut impl FnMut(&[u8]) -> bool) {
    let mut size = best.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        while at < best.len() {
            let end = best.len().min(at + size);
            let shorter = [&best[..at], &best[end..]].concat();
            if fails(&shorter) {
                *best = shorter;
            } else {
                at = end;
            }
        }
        size /= 2;
    }
}

fn lower_bytes(best: &mut [u8], fails: &mut impl FnMut(&[u8]) -> bool) {
    for at in 0..best.len() {
        let byte = best[at];
        let half = [0, byte / 2, byte.saturating_sub(1)];
        for lower in half.into_iter().filter(|lower| *lower < byte) {
            best[at] = lower;
            if fails(best) {
                break;
            }
            best[at] = byte;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decisions::seeded;
    use crate::generate;

    #[test]
    fn what_comes_out_still_fails_and_is_small() {
        let bytes = seeded(1, 300);
        // Fails while two certain bytes stand in order.
        let fails = |bytes: &[u8]| {
            let first = bytes.iter().position(|byte| *byte >= 200);
            first.is_some_and(|at| bytes[at..].contains(&100))
        };
        let mut bytes = bytes;
        bytes.extend([250, 100]);
        assert_eq!(shrunk(&bytes, fails), [200, 100]);
    }

    #[test]
    fn a_tape_shrinks_to_what_matters() {
        let has_division = |bytes: &[u8]| {
            let network = generate::<f64>(bytes).network;
            network.values().any(|value| value.operation() == "div")
        };
        let bytes = (0..).map(|seed| seeded(seed, 200)).find(|bytes| has_division(bytes)).unwrap();
        let small = shrunk(&bytes, has_division);
        assert!(has_division(&small));
        assert!(small.len() <= 16, "{small:?}");
    }
}
