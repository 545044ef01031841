//! `erf`, the error function.
//!
//! Invariant: odd symmetry is exact; the piece is chosen by value. Place: above
//! `exact` alone, no exponential is needed.
//!
//! Below 3/4, `x + x C(x^2)`. Above, `erf` is close to 1, so an absolute error is
//! enough: polynomials about the middles of a few pieces, whose coefficients
//! are selected lane by lane and evaluated once.

use super::{
    exact::{polynomial, polynomial_of},
    lanes::Lanes,
    value::Value,
};

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
    /// `erf(x) / x - 1` in `x^2` below 3/4.
    const ERF_SMALL: &'static [Self];
    /// The pieces from 3/4 upwards.
    const ERF_PIECES: &'static [Piece<Self>];
}

#[rustfmt::skip]
impl ErfTable for f32 {
    const ERF_HIGH: f32 = 4.0;
    const ERF_SMALL: &'static [f32] = &[
        0.12837917, -0.37612638, 0.11283779, -0.026864788, 0.005216844, -0.00083577854,
        9.4755436e-5,
    ];
    const ERF_PIECES: &'static [Piece<f32>] = &[
        Piece { start: 0.75, middle: 1.0, value: 0.8427008, rest: &[
            1.3513911e-8, 0.4151075, -0.4151075, 0.13836916, 0.06918481, -0.06918455, 0.004602066,
            0.0151535785, -0.004588667, -0.0018687723,
        ] },
        Piece { start: 1.25, middle: 1.75, value: 0.9866717, rest: &[
            -1.5702593e-8, 0.052774996, -0.09235609, 0.09015731, -0.04810709, 0.0066239405,
            0.009018421, -0.006055529, 0.0004708797, 0.0008842807,
        ] },
        Piece { start: 2.25, middle: 3.125, value: 0.9999901, rest: &[
            2.0088646e-9, 6.472348e-5, -0.00020265648, 0.0004008034, -0.00055464666, 0.0005719528,
            -0.0004625064, 0.0002797673, -9.786049e-5, 9.936263e-6,
        ] },
    ];
}

#[rustfmt::skip]
impl ErfTable for f64 {
    const ERF_HIGH: f64 = 6.0;
    const ERF_SMALL: &'static [f64] = &[
        0.1283791670955126, -0.37612638903183754, 0.11283791670955087, -0.026866170645118592,
        0.0052239776252242945, -0.0008548327001310345, 0.00012055331554311629,
        -1.49255896832411e-5, 1.6460389596221357e-6, -1.633331392299571e-7, 1.4414512294332159e-8,
        -9.504886665675627e-10,
    ];
    const ERF_PIECES: &'static [Piece<f64>] = &[
        Piece { start: 0.75, middle: 1.0, value: 0.8427007929497149, rest: &[
            -2.4800998298659975e-17, 0.4151074974205947, -0.4151074974205947, 0.1383691658068649,
            0.06918458290343246, -0.06918458290343249, 0.004612305526893033, 0.015154718159804471,
            -0.0047770307240816556, -0.0018851883704412596, 0.0012262875711715941,
            8.552400361694869e-5, -0.00020005489185609477, 1.871635558500831e-5,
            2.3703048750788816e-5, -5.47431770187467e-6, -2.0464843983894003e-6,
            8.191298685781373e-7,
        ] },
        Piece { start: 1.25, middle: 1.625, value: 0.9784437332399837, rest: &[
            -1.7027960854260174e-17, 0.08047225902251116, -0.13076742091158064,
            0.11484061964670861, -0.049718863159090416, -0.0021349248405997706,
            0.014414781131073508, -0.00618426151569843, -0.000576525429851974,
            0.0014106850399937167, -0.00035597923556852473, -0.00012566380547314864,
            8.79702873609846e-5, -4.269488010707184e-6, -1.0610020711442498e-5,
            2.8194105050465482e-6, 6.677930006853747e-7, -4.1073332321341065e-7,
        ] },
        Piece { start: 2.0, middle: 2.4375, value: 0.9994334567454198, rest: &[
            2.1489480891275712e-19, 0.0029657539001367375, -0.007229025131583239,
            0.010758581205443922, -0.01070234580028181, 0.0072072127936357614,
            -0.0030019015143190404, 0.0003746069373058711, 0.0004149884961105449,
            -0.0002976256778620834, 7.131696154345553e-5, 1.7096060443030264e-5,
            -1.77524367514177e-5, 4.2457502388195105e-6, 8.70618607451033e-7,
            -8.066893651446246e-7, 1.2173785182905477e-7, 4.9334454589334915e-8,
        ] },
        Piece { start: 2.875, middle: 3.4375, value: 0.9999988341746511, rest: &[
            -4.873381692682436e-17, 8.330192337094239e-6, -2.863503615873984e-5,
            6.284522708502374e-5, -9.847022200134527e-5, 0.00011654298711192801,
            -0.00010728011346974935, 7.761606723625999e-5, -4.3712713071918926e-5,
            1.8299638301762234e-5, -4.809842724744259e-6, 1.1699340831572561e-8,
            7.220088913469159e-7, -3.8363837738113915e-7, 9.335003381583368e-8,
            5.145027334441395e-9, -1.3385192065774982e-8, 4.1922043994238615e-9,
        ] },
        Piece { start: 4.0, middle: 5.0, value: 0.9999999999984626, rest: &[
            -2.378949901466029e-17, 1.5670829124178502e-11, -7.835418229436485e-11,
            2.559597017617179e-10, -6.137801150217913e-10, 1.1507256074461364e-9,
            -1.7542133615130477e-9, 2.23240422784282e-9, -2.4145357236817273e-9,
            2.247171358090391e-9, -1.8181263364743358e-9, 1.2890555207548391e-9,
            -7.9836873001308e-10, 4.2637242209009254e-10, -1.9965910785538943e-10,
            8.570282418888764e-11, -3.005394533336925e-11, 5.5664483106776446e-12,
        ] },
    ];
}

/// The constant that `pick` names in the piece of each lane.
#[inline(always)]
fn of_piece<L: Lanes>(x: Value<L>, pick: impl Fn(&Piece<L::Element>) -> L::Element) -> Value<L> {
    let pieces = L::Element::ERF_PIECES;
    let mut chosen = x.of(pick(&pieces[0]));
    let mut i = 1;
    while i < pieces.len() {
        chosen = x.lt(x.of(pieces[i].start)).select(chosen, x.of(pick(&pieces[i])));
        i += 1;
    }
    chosen
}

/// The error function.
///
/// Measured error at most 0.89 ulp in `f32` (all inputs), 0.89 in `f64`.
#[inline(always)]
pub fn erf<L: Lanes>(x: Value<L>) -> Value<L> {
    let magnitude = x.abs();
    let square = magnitude * magnitude;
    let tail = polynomial_of(square, square * square, L::Element::ERF_SMALL);
    let small = magnitude + magnitude * tail;

    let clamped = magnitude.at_most(x.of(L::Element::ERF_HIGH));
    let middle = of_piece(
        clamped,
        #[inline(always)]
        |piece| piece.middle,
    );
    let value = of_piece(
        clamped,
        #[inline(always)]
        |piece| piece.value,
    );
    let t = clamped - middle;
    let rest = polynomial(
        t,
        t * t,
        L::Element::ERF_PIECES[0].rest.len(),
        #[inline(always)]
        |k| {
            of_piece(
                clamped,
                #[inline(always)]
                |piece| piece.rest[k],
            )
        },
    );

    magnitude.lt(x.number(0.75)).select(small, value + rest).with_sign(x.sign())
}
