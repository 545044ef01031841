//! Maps of the plane in the terminal: points of several kinds, labels, curves, and the border that a
//! function draws.

use std::io::{self, Write};

use malevich::{Align, Frame, Line, Plot, PointStyle, Points, Text, stat};

/// How many places of each axis a function is asked at.
pub const GRID: usize = 65;
/// Marks that are told apart without colour.
const STYLES: [PointStyle; 4] =
    [PointStyle::Circle, PointStyle::Cross, PointStyle::Plus, PointStyle::Asterisk];

/// A map in the making.
///
/// ```
/// use zoo::plane::Plane;
///
/// let map = Plane::new("a circle").points("inside", [[0.0, 0.0]]).points("outside", [[2.0, 2.0]]);
/// let squares: Vec<f64> = map.grid().iter().map(|[x, y]| x * x + y * y).collect();
/// let text = map.border(&squares, 1.0).render(60, 20);
/// assert!(text.contains("inside") && text.contains("outside"));
/// ```
#[derive(Debug)]
pub struct Plane {
    title: String,
    axes: [String; 2],
    points: Vec<(String, Vec<[f64; 2]>)>,
    labels: Vec<(String, [f64; 2])>,
    lines: Vec<(String, Vec<[f64; 2]>)>,
}

impl Plane {
    /// An empty map with this title.
    pub fn new(title: &str) -> Self {
        let axes = [String::new(), String::new()];
        let (points, labels, lines) = (Vec::new(), Vec::new(), Vec::new());
        Self { title: title.to_owned(), axes, points, labels, lines }
    }

    /// What stands at the axes.
    pub fn axes(mut self, x: &str, y: &str) -> Self {
        self.axes = [x.to_owned(), y.to_owned()];
        self
    }

    /// Points of one kind.
    pub fn points(mut self, label: &str, points: impl IntoIterator<Item = [f64; 2]>) -> Self {
        self.points.push((label.to_owned(), points.into_iter().collect()));
        self
    }

    /// Labels, each where its point lies. Points that are not finite have no place, and are left out.
    pub fn labels(mut self, labels: impl IntoIterator<Item = (String, [f64; 2])>) -> Self {
        self.labels.extend(labels.into_iter().filter(|(_, at)| at.iter().all(|x| x.is_finite())));
        self
    }

    /// A curve through points.
    pub fn curve(mut self, label: &str, points: impl IntoIterator<Item = [f64; 2]>) -> Self {
        self.lines.push((label.to_owned(), points.into_iter().collect()));
        self
    }

    /// The places where [`Plane::border`] needs the function: `GRID` rows of `GRID` places, over the
    /// points and a margin, from the lower left on.
    pub fn grid(&self) -> Vec<[f64; 2]> {
        let [[left, right], [low, high]] = self.extent();
        let place =
            |from: f64, to: f64, at: usize| from + (to - from) * at as f64 / (GRID - 1) as f64;
        let places =
            (0..GRID * GRID).map(|at| [place(left, right, at % GRID), place(low, high, at / GRID)]);
        places.collect()
    }

    /// Where the function that has these values at [`Plane::grid`] is `level`.
    pub fn border(mut self, values: &[f64], level: f64) -> Self {
        let [[left, right], [low, high]] = self.extent();
        let last = (GRID - 1) as f64;
        for line in stat::contours(values, GRID, &[level]) {
            let (xs, ys) = (line.x.iter(), line.y.iter());
            let place = |(x, y): (&f64, &f64)| {
                [left + (right - left) * x / last, low + (high - low) * y / last]
            };
            self.lines.push((String::from("border"), xs.zip(ys).map(place).collect()));
        }
        self
    }

