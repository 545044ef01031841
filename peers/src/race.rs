//! Contenders that take turns.

use std::time::Instant;

/// Turns of each contender.
const ROUNDS: usize = 9;
/// How long one turn lasts, roughly, in seconds.
const TURN: f64 = 0.004;

/// The median seconds that one call of each contender takes.
///
/// # Example
///
/// ```
/// let mut x = 0_u64;
/// let seconds = peers::race(&mut [("counting", &mut || x = std::hint::black_box(x + 1))]);
/// assert_eq!(seconds.len(), 1);
/// ```
pub fn race(contenders: &mut [(&str, &mut dyn FnMut())]) -> Vec<f64> {
    let repetitions: Vec<usize> = contenders
        .iter_mut()
        .map(|(_, run)| {
            run();
            let once = timed(1, run);
            ((TURN / once) as usize).clamp(1, 1_000_000)
        })
        .collect();
    let mut seconds = vec![Vec::new(); contenders.len()];
    for _ in 0..ROUNDS {
        for ((seconds, &repetitions), (_, run)) in
            seconds.iter_mut().zip(&repetitions).zip(contenders.iter_mut())
        {
            seconds.push(timed(repetitions, run));
        }
    }
    seconds
        .into_iter()
        .map(|mut seconds| {
            seconds.sort_by(f64::total_cmp);
            seconds[ROUNDS / 2]
        })
        .collect()
}

fn timed(repetitions: usize, run: &mut dyn FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..repetitions {
        run();
    }
    (start.elapsed().as_secs_f64() / repetitions as f64).max(1e-9)
}
