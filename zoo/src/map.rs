//! Maps in the terminal: labels at points of a plane.

use malevich::{Align, Frame, Plot, Text};
use std::io::{self, Write};

/// A map with this title: each label where its point lies.
///
/// ```
/// let text = zoo::map::render("two", &[("a".into(), [0.0, 0.0]), ("b".into(), [1.0, 2.0])], 40, 10);
/// assert!(text.contains("two") && text.contains("a") && text.contains("b"), "{text}");
/// ```
///
/// Points that are not finite have no place, and are left out.
#[must_use]
pub fn render(title: &str, points: &[(String, [f64; 2])], columns: usize, rows: usize) -> String {
    draw(title, points, &Frame::portable(columns, rows))
}

/// Prints a map on standard output, in the size of the terminal.
pub fn print(title: &str, points: &[(String, [f64; 2])]) {
    // A reader that has gone is no reason to stop.
    let _gone = writeln!(io::stdout().lock(), "{}", draw(title, points, &Frame::detect()));
}

fn draw(title: &str, points: &[(String, [f64; 2])], frame: &Frame) -> String {
    let drawable = || points.iter().filter(|(_, at)| at.iter().all(|x| x.is_finite()));
    let [Some(x), Some(y)] = [0, 1].map(|axis| domain(drawable().map(|(_, at)| at[axis]))) else {
        return format!("{title}: nothing to draw");
    };
    let plot = Plot::new().title(title.to_owned()).x_domain(x[0], x[1]).y_domain(y[0], y[1]);
    let plot = drawable().fold(plot, |plot, (label, [x, y])| {
        plot.layer(Text::at(*x, *y, label.clone()).align(Align::Center))
    });
    plot.render(frame)
}

/// From the least number to the greatest, and a margin: a label on the border would not be drawn.
fn domain(numbers: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    let numbers = Vec::from_iter(numbers);
    let low = numbers.iter().copied().min_by(f64::total_cmp)?;
    let high = numbers.iter().copied().max_by(f64::total_cmp)?;
    let margin = if high > low { 0.1 * (high - low) } else { 1.0 };
    Some([low - margin, high + margin])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_place_is_left_out() {
        assert_eq!(render("none", &[], 40, 10), "none: nothing to draw");
        let points = [("q".to_owned(), [f64::NAN, 0.0])];
        assert_eq!(render("none", &points, 40, 10), "none: nothing to draw");
    }
}
