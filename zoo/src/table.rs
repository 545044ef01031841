//! Numbers in columns, parted by commas, below a line that names the columns.
//!
//! Numbers alone: nothing is quoted, so that a line is its columns. What is wrong is one sentence with the
//! line.

use std::{fs, path::Path};

/// The rows of a file that has these columns, in this order.
///
/// ```
/// let rows = zoo::table::parse("x, moon\n0.5,1\n\n-1e-3 , 0\n", &["x", "moon"]).unwrap();
/// assert_eq!(rows, [[0.5, 1.0], [-1e-3, 0.0]]);
/// ```
pub fn parse(text: &str, columns: &[&str]) -> Result<Vec<Vec<f64>>, String> {
    let mut lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    let header = columns.join(",");
    let named = lines
        .next()
        .is_some_and(|(line, _)| line.split(',').map(str::trim).eq(columns.iter().copied()));
    if !named {
        return Err(format!("the first line is not `{header}`"));
    }
    let mut rows = Vec::new();
    for (line, at) in lines {
        let row = line.split(',').map(|word| {
            let number = word.trim().parse::<f64>().ok().filter(|number| number.is_finite());
            number.ok_or_else(|| format!("line {at}: {:?} is no finite number", word.trim()))
        });
        let row = row.collect::<Result<Vec<f64>, String>>()?;
        if row.len() != columns.len() {
            return Err(format!(
                "line {at}: {} numbers where `{header}` are {}",
                row.len(),
                columns.len()
            ));
        }
        rows.push(row);
    }
    if rows.is_empty() {
        return Err(format!("there is nothing below `{header}`"));
    }
    Ok(rows)
}

/// The rows of a file; see [`parse`].
pub fn read(path: &Path, columns: &[&str]) -> Result<Vec<Vec<f64>>, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string());
    let rows = text.and_then(|text| parse(&text, columns));
    rows.map_err(|problem| format!("{}: {problem}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_table_is_one_sentence_with_the_line() {
        for (text, said) in [
            ("", "the first line is not `x,y`"),
            ("1,2\n", "the first line is not `x,y`"),
            ("y,x\n1,2\n", "the first line is not `x,y`"),
            ("x,y\n", "there is nothing below `x,y`"),
            ("x,y\n1,2\n\n3\n", "line 4: 1 numbers where `x,y` are 2"),
            ("x,y\n1,2,3\n", "line 2: 3 numbers where `x,y` are 2"),
            ("x,y\n1,two\n", "line 2: \"two\" is no finite number"),
            ("x,y\n1,inf\n", "line 2: \"inf\" is no finite number"),
            ("x,y\n1,\n", "line 2: \"\" is no finite number"),
        ] {
            assert_eq!(parse(text, &["x", "y"]), Err(said.to_owned()), "{text:?}");
        }
        assert_eq!(parse("\nx ,y\r\n1, 2\r\n", &["x", "y"]), Ok(vec![vec![1.0, 2.0]]));
        let error = read(Path::new("no/such.csv"), &["x"]).unwrap_err();
        assert!(error.starts_with("no/such.csv: "), "{error}");
    }
}
