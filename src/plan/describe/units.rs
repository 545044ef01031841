//! Numbers with units, four characters wide or a little more.

/// A number of bytes: `24 B`, `1.5 KiB`.
pub(crate) fn bytes(count: u64) -> String {
    scaled(count as f64, 1024.0, &["B", "KiB", "MiB", "GiB", "TiB"])
}

/// A number of operations: `24 FLOP`, `2.19 MFLOP`.
pub(crate) fn operations(count: u64) -> String {
    scaled(count as f64, 1000.0, &["FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP"])
}

fn scaled(mut value: f64, step: f64, units: &[&str]) -> String {
    let mut unit = 0;
    while value >= step && unit + 1 < units.len() {
        value /= step;
        unit += 1;
    }
    let unit = units[unit];
    match value {
        _ if value.fract() == 0.0 && value < 1000.0 => format!("{value} {unit}"),
        _ if value < 10.0 => format!("{value:.2} {unit}"),
        _ if value < 100.0 => format!("{value:.1} {unit}"),
        _ => format!("{value:.0} {unit}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_and_a_unit() {
        let texts = [0, 24, 1024, 1536, 25_600, 1_048_575, 5 << 30].map(bytes);
        let expected =
            ["0 B", "24 B", "1 KiB", "1.50 KiB", "25 KiB", "1024 KiB", "5 GiB"].map(String::from);
        assert_eq!(texts, expected);
        assert_eq!(operations(2_190_000), "2.19 MFLOP");
    }
}
