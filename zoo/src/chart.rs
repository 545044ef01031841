//! Line charts in the terminal, chiefly of losses over the steps of a training.
//!
//! A chart is as wide as the terminal; where there is none (a pipe, a log) it is 80 columns of plain
//! text without colour.

use std::io::{self, Write};

use malevich::{Dash, Frame, Line, Plot, Rule};

/// Points that a terminal can tell apart on one curve; longer series are averaged down to them.
const RESOLUTION: usize = 200;

/// A chart in the making: curves over a shared horizontal axis of steps.
///
/// ```
/// use zoo::chart::Chart;
///
/// let losses: Vec<f64> = (0..1_000).map(|step| 3.0 / (1.0 + 0.01 * step as f64)).collect();
/// let text = Chart::new("training").losses(&losses).target("goal", 0.5).render(60, 12);
/// assert!(text.contains("training") && text.contains("goal"));
/// ```
#[derive(Clone, Debug)]
pub struct Chart {
    title: String,
    curves: Vec<Curve>,
    targets: Vec<(String, f64)>,
    logarithmic: bool,
}

#[derive(Clone, Debug)]
struct Curve {
    label: String,
    points: Vec<(f64, f64)>,
}

impl Chart {
    /// An empty chart with this title.
    pub fn new(title: &str) -> Self {
        Self {
            title: title.to_owned(),
            curves: Vec::new(),
            targets: Vec::new(),
            logarithmic: false,
        }
    }

    /// The loss of every step from the first on. Long series are drawn as means over groups of
    /// neighbouring steps, and the label says how many.
    pub fn losses(self, losses: &[f64]) -> Self {
        let group = losses.len().div_ceil(RESOLUTION);
        let points = losses.chunks(group.max(1)).enumerate().map(|(index, chunk)| {
            let mean = chunk.iter().fold(0.0, |sum, loss| sum + loss) / chunk.len() as f64;
            ((index * group + chunk.len()) as f64, mean)
        });
        let label =
            if group > 1 { format!("loss, mean of {group} steps") } else { "loss".to_owned() };
        self.curve(&label, points)
    }

    /// A curve through `points` of (step, value). Values that are not finite leave a gap.
    pub fn curve(mut self, label: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        self.curves.push(Curve { label: label.to_owned(), points: points.into_iter().collect() });
        self
    }

    /// A dashed level line: a value to reach.
    pub fn target(mut self, label: &str, value: f64) -> Self {
        self.targets.push((label.to_owned(), value));
        self
    }

    /// A logarithmic vertical axis; values that are not positive leave a gap.
    pub fn logarithmic(mut self) -> Self {
        self.logarithmic = true;
        self
    }

    /// The chart as plain text of a given size in characters: the same text everywhere.
    pub fn render(&self, columns: usize, rows: usize) -> String {
        self.draw(&Frame::portable(columns, rows))
    }

    /// Prints the chart on standard output, in the size and colours of the terminal.
    ///
    /// A reader that has gone (`| head`) is no reason to stop a training: it is not an error here.
    pub fn print(&self) {
        let _gone = writeln!(io::stdout().lock(), "{}", self.draw(&Frame::detect()));
    }

    fn draw(&self, frame: &Frame) -> String {
        let drawable = |value: f64| value.is_finite() && (!self.logarithmic || value > 0.0);
        let mut plot = Plot::new().title(self.title.clone()).x_label("step");
        if self.logarithmic {
            plot = plot.log_y();
        }
        let mut empty = true;
        for Curve { label, points } in &self.curves {
            empty &= !points.iter().any(|&(_, value)| drawable(value));
            let (steps, values): (Vec<f64>, Vec<f64>) = points
                .iter()
                .map(|&(step, value)| (step, if drawable(value) { value } else { f64::NAN }))
                .unzip();
            plot = plot.layer(Line::xy(steps, values).label(label.clone()));
        }
        if self.curves.iter().all(|curve| curve.points.is_empty()) {
            return format!("{}: nothing to draw", self.title);
        }
        if empty {
            return format!("{}: no finite value to draw", self.title);
        }
        for (label, value) in self.targets.iter().filter(|(_, value)| drawable(*value)) {
            plot = plot.layer(Rule::h(*value).label(label.clone()).dash(Dash::Dashed));
        }
        plot.render(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn falling(steps: usize) -> Vec<f64> {
        (0..steps).map(|step| 1.0 + 2.0 / (1.0 + step as f64)).collect()
    }

    #[test]
    fn a_chart_has_the_asked_size_and_its_words() {
        let text =
            Chart::new("bigram").losses(&falling(50)).target("count model", 1.2).render(64, 14);
        assert!(text.lines().count() <= 14, "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 64), "{text}");
        for word in ["bigram", "loss", "count model", "step"] {
            assert!(text.contains(word), "no {word:?} in\n{text}");
        }
        assert!(!text.contains('\u{1b}'), "colour in plain text");
    }

    #[test]
    fn long_series_are_averaged() {
        let chart = Chart::new("long").losses(&falling(100_001));
        assert_eq!(chart.curves[0].points.len(), 200);
        assert_eq!(chart.curves[0].label, "loss, mean of 501 steps");
        let (last_step, last) = *chart.curves[0].points.last().unwrap();
        assert_eq!(last_step, 100_001.0);
        assert!((last - 1.0).abs() < 1e-4);
    }

    #[test]
    fn what_is_not_finite_leaves_a_gap_and_nothing_at_all_is_said() {
        let text = Chart::new("gaps").losses(&[1.0, f64::NAN, f64::INFINITY, 2.0]).render(60, 10);
        assert!(text.contains("gaps"));
        assert_eq!(
            Chart::new("none").losses(&[f64::NAN]).render(60, 10),
            "none: no finite value to draw"
        );
        assert_eq!(Chart::new("none").losses(&[]).render(60, 10), "none: nothing to draw");
        assert_eq!(Chart::new("none").render(60, 10), "none: nothing to draw");
        let negative = Chart::new("log").losses(&[-1.0, 0.0]).logarithmic();
        assert_eq!(negative.render(60, 10), "log: no finite value to draw");
    }

    #[test]
    fn several_curves_share_the_axes() {
        let curve = |scale: f64| (0..20).map(move |step| (step as f64, scale / (step + 1) as f64));
        let text = Chart::new("rates")
            .curve("slow", curve(10.0))
            .curve("fast", curve(1.0))
            .logarithmic()
            .target("unreachable", -1.0)
            .render(70, 16);
        assert!(
            text.contains("slow") && text.contains("fast") && !text.contains("unreachable"),
            "{text}"
        );
    }

    #[test]
    fn a_constant_a_single_point_and_a_tiny_frame_do_not_fail() {
        assert!(Chart::new("flat").losses(&[2.0; 9]).render(60, 10).contains("flat"));
        assert!(Chart::new("one").losses(&[2.0]).render(60, 10).contains("one"));
        let _ = Chart::new("tiny").losses(&falling(9)).render(3, 2);
        let _ = Chart::new("zero").losses(&falling(9)).render(0, 0);
    }
}
