//! The header of an `.npy` file: a dictionary in Python's notation, of three keys.
//!
//! NumPy reads it with Python's own parser. What NumPy writes is a small part of that notation, and only
//! that is read here: texts in either quotes, `True`, `False`, and tuples of numbers.

use super::Dtype;
use super::header::MOST_AXES;

/// In which order the numbers lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The last axis changes first.
    Rows,
    /// The first axis changes first.
    Fortran,
}

/// What a header says.
#[derive(Debug)]
pub(super) struct Header<'b> {
    pub(super) dtype: Dtype,
    pub(super) big_endian: bool,
    pub(super) order: Order,
    /// The extents with what stands between them.
    pub(super) shape: &'b str,
}

/// Where something is wrong, and what.
type Refused = (usize, String);

/// A text that is read from the front.
struct Cursor<'b> {
    all: &'b str,
    at: usize,
}

impl<'b> Cursor<'b> {
    fn refused<T>(&self, problem: impl Into<String>) -> Result<T, Refused> {
        Err((self.at, problem.into()))
    }

    fn rest(&self) -> &'b str {
        &self.all[self.at..]
    }

    fn skip(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\n', '\t', '\r']).len();
    }

    /// Takes a word where it stands next.
    fn takes(&mut self, word: &str) -> bool {
        self.skip();
        let taken = self.rest().starts_with(word);
        self.at += if taken { word.len() } else { 0 };
        taken
    }

    fn expect(&mut self, word: &str) -> Result<(), Refused> {
        if self.takes(word) { Ok(()) } else { self.refused(format!("`{word}` is expected")) }
    }

    fn quoted(&mut self) -> Result<&'b str, Refused> {
        self.skip();
        let Some(quote @ ('\'' | '"')) = self.rest().chars().next() else {
            return self.refused("a text in quotes is expected");
        };
        let inside = &self.rest()[1..];
        let Some(end) = inside.find([quote, '\\']).filter(|&end| inside[end..].starts_with(quote))
        else {
            return self.refused("a text that does not end");
        };
        self.at += end + 2;
        Ok(&inside[..end])
    }

    /// A tuple of extents.
    fn tuple(&mut self) -> Result<&'b str, Refused> {
        self.expect("(")?;
        let (from, mut axes) = (self.at, 0);
        while !self.takes(")") {
            if axes > 0 {
                self.expect(",")?;
                if self.takes(")") {
                    break;
                }
            }
            self.skip();
            let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
            if self.rest()[..digits].parse::<usize>().is_err() {
                return self.refused("an extent of the address space is expected");
            }
            self.at += digits;
            axes += 1;
            if axes > MOST_AXES {
                return self.refused(format!("more than {MOST_AXES} axes"));
            }
            // What Python 2 wrote behind long numbers.
            self.takes("L");
        }
        Ok(&self.all[from..self.at - 1])
    }
}

impl<'b> Header<'b> {
    /// What the text of a header says.
    pub(super) fn parse(text: &'b str) -> Result<Self, Refused> {
        let mut cursor = Cursor { all: text, at: 0 };
        let (mut kind, mut order, mut shape) = (None, None, None);
        cursor.expect("{")?;
        while !cursor.takes("}") {
            let from = cursor.at;
            let key = cursor.quoted()?;
            cursor.expect(":")?;
            let twice = match key {
                "descr" => kind.replace(described(&mut cursor)?).is_some(),
                "fortran_order" if cursor.takes("True") => order.replace(Order::Fortran).is_some(),
                "fortran_order" => {
                    cursor.expect("False")?;
                    order.replace(Order::Rows).is_some()
                }
                "shape" => shape.replace(cursor.tuple()?).is_some(),
                _ => return Err((from, format!("the key {key:?} is not known"))),
            };
            if twice {
                return Err((from, format!("`{key}` stands twice")));
            }
            if !cursor.takes(",") {
                cursor.expect("}")?;
                break;
            }
        }
        cursor.skip();
        if !cursor.rest().is_empty() {
            return cursor.refused("something stands behind the dictionary");
        }
        match (kind, order, shape) {
            (Some((dtype, big_endian)), Some(order), Some(shape)) => {
                Ok(Self { dtype, big_endian, order, shape })
            }
            _ => cursor.refused("`descr`, `fortran_order` and `shape` are needed"),
        }
    }
}

/// A kind of number such as `'<f4'`, and whether its high byte comes first.
fn described(cursor: &mut Cursor<'_>) -> Result<(Dtype, bool), Refused> {
    cursor.skip();
    let from = cursor.at;
    let text = cursor.quoted()?;
    let known = text.split_at_checked(1).and_then(|(order, code)| {
        let dtype = Dtype::from_numpy(code)?;
        match order {
            "<" => Some((dtype, false)),
            ">" => Some((dtype, true)),
            "|" if dtype.size() == 1 => Some((dtype, false)),
            _ => None,
        }
    });
    known.ok_or_else(|| (from, format!("numbers of the unknown kind {text:?}")))
}