    /// The extents of the points and the labels along both axes, with a margin of a tenth.
    fn extent(&self) -> [[f64; 2]; 2] {
        [0, 1].map(|axis| {
            let labels = self.labels.iter().map(|(_, at)| at);
            let all = self.points.iter().flat_map(|(_, points)| points).chain(labels);
            let ends = all.fold([f64::INFINITY, -f64::INFINITY], |[low, high], point| {
                [low.min(point[axis]), high.max(point[axis])]
            });
            let [low, high] = match ends {
                [low, high] if low < high => [low, high],
                [low, _] if low.is_finite() => [low - 1.0, low + 1.0],
                _ => [-1.0, 1.0],
            };
            let margin = 0.1 * (high - low);
            [low - margin, high + margin]
        })
    }

    /// The map as plain text of a given size in characters.
    pub fn render(&self, columns: usize, rows: usize) -> String {
        self.draw(&Frame::portable(columns, rows))
    }

    /// Prints the map on standard output, in the size and colours of the terminal.
    pub fn print(&self) {
        let _gone = writeln!(io::stdout().lock(), "{}", self.draw(&Frame::detect()));
    }

    fn draw(&self, frame: &Frame) -> String {
        let mut plot = Plot::new().title(self.title.clone());
        plot = plot.x_label(self.axes[0].clone()).y_label(self.axes[1].clone());
        let columns = |points: &[[f64; 2]]| -> (Vec<f64>, Vec<f64>) {
            points.iter().map(|[x, y]| (*x, *y)).unzip()
        };
        for ((label, points), style) in self.points.iter().zip(STYLES.iter().cycle()) {
            let (x, y) = columns(points);
            plot = plot.layer(Points::xy(x, y).label(label.clone()).style(*style));
        }
        if !self.labels.is_empty() {
            // A label on the border would not be drawn.
            let [[left, right], [low, high]] = self.extent();
            plot = plot.x_domain(left, right).y_domain(low, high);
        }
        for (label, [x, y]) in &self.labels {
            plot = plot.layer(Text::at(*x, *y, label.clone()).align(Align::Center));
        }
        for (label, points) in &self.lines {
            let (x, y) = columns(points);
            plot = plot.layer(Line::xy(x, y).label(label.clone()));
        }
        plot.render(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_covers_the_points_and_a_margin() {
        let map = Plane::new("map").points("a", [[0.0, 5.0], [10.0, 5.5]]);
        let grid = map.grid();
        assert_eq!((grid.len(), grid[0]), (GRID * GRID, [-1.0, 4.95]));
        assert!((grid[GRID * GRID - 1][0] - 11.0).abs() < 1e-12);
        assert_eq!(grid[1][1], grid[0][1]);
    }

    #[test]
    fn a_border_is_where_the_function_has_the_level() {
        let map = Plane::new("map").points("a", [[-1.0, -1.0], [1.0, 1.0]]);
        let values: Vec<f64> = map.grid().iter().map(|[x, y]| x * x + y * y).collect();
        let map = map.border(&values, 0.5);
        let drawn = map.lines[0].1.iter().filter(|[x, _]| x.is_finite());
        assert!(drawn.clone().count() > 50);
        assert!(drawn.into_iter().all(|[x, y]| (x * x + y * y - 0.5).abs() < 0.01));
    }

    #[test]
    fn labels_are_drawn_also_on_the_border_and_what_has_no_place_is_left_out() {
        let labels = [("a", [0.0, 0.0]), ("b", [1.0, 2.0]), ("q", [f64::NAN, 0.0])];
        let labels = labels.map(|(label, at)| (label.to_owned(), at));
        let text = Plane::new("two").labels(labels).render(40, 12);
        assert!(["two", "a", "b"].iter().all(|part| text.contains(part)), "{text}");
        assert!(!text.contains('q'), "{text}");
        let text = Plane::new("one").labels([("z".to_owned(), [3.0, 3.0])]).render(40, 12);
        assert!(text.contains('z'), "{text}");
    }

    #[test]
    fn a_map_of_nothing_and_of_a_point_does_not_fail() {
        let _ = Plane::new("nothing").render(40, 10);
        let text = Plane::new("one").axes("x", "y").points("here", [[1.0, 2.0]]).render(40, 12);
        assert!(text.contains("here") && text.contains("one"), "{text}");
    }
}
