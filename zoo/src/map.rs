//! Maps in the terminal: labels at points of a plane.

use malevich::{Align, Frame, Plot, Text};
use std::io::{self, Write};

/// A map with this title: each label where its point lies.
///
/// ```
/// let text = zoo::map::render("two", &[("a".into(), [0.0, 0.0]), ("b".into(), [1.0, 2.0])], 40, 10);
/// assert!(text.contains("two") && text.contains('a') && text.contains('b'));
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
    let drawable = points.iter().filter(|(_, at)| at.iter().all(|x| x.is_finite()));
    let mut plot = Plot::new().title(title.to_owned());
    let mut empty = true;
    for (label, [x, y]) in drawable {
        empty = false;
        plot = plot.layer(Text::at(*x, *y, label.clone()).align(Align::Center));
    }
    if empty { format!("{title}: nothing to draw") } else { plot.render(frame) }
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
