//! The parser: a text, line by line, back to a network.
//!
//! INVARIANT: it survives any text. What a line claims is checked before it is recorded, by the
//! same rules as a recording program's; memory is proportional to the text; nothing recurses.

use super::VERSION;
use super::cursor::Cursor;
use super::error::{ParseError, ParseErrorKind};
use super::node::Lines;
use crate::graph::Network;
use crate::kernel::Elementary;
use crate::payload::Tensorial;
use std::str::FromStr;

impl<P: Tensorial> Network<P> {
    /// Reads the full form of a tape back, as [`Network::to_text`] prints it: the same values in
    /// the same order with the same bits, names, scopes and source lines. It is a network of its
    /// own, so that symbols of the printed one are foreign to it; [`Network::find`] and
    /// [`Network::values`] lead to its values.
    ///
    /// A text from anywhere may be given: it costs time and memory in proportion to its length,
    /// whatever it claims.
    ///
    /// # The grammar
    ///
    /// Lines end at a line feed. Blanks separate tokens where they touch, a `;` outside of quotes
    /// begins a comment, and empty lines mean nothing.
    ///
    /// ```text
    /// tape       = header { node }
    /// header     = "tape" "1" word                        the version, the element type
    /// node       = "%" number "=" body ":" shape [ string ] [ "in" string ] [ "by" measure ]
    ///              [ "@" place ]
    /// body       = source payload | operation operands [ attributes ]
    /// source     = "leaf" | "parameter" | "input"
    /// payload    = element                                one element, stored densely
    ///            | "dense" "[" [ element { "," element } ] "]"
    ///            | "constant" element
    ///            | "selection" "[" [ number { "," number } ] "]"
    ///            | "bf16" "[" [ bits { "," bits } ] "]"
    /// operands   = "%" number { "," "%" number }
    /// attributes = "{" word "=" value { "," word "=" value } "}"
    /// value      = word | "[" [ word { "," word } ] "]"
    /// shape      = "[" [ number { "," number } ] "]"
    /// measure    = "%" number [ "[" [ number { "," number } ] "]" ]
    /// place      = ( file | string ) ":" number ":" number
    /// element    = word | string                          as `Elementary::to_text` has it
    /// word       = letters, digits and _ . + - :
    /// string     = quotes; within them \" \\ \n \r \t \u{hexadecimal}
    /// ```
    ///
    /// Nodes are numbered from 0 in their order, and operands are earlier nodes. Behind the shape
    /// stand the name, the scopes, what numbers of the node were read off (the rule of a node, or the
    /// extents of a value along these axes: see [`Network::reinferred`]) and the source line. A node without a source line gets its own
    /// line of the text, in a file called `tape`.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::<Tensor<f64>>::parse(
    ///     "tape 1 f64
    ///      %0 = input dense [1.0, 2.0] : [2]  \"x\"
    ///      %1 = exp %0 : [2]
    ///      %2 = sum %1 : []  \"total\"",
    /// )
    /// .unwrap();
    /// let (x, total) = (network.find("x").unwrap(), network.find("total").unwrap());
    /// let evaluation = network.forward_with([(x, Tensor::from([0.0, 0.0]))]);
    /// assert_eq!(evaluation.of(total).item(), 2.0);
    /// ```
    ///
    /// # Errors
    ///
    /// Where the text is no tape of this payload, at the first place that shows it.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let network = Self::new();
        let mut lines = Lines::new(&network);
        let mut header = false;
        let mut last = 1;
        for (index, line) in text.split('\n').enumerate() {
            last = index + 1;
            let mut cursor = Cursor::new(line, last);
            if cursor.peek().is_none() {
                continue;
            }
            if header {
                lines.read(&mut cursor)?;
            } else {
                read_header::<P>(&mut cursor)?;
                header = true;
            }
            cursor.end("the end of the line")?;
        }
        if !header {
            let expected = expected_header::<P>();
            return Err(ParseError::new(
                (last, 1),
                ParseErrorKind::Header,
                expected,
                "the end of the text",
            ));
        }
        Ok(network)
    }
}

/// [`Network::parse`].
impl<P: Tensorial> FromStr for Network<P> {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::parse(text)
    }
}

fn expected_header<P: Tensorial>() -> String {
    format!("the header `tape {VERSION} {}`", P::Element::NAME)
}

fn read_header<P: Tensorial>(cursor: &mut Cursor<'_>) -> Result<(), ParseError> {
    let start = cursor.place();
    if cursor.word() != Some("tape") {
        return Err(cursor.error_at(start, ParseErrorKind::Header, expected_header::<P>()));
    }
    let version = cursor.place();
    if cursor.number("the version of the format")? != VERSION {
        let expected = format!("version {VERSION}, the one that this crate reads");
        return Err(cursor.error_at(version, ParseErrorKind::Version, expected));
    }
    let element = cursor.place();
    if cursor.text("the name of the element type")? != P::Element::NAME {
        let expected = format!("the element type `{}`", P::Element::NAME);
        return Err(cursor.error_at(element, ParseErrorKind::Element, expected));
    }
    Ok(())
}
