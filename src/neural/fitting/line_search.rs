//! A line search for the strong Wolfe conditions (Nocedal and Wright, "Numerical optimization", second
//! edition 2006, algorithms 3.5 and 3.6).
//!
//! Near a minimum, rounding hides that the loss falls. There the gradient decides, as in the
//! approximate conditions of Hager and Zhang ("A new conjugate gradient method with guaranteed descent
//! and an efficient line search", 2005).

/// The loss must fall by this part of what its slope says.
const FALL: f64 = 1e-4;
/// The slope must flatten to this part of itself.
const FLATTEN: f64 = 0.9;
/// Changes of the loss below this part of itself are rounding.
const NOISE: f64 = 1e-14;
/// Halving an interval oftener finds nothing new in `f64`.
const TRIES: usize = 60;

/// The loss and its slope at a length along the direction.
#[derive(Clone, Copy, Debug)]
struct Point {
    at: f64,
    value: f64,
    slope: f64,
}

/// A length along a direction where both conditions hold, from the loss and the slope at 0, with `first`
/// to try; `None` where none was found. `evaluate` gives the loss and the slope, which may be NaN or
/// infinite: that is too far.
pub(super) fn search<E>(
    value: f64,
    slope: f64,
    first: f64,
    mut evaluate: impl FnMut(f64) -> Result<(f64, f64), E>,
) -> Result<Option<f64>, E> {
    let origin = Point { at: 0.0, value, slope };
    let noise = NOISE * value.abs();
    let fell = |point: &Point| point.value <= value + FALL * point.at * slope;
    // Within rounding of the start the loss cannot tell: a slope that a quadratic has where it fell by
    // `FALL` of its first slope and more does.
    let level = |point: &Point| {
        (point.value - value).abs() <= noise && point.slope <= (2.0 * FALL - 1.0) * slope
    };
    let accepted =
        |point: &Point| point.slope.abs() <= -FLATTEN * slope && (fell(point) || level(point));
    let (mut low, mut high): (Point, Option<Point>) = (origin, None);
    let mut at = first;
    for _ in 0..TRIES {
        let (value, slope) = evaluate(at)?;
        let point = Point { at, value, slope };
        if accepted(&point) {
            return Ok(Some(at));
        }
        let usable = value.is_finite() && slope.is_finite();
        let higher = !usable || !(fell(&point) || level(&point)) || point.value > low.value + noise;
        if higher {
            high = Some(point);
        } else {
            // The minimum is between the lowest point and the side that its slope points to.
            if slope * (at - low.at) >= 0.0 {
                high = Some(low);
            }
            low = point;
        }
        at = match high {
            None => 4.0 * at,
            Some(high) => between(&low, &high),
        };
        if at == low.at {
            break;
        }
    }
    // A fall without the second condition is better than no step.
    Ok((low.at > 0.0 && low.value < value).then_some(low.at))
}

/// A point inside an interval: the minimum of the cubic through both ends, kept a tenth of the width
/// away from them; the middle where there is none.
fn between(low: &Point, high: &Point) -> f64 {
    let width = high.at - low.at;
    let middle = low.at + 0.5 * width;
    if !(high.value.is_finite() && high.slope.is_finite()) {
        return low.at + 0.1 * width;
    }
    let a = low.slope + high.slope - 3.0 * (high.value - low.value) / width;
    let square = a * a - low.slope * high.slope;
    if square < 0.0 || square.is_nan() {
        return middle;
    }
    let root = if width > 0.0 { square.sqrt() } else { -square.sqrt() };
    let part = (high.slope + root - a) / (high.slope - low.slope + 2.0 * root);
    let part = 1.0 - part;
    if part.is_nan() {
        return middle;
    }
    let part = part.clamp(0.1, 0.9);
    low.at + part * width
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(first: f64, f: impl Fn(f64) -> (f64, f64)) -> Option<f64> {
        let (value, slope) = f(0.0);
        let searched: Result<_, ()> = search(value, slope, first, |at| Ok(f(at)));
        searched.unwrap()
    }

    fn strong(at: f64, f: impl Fn(f64) -> (f64, f64)) {
        let ((start, down), (value, slope)) = (f(0.0), f(at));
        assert!(value <= start + FALL * at * down, "{at}: {value} from {start}");
        assert!(slope.abs() <= -FLATTEN * down, "{at}: slope {slope} from {down}");
    }

    #[test]
    fn conditions_hold_from_every_first_length() {
        // The test functions of Moré and Thuente are of this kind: a quadratic, a narrow valley behind a
        // long slope, and one whose slope is tiny at the start.
        let functions: [fn(f64) -> (f64, f64); 3] = [
            |a| ((a - 3.0) * (a - 3.0), 2.0 * (a - 3.0)),
            |a| {
                let b = a * a + 2.0;
                (-a / b, (a * a - 2.0) / (b * b))
            },
            |a| {
                let b = a + 0.004;
                let (b3, b4) = (b * b * b, b * b * b * b);
                (b4 * b - 2.0 * b4, 5.0 * b4 - 8.0 * b3)
            },
        ];
        for (number, f) in functions.iter().enumerate() {
            for first in [1e-3, 0.1, 1.0, 10.0, 1e3] {
                let at = found(first, f);
                let at = at.unwrap_or_else(|| panic!("function {number} from {first}"));
                strong(at, f);
            }
        }
    }

    #[test]
    fn what_is_not_finite_is_too_far() {
        let f = |a: f64| if a < 0.5 { (-a, -1.0 + a) } else { (f64::NAN, f64::INFINITY) };
        let at = found(1.0, f).unwrap();
        assert!(at > 0.0 && at < 0.5);
    }

    #[test]
    fn a_slope_that_lies_finds_nothing() {
        assert_eq!(found(1.0, |a| (a, if a == 0.0 { -1.0 } else { 1.0 })), None);
    }
}
