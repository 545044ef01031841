//! A table of rates: rows of work, columns of contenders, ratios to the best peer and to a limit.

use std::fmt::Write;

/// Rates of contenders, ours first.
pub struct Table {
    unit: &'static str,
    contenders: Vec<&'static str>,
    lines: Vec<String>,
    ratios: Vec<f64>,
}

impl Table {
    /// An empty table; `contenders` are the peers, ours stands in front of them.
    #[must_use]
    pub fn new(title: &str, unit: &'static str, contenders: &[&'static str]) -> Self {
        println!("\n{title}, {unit}; ratio to the best peer, share of the limit of this run");
        let mut head = format!("{:34}{:>10}", "", "ours");
        for name in contenders {
            let _ = write!(head, "{name:>16}");
        }
        println!("{head}{:>9}{:>9}", "ratio", "limit");
        Self { unit, contenders: contenders.to_vec(), lines: Vec::new(), ratios: Vec::new() }
    }

    /// A row of rates, ours first, and the machine's limit where there is one.
    pub fn row(&mut self, name: &str, rates: &[f64], limit: Option<f64>) {
        let mut line = format!("{name:34}");
        for (i, rate) in rates.iter().enumerate() {
            let width = if i == 0 { 10 } else { 16 };
            let _ = write!(line, "{rate:width$.1}");
        }
        let missing = self.contenders.len() + 1 - rates.len();
        line += &" ".repeat(16 * missing);
        let best = rates[1..].iter().copied().fold(0.0, |best: f64, rate| best.max(rate));
        if best > 0.0 {
            let ratio = rates[0] / best;
            self.ratios.push(ratio);
            let _ = write!(line, "{ratio:9.2}");
        } else {
            line += &" ".repeat(9);
        }
        if let Some(limit) = limit {
            let _ = write!(line, "{:9.2}", rates[0] / limit);
        }
        println!("{line}");
        self.lines.push(line);
    }

    /// Prints the geometric mean and the least of the ratios.
    pub fn finish(self) {
        if self.ratios.is_empty() {
            return;
        }
        let logs = self.ratios.iter().fold(0.0, |sum, ratio| sum + ratio.ln());
        let mean = (logs / self.ratios.len() as f64).exp();
        let least = self.ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let (count, unit) = (self.lines.len(), self.unit);
        println!("geometric mean of ratios {mean:.3}, least {least:.2}, {count} rows in {unit}");
    }
}
