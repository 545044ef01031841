//! A shape as it stands in the text.
//!
//! COST: an extent is two bytes of text and eight of a shape. What a line says of the shape that its
//! operation gives is compared where it stands, so that a shape takes memory once, and is no part of
//! what reading takes besides.

use super::cursor::{Cursor, Mark};
use super::error::ParseError;
use super::payload::read_items;
use crate::payload::Shape;

/// `[extent, ..]` behind a colon: read, and known to hold numbers.
pub(super) struct WrittenShape<'t> {
    /// Where it begins.
    pub(super) at: Mark,
    text: &'t str,
    rank: usize,
}

impl<'t> WrittenShape<'t> {
    pub(super) fn read(cursor: &mut Cursor<'t>) -> Result<Self, ParseError> {
        cursor.expect(b':', "`:` and the shape")?;
        let (at, mut rank) = (cursor.place(), 0);
        read_items(cursor, "a shape, such as [2, 3]", |cursor| {
            rank += 1;
            cursor.number("an extent").map(|_| ())
        })?;
        Ok(Self { at, text: cursor.since(at), rank })
    }

    fn extents(&self) -> impl Iterator<Item = usize> {
        let numbers = self.text.trim_matches(['[', ']']).split(',').take(self.rank);
        numbers.map(|number| number.trim().parse().expect("invariant: it was read as a number"))
    }

    pub(super) fn shape(&self) -> Shape {
        let mut extents = self.extents();
        let extent = |_| extents.next().expect("invariant: as many extents as were counted");
        Shape::from_fn(self.rank, extent)
    }

    /// Whether it is this one.
    pub(super) fn is(&self, shape: &Shape) -> bool {
        self.rank == shape.rank() && self.extents().eq(shape.iter().copied())
    }
}
