//! `erf`, the error function.
//!
//! Invariant: odd symmetry is exact; the piece is chosen by value. Place: above
//! `exact` alone, no exponential is needed.
//!
//! Below 1, `x + x C(x^2)`. Above, `erf` is close to 1, so an absolute error is
//! enough: polynomials about the middles of a few pieces, whose coefficients
//! are selected lane by lane and evaluated once.

use super::{exact::polynomial, lanes::Lanes, value::Value};

/// One polynomial for `erf(middle + t)`.
#[derive(Debug)]
pub struct Piece<E: 'static> {
    /// Where the piece starts; it ends where the next one starts.
    pub start: E,
    /// The centre of the expansion.
    pub middle: E,
    /// `erf(middle)`, rounded.
    pub value: E,
    /// The coefficients of `erf(middle + t) - value`, as many in all pieces.
    pub rest: &'static [E],
}

/// Constants of `erf`, from `tools/math_coefficients.py`.
pub trait ErfTable: Sized + 'static {
    /// Above it the result is 1.
    const ERF_HIGH: Self;
    /// `erf(x) / x - 1` in `x^2` below 1.
    const ERF_SMALL: &'static [Self];
    /// The pieces from 1 upwards.
    const ERF_PIECES: &'static [Piece<Self>];
}

impl ErfTable for f32 {
    const ERF_HIGH: f32 = 4.0;
    const ERF_SMALL: &'static [f32] = &[
        0.12837917,
        -0.37612638,
        0.11283782,
        -0.02686543,
        0.0052210316,
        -0.00084840803,
        0.00011265959,
        -9.667045e-6,
    ];
    const ERF_PIECES: &'static [Piece<f32>] = &[
        Piece {
            start: 1.0,
            middle: 1.5,
            value: 0.96610516,
            rest: &[
                -1.6309754e-8,
                0.11893029,
                -0.1783955,
                0.13875218,
                -0.044597074,
                -0.014870301,
                0.019307747,
                -0.0047048647,
                -0.0022882333,
                0.0015481627,
                -0.00017671255,
            ],
        },
        Piece {
            start: 2.125,
            middle: 3.0,
            value: 0.9999779,
            rest: &[
                2.5605722e-8,
                0.0001392161,
                -0.000417941,
                0.0007899916,
                -0.0010425556,
                0.001010411,
                -0.00074424583,
                0.00040814996,
                -0.00012737556,
                -8.571529e-6,
                1.4996344e-5,
            ],
        },
    ];
}

impl ErfTable for f64 {
    const ERF_HIGH: f64 = 6.0;
    const ERF_SMALL: &'static [f64] = &[
        0.1283791670955126,
        -0.37612638903183754,
        0.1128379167095512,
        -0.02686617064512984,
        0.0052239776254232985,
        -0.000854832702193483,
        0.00012055332902888736,
        -1.4925647567519332e-5,
        1.6462045441468418e-6,
        -1.6364642158167616e-7,
        1.4792401209404813e-8,
        -1.216456005728345e-9,
        8.709045129053106e-11,
        -4.230945824295338e-12,
    ];
    const ERF_PIECES: &'static [Piece<f64>] = &[
        Piece {
            start: 1.0,
            middle: 1.4375,
            value: 0.95794060605646,
            rest: &[
                3.216412012120675e-17,
                0.14289802537593801,
                -0.20541591147791058,
                0.14922424004101853,
                -0.03878295203689244,
                -0.022467074591107646,
                0.021107593787274854,
                -0.003319886831012567,
                -0.003329971549617902,
                0.0017092744575463283,
                0.00010057956054850734,
                -0.000305987286146115,
                5.8061044964487115e-5,
                3.031190294644649e-5,
                -1.3834265223924617e-5,
                -1.1041232373686976e-6,
                1.6817643260892941e-6,
                -1.5193784432321116e-7,
            ],
        },
        Piece {
            start: 1.875,
            middle: 2.375,
            value: 0.9992170617821089,
            rest: &[
                -1.5105253257002624e-17,
                0.004006477861670219,
                -0.009515384921466282,
                0.013730533505099006,
                -0.0131332135635351,
                0.008357392833776414,
                -0.0031140790409943625,
                0.00012326962848155737,
                0.0005941112658710861,
                -0.0003375278435923098,
                5.470645115114615e-5,
                3.160883465500354e-5,
                -2.0804117059593314e-5,
                3.1424077763315617e-6,
                1.6907814494771403e-6,
                -9.194407016117871e-7,
                4.6811732070266673e-8,
                7.867489202035099e-8,
            ],
        },
        Piece {
            start: 2.875,
            middle: 3.4375,
            value: 0.9999988341746511,
            rest: &[
                -4.8743595131324076e-17,
                8.330192337095384e-6,
                -2.863503615873577e-5,
                6.284522708484737e-5,
                -9.847022200162207e-5,
                0.0001165429871198332,
                -0.00010728011346260647,
                7.761606707748206e-5,
                -4.371271316215136e-5,
                1.829963999044089e-5,
                -4.809842107284525e-6,
                1.1689164957461613e-8,
                7.220065552586991e-7,
                -3.836034891632483e-7,
                9.335462862544768e-8,
                5.08161065811888e-9,
                -1.338885866241924e-8,
                4.239636754260584e-9,
            ],
        },
        Piece {
            start: 4.0,
            middle: 5.0,
            value: 0.9999999999984626,
            rest: &[
                -2.4097897227895206e-17,
                1.5670863069121574e-11,
                -7.835414488800324e-11,
                2.559580469573351e-10,
                -6.13780855874189e-10,
                1.1507490981832716e-9,
                -1.7542077899777294e-9,
                2.2322547005723704e-9,
                -2.414556231766593e-9,
                2.24767559547721e-9,
                -1.8180854905115246e-9,
                1.2880917091400186e-9,
                -7.984136205410669e-10,
                4.2742093575962434e-10,
                -1.996335314314108e-10,
                8.509791716427474e-11,
                -3.005983570075221e-11,
                5.71007705610724e-12,
            ],
        },
    ];
}

/// The constant that `pick` names in the piece of each lane.
#[inline(always)]
fn of_piece<L: Lanes>(x: Value<L>, pick: impl Fn(&Piece<L::Element>) -> L::Element) -> Value<L> {
    let mut chosen = x;
    for (i, piece) in L::Element::ERF_PIECES.iter().enumerate() {
        let here = x.of(pick(piece));
        chosen = if i == 0 { here } else { x.lt(x.of(piece.start)).select(chosen, here) };
    }
    chosen
}

/// The error function.
#[inline(always)]
pub fn erf<L: Lanes>(x: Value<L>) -> Value<L> {
    let magnitude = x.abs();
    let small = magnitude + magnitude * polynomial(magnitude * magnitude, L::Element::ERF_SMALL);

    let clamped = magnitude.at_most(x.of(L::Element::ERF_HIGH));
    let t = clamped - of_piece(clamped, |piece| piece.middle);
    let terms = L::Element::ERF_PIECES.first().map_or(0, |piece| piece.rest.len());
    let mut rest = x.number(0.0);
    for k in (0..terms).rev() {
        let term = of_piece(clamped, |piece| piece.rest[k]);
        rest = if k + 1 == terms { term } else { rest * t + term };
    }
    let large = of_piece(clamped, |piece| piece.value) + rest;

    magnitude.lt(x.number(1.0)).select(small, large).with_sign(x.sign())
}
