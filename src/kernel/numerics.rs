//! `Numerics`: whether products give the specified bits or whatever the machine is fastest at.

/// How the sums of products round: of matrices, and over the windows of images.
///
/// # Example
///
/// ```
/// assert_eq!(poorgrad::Numerics::default(), poorgrad::Numerics::Exact);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Numerics {
    /// In the specified order, with two roundings a term: the same bits on every machine.
    #[default]
    Exact,
    /// With one rounding a term where the machine has such an instruction, two elsewhere. Within
    /// `2 k eps sum |a| |b|` of the exact product; the same bits on any number of threads, but not on
    /// any machine.
    Fast,
}
