//! `Fingerprint`: 128 bits that tell two networks apart, the same on every platform.
//!
//! INVARIANT: what is hashed are names, numbers as 64-bit little-endian words and the bytes of
//! elements, each preceded by its length or of a fixed length, so that two different networks
//! never feed the same bytes. A change of what is hashed is a change of the format's version.

use super::VERSION;
use crate::graph::Network;
use crate::kernel::{Elementary, Lowering};
use crate::ops::Function;
use crate::payload::{Shape, Stored, Tensorial};
use std::fmt;
use xxhash_rust::xxh3::Xxh3;

/// A 128-bit digest (XXH3-128). It prints as 32 hexadecimal digits.
///
/// Equal networks have equal fingerprints on every platform, in every build and release of one
/// format version; different ones differ with overwhelming likelihood. It is no defence against
/// somebody who looks for two that agree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fingerprint(u128);

impl Fingerprint {
    /// The digest as a number.
    #[must_use]
    pub fn to_u128(self) -> u128 {
        self.0
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}

impl<P: Tensorial> Network<P> {
    /// The digest of this generation's bits: of everything that decides what a forward run
    /// computes when nothing is fed. It covers the element type and, for each node in order, the
    /// operation, its attributes, operands and shape, and the payload that a source holds, with
    /// the kind of its storage. Names, scopes and source lines do not count, and every NaN of
    /// `f32` and `f64` counts as the same, as platforms differ in their bits.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// let w = network.parameter(1.0_f64);
    /// let loss = w * w;
    /// let gradients = network.forward().backward(loss);
    /// let next = network.update(&gradients, |w, g| w - 0.1 * g);
    /// assert_ne!(next.fingerprint(), network.fingerprint());
    /// assert_eq!(next.structure_fingerprint(), network.structure_fingerprint());
    /// assert_eq!(next.fingerprint().to_string().len(), 32);
    /// ```
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        self.digest(true)
    }

    /// The digest of what is recorded, whatever the parameters and the inputs' defaults hold: two
    /// tapes that agree are the same function of inputs and parameters. Of a constant the payload
    /// counts; of a parameter the shape; of an input the shape, and whether it takes selections.
    /// All else is as for [`Network::fingerprint`].
    #[must_use]
    pub fn structure_fingerprint(&self) -> Fingerprint {
        self.digest(false)
    }

    fn digest(&self, state: bool) -> Fingerprint {
        let mut digest = Digest::default();
        digest.text("tape");
        digest.number(VERSION);
        digest.text(P::Element::NAME);
        digest.number(usize::from(state));
        for node in self.tape().nodes() {
            digest.text(node.function.name());
            let source = match &node.function {
                Function::Leaf(_) => true,
                Function::Input(_) | Function::Parameter(_) => state,
                function => {
                    let attributes = function.attributes();
                    digest.number(attributes.len());
                    for (name, value) in attributes {
                        digest.text(name);
                        digest.text(&value.to_string());
                    }
                    false
                }
            };
            digest.number(node.operands.len());
            node.operands.iter().for_each(|&operand| digest.number(operand as usize));
            digest.shape(&node.shape);
            digest.number(usize::from(node.selection));
            if let Some(payload) = self.payload_of(node).filter(|_| source) {
                digest.stored(&payload.stored());
            }
        }
        Fingerprint(digest.0.digest128())
    }
}

/// The digest that the short form prints of a long payload.
pub(super) fn digest<E: Elementary>(shape: &Shape, stored: &Stored<E>) -> u128 {
    let mut digest = Digest::default();
    digest.shape(shape);
    digest.stored(stored);
    digest.0.digest128()
}

#[derive(Default)]
struct Digest(Xxh3);

impl Digest {
    fn number(&mut self, number: usize) {
        self.0.update(&(number as u64).to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len());
        self.0.update(text.as_bytes());
    }

    fn shape(&mut self, shape: &Shape) {
        self.number(shape.rank());
        shape.iter().for_each(|&extent| self.number(extent));
    }

    fn stored<E: Elementary>(&mut self, stored: &Stored<E>) {
        match stored {
            Stored::Dense(elements) => {
                self.text("dense");
                self.number(elements.len());
                self.elements(elements);
            }
            Stored::Constant(element) => {
                self.text("constant");
                self.elements(std::slice::from_ref(element));
            }
            Stored::Selection(columns) => {
                self.text("selection");
                self.number(columns.len());
                columns.iter().for_each(|&column| self.number(column));
            }
            Stored::Bfloat16(bits) => {
                self.text("bf16");
                self.number(bits.len());
                bits.iter().for_each(|bits| self.0.update(&bits.to_le_bytes()));
            }
        }
    }

    fn elements<E: Elementary>(&mut self, elements: &[E]) {
        let mut bytes = Vec::with_capacity(E::BYTES);
        for element in elements {
            bytes.clear();
            match E::lowering() {
                Lowering::F32 if element.is_nan() => bytes.extend(0x7fc0_0000_u32.to_le_bytes()),
                Lowering::F64 if element.is_nan() => {
                    bytes.extend(0x7ff8_0000_0000_0000_u64.to_le_bytes());
                }
                _ => element.write_bytes(&mut bytes),
            }
            self.0.update(&bytes);
        }
    }
}
