//! Correctly rounded values, and digests that pin every bit.
//!
//! Invariant: a digest changes only with a line in the changelog under "Bits".
//! Place: the lattices cross all binades; NaN is canonicalised.

use super::{ulps, ulps32};
use crate::math::{f32 as s, f64 as d};

/// Function, input and correctly rounded result in bits (MPFR, 400 bits).
#[rustfmt::skip]
const PAIRS_F32: &[(&str, u32, u32)] = &[
    ("exp", 0x3F80_0000, 0x402D_F854),
    ("exp", 0xBF00_0000, 0x3F1B_4598),
    ("exp", 0x3EB1_758E, 0x3FB5_062C),
    ("exp", 0xC1A2_0000, 0x30DC_9EF1),
    ("exp", 0x42AF_0000, 0x7E96_BAB3),
    ("exp", 0xC42F_0800, 0x0000_0000),
    ("exp", 0x3851_B717, 0x3F80_01A3),
    ("exp_m1", 0x3F80_0000, 0x3FDB_F0A9),
    ("exp_m1", 0xBF00_0000, 0xBEC9_74D0),
    ("exp_m1", 0x3EB8_51EC, 0x3EDD_DD5B),
    ("exp_m1", 0x3727_C5AC, 0x3727_C5E3),
    ("exp_m1", 0xC070_0000, 0xBF79_FABE),
    ("exp_m1", 0x41F4_0000, 0x5580_31FA),
    ("ln", 0x4040_0000, 0x3F8C_9F54),
    ("ln", 0x4120_0000, 0x4013_5D8E),
    ("ln", 0x3F33_3333, 0xBEB6_9E1A),
    ("ln", 0x3FB4_7AE1, 0x3EAF_EAFD),
    ("ln", 0x3F7F_BE77, 0xBA83_22CA),
    ("ln", 0x1E3C_E508, 0xC238_34F1),
    ("ln", 0x47F1_2060, 0x413B_940E),
    ("ln_1p", 0x4040_0000, 0x3FB1_7218),
    ("ln_1p", 0xBE94_7AE1, 0xBEAF_5AE3),
    ("ln_1p", 0x3ECC_CCCD, 0x3EAC_4617),
    ("ln_1p", 0x3727_C5AC, 0x3727_C575),
    ("ln_1p", 0xBF40_0000, 0xBFB1_7218),
    ("ln_1p", 0xB089_705F, 0xB089_705F),
    ("ln_1p", 0x5015_02F9, 0x41B8_34F1),
    ("tanh", 0x3F00_0000, 0x3EEC_9A9F),
    ("tanh", 0x3E31_758E, 0x3E2F_B429),
    ("tanh", 0xBC23_D70A, 0xBC23_D5A4),
    ("tanh", 0x4020_0000, 0x3F7C_92C1),
    ("tanh", 0x4104_0000, 0x3F7F_FFFE),
    ("tanh", 0xC198_0000, 0xBF80_0000),
    ("sin", 0x3F80_0000, 0x3F57_6AA4),
    ("sin", 0x4049_0FDB, 0xB3BB_BD2E),
    ("sin", 0xBF48_F5C3, 0xBF34_F27F),
    ("sin", 0x4431_8000, 0x387C_DE82),
    ("sin", 0x4974_2400, 0xBEB3_3259),
    ("sin", 0x6407_8678, 0xBF3B_ECC4),
    ("sin", 0xFF61_B1E6, 0xBF5F_F9C4),
    ("cos", 0x3F80_0000, 0x3F0A_5140),
    ("cos", 0x3FC9_0FDB, 0xB33B_BD2E),
    ("cos", 0xBF48_F5C3, 0x3F35_1765),
    ("cos", 0x4431_8000, 0x3F80_0000),
    ("cos", 0x4974_2400, 0x3F6F_CEFD),
    ("cos", 0x6407_8678, 0x3F2D_D6F7),
    ("cos", 0xFF61_B1E6, 0xBEF7_F57C),
    ("erf", 0x3DCC_CCCD, 0x3DE6_52F5),
    ("erf", 0x3F40_0000, 0x3F36_0E4C),
    ("erf", 0xBF80_0000, 0xBF57_BB3D),
    ("erf", 0x3FA6_6666, 0x3F6F_1B25),
    ("erf", 0x4010_0000, 0x3F7F_A024),
    ("erf", 0x4060_0000, 0x3F7F_FFF4),
    ("erf", 0x40A0_0000, 0x3F80_0000),
];

/// Function, input and correctly rounded result in bits (MPFR, 400 bits).
#[rustfmt::skip]
const PAIRS_F64: &[(&str, u64, u64)] = &[
    ("exp", 0x3FF0_0000_0000_0000, 0x4005_BF0A_8B14_5769),
    ("exp", 0xBFE0_0000_0000_0000, 0x3FE3_68B2_FC6F_960A),
    ("exp", 0x3FD6_2EB1_C432_CA58, 0x3FF6_A0C5_906B_C779),
    ("exp", 0xC034_4000_0000_0000, 0x3E1B_93DE_1E27_CA3B),
    ("exp", 0x4055_E000_0000_0000, 0x47D2_D756_6D26_536B),
    ("exp", 0xC085_E100_0000_0000, 0x00CE_8CFC_0420_616B),
    ("exp", 0x3F0A_36E2_EB1C_432D, 0x3FF0_0034_6E1B_BCD2),
    ("exp_m1", 0x3FF0_0000_0000_0000, 0x3FFB_7E15_1628_AED3),
    ("exp_m1", 0xBFE0_0000_0000_0000, 0xBFD9_2E9A_0720_D3EC),
    ("exp_m1", 0x3FD7_0A3D_70A3_D70A, 0x3FDB_BBAB_4BFB_9D7E),
    ("exp_m1", 0x3EE4_F8B5_88E3_68F1, 0x3EE4_F8BC_681C_DFB6),
    ("exp_m1", 0xC00E_0000_0000_0000, 0xBFEF_3F57_B655_8797),
    ("exp_m1", 0x403E_8000_0000_0000, 0x42B0_063F_4E68_7AA2),
    ("ln", 0x4008_0000_0000_0000, 0x3FF1_93EA_7AAD_030B),
    ("ln", 0x4024_0000_0000_0000, 0x4002_6BB1_BBB5_5516),
    ("ln", 0x3FE6_6666_6666_6666, 0xBFD6_D3C3_24E1_3F50),
    ("ln", 0x3FF6_8F5C_28F5_C28F, 0x3FD5_FD5F_ABE6_4084),
    ("ln", 0x3FEF_F7CE_D916_872B, 0xBF50_6467_0D97_9B73),
    ("ln", 0x3BC7_9CA1_0C92_4223, 0xC047_069E_2AA2_AA5B),
    ("ln", 0x40FE_240C_0000_0000, 0x4027_7281_C03F_18B4),
    ("ln_1p", 0x4008_0000_0000_0000, 0x3FF6_2E42_FEFA_39EF),
    ("ln_1p", 0xBFD2_8F5C_28F5_C28F, 0xBFD5_EB5C_7907_E4C8),
    ("ln_1p", 0x3FD9_9999_9999_999A, 0x3FD5_88C2_D913_3490),
    ("ln_1p", 0x3EE4_F8B5_88E3_68F1, 0x3EE4_F8AE_A9AE_7317),
    ("ln_1p", 0xBFE8_0000_0000_0000, 0xBFF6_2E42_FEFA_39EF),
    ("ln_1p", 0xBE11_2E0B_E826_D695, 0xBE11_2E0B_E84B_BB51),
    ("ln_1p", 0x4202_A05F_2000_0000, 0x4037_069E_2AA3_184E),
    ("tanh", 0x3FE0_0000_0000_0000, 0x3FDD_9353_D756_8AF3),
    ("tanh", 0x3FC6_2EB1_C432_CA58, 0x3FC5_F685_1A72_A671),
    ("tanh", 0xBF84_7AE1_47AE_147B, 0xBF84_7AB4_8AE4_595E),
    ("tanh", 0x4004_0000_0000_0000, 0x3FEF_9258_260A_71C2),
    ("tanh", 0x4020_8000_0000_0000, 0x3FEF_FFFF_B6B5_ECF3),
    ("tanh", 0xC033_0000_0000_0000, 0xBFEF_FFFF_FFFF_FFFF),
    ("sin", 0x3FF0_0000_0000_0000, 0x3FEA_ED54_8F09_0CEE),
    ("sin", 0x4009_21FB_5A7E_D197, 0xBE68_EA91_FAE5_9D9A),
    ("sin", 0xBFE9_1EB8_51EB_851F, 0xBFE6_9E4F_D79A_C743),
    ("sin", 0x4086_3000_0000_0000, 0x3F0F_9BD0_303F_6FAF),
    ("sin", 0x412E_8480_0000_0000, 0xBFD6_664B_2568_D867),
    ("sin", 0x4480_F0CF_064D_D592, 0xBFEB_453A_B76B_F397),
    ("sin", 0xC7EC_363C_BF21_F28A, 0x3F98_3F2A_8B78_2F80),
    ("cos", 0x3FF0_0000_0000_0000, 0x3FE1_4A28_0FB5_068C),
    ("cos", 0x3FF9_21FB_67EA_CAE5, 0xBE73_A69D_CCB9_6762),
    ("cos", 0xBFE9_1EB8_51EB_851F, 0x3FE6_A2EC_B934_B59A),
    ("cos", 0x4086_3000_0000_0000, 0x3FEF_FFFF_FF06_3930),
    ("cos", 0x412E_8480_0000_0000, 0x3FED_F9DF_9906_D32C),
    ("cos", 0x4480_F0CF_064D_D592, 0x3FE0_BE2C_EF01_C8F4),
    ("cos", 0xC7EC_363C_BF21_F28A, 0x3FEF_FDB4_0355_DF0A),
    ("erf", 0x3FB9_9999_9999_999A, 0x3FBC_CA5E_A24F_B334),
    ("erf", 0x3FE8_0000_0000_0000, 0x3FE6_C1C9_759D_0E5F),
    ("erf", 0xBFF0_0000_0000_0000, 0xBFEA_F767_A741_088B),
    ("erf", 0x3FF4_CCCC_CCCC_CCCD, 0x3FED_E364_A137_2D3A),
    ("erf", 0x4002_0000_0000_0000, 0x3FEF_F404_7603_19B4),
    ("erf", 0x400C_0000_0000_0000, 0x3FEF_FFFE_710D_565E),
    ("erf", 0x4014_0000_0000_0000, 0x3FEF_FFFF_FFFF_C9E8),
];

type Single = (&'static str, fn(f32) -> f32, u64);
type Double = (&'static str, fn(f64) -> f64, u64);

/// Functions of `f32` with the digest over the lattice.
const SINGLES: [Single; 10] = [
    ("exp", s::exp, 0x8049_2DE1_214B_2057),
    ("exp_m1", s::exp_m1, 0x65E0_4369_BC6A_876B),
    ("ln", s::ln, 0x8C3A_A953_47C7_9AC6),
    ("ln_1p", s::ln_1p, 0xDA03_6E07_DB9C_3558),
    ("tanh", s::tanh, 0x2113_A7CE_AFDC_8C6A),
    ("sigmoid", s::sigmoid, 0xA1D1_DBFE_6DEF_851B),
    ("sin", s::sin, 0xCDA0_8E6F_9482_41F5),
    ("cos", s::cos, 0xAE87_698D_D483_5203),
    ("erf", s::erf, 0xB513_7448_47C7_EC86),
    ("relu", s::relu, 0x9B68_6CBE_2412_975C),
];

/// Functions of `f64` with the digest over the lattice.
const DOUBLES: [Double; 10] = [
    ("exp", d::exp, 0xABF1_5751_442C_A035),
    ("exp_m1", d::exp_m1, 0x6BF1_F32E_BDD6_CC25),
    ("ln", d::ln, 0x528C_186A_9C3F_9AD3),
    ("ln_1p", d::ln_1p, 0xA03D_F05C_5823_C7E9),
    ("tanh", d::tanh, 0x659C_D8CF_D9A8_A00B),
    ("sigmoid", d::sigmoid, 0xA1CB_4D6C_2C15_31D4),
    ("sin", d::sin, 0x62F5_C3BD_2372_9552),
    ("cos", d::cos, 0x4905_1A28_E86F_6587),
    ("erf", d::erf, 0x9285_9D4E_A849_8E7D),
    ("relu", d::relu, 0xA47B_9790_0528_CC4D),
];

/// A multiplicative digest over 64-bit words, high bits folded back.
fn fold(digest: u64, word: u64) -> u64 {
    let mixed = (digest ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ (mixed >> 32)
}

const START: u64 = 0xCBF2_9CE4_8422_2325;

fn canonical(x: f64) -> u64 {
    if x.is_nan() { 0x7FF8_0000_0000_0000 } else { x.to_bits() }
}

/// Words spread over all exponents and, in every third, over ordinary numbers.
fn lattice() -> impl Iterator<Item = u64> {
    (0..6000u64).map(|i| {
        let spread = i.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        if i % 3 == 0 { spread } else { (spread >> 9) | (0x3F + (i & 1)) << 56 & spread << 1 }
    })
}

#[test]
fn golden_singles() {
    for &(name, x, y) in PAIRS_F32 {
        let found = SINGLES.iter().find(|row| row.0 == name).map(|row| row.1(f32::from_bits(x)));
        let found = found.expect("invariant: the function is listed");
        assert!(ulps32(found, f32::from_bits(y)) <= 1, "{name}({x:#x}) = {found:e}");
    }
}

#[test]
fn golden_doubles() {
    for &(name, x, y) in PAIRS_F64 {
        let found = DOUBLES.iter().find(|row| row.0 == name).map(|row| row.1(f64::from_bits(x)));
        let found = found.expect("invariant: the function is listed");
        assert!(ulps(found, f64::from_bits(y)) <= 1, "{name}({x:#x}) = {found:e}");
    }
}

#[test]
fn digests() {
    let mut report = String::new();
    let mut check = |name: &str, found: u64, wanted: u64| {
        if found != wanted {
            report += &format!("{name}: {found:#018X}\n");
        }
    };
    for (name, f, wanted) in SINGLES {
        let digest = lattice()
            .fold(START, |h, w| fold(h, canonical(f64::from(f(f32::from_bits((w >> 32) as u32))))));
        check(&format!("f32 {name}"), digest, wanted);
    }
    for (name, f, wanted) in DOUBLES {
        let digest = lattice().fold(START, |h, w| fold(h, canonical(f(f64::from_bits(w)))));
        check(&format!("f64 {name}"), digest, wanted);
    }
    let pairs = || {
        lattice().zip(lattice().skip(7)).map(|(a, b)| {
            let x = f64::from_bits(a);
            let y = (b >> 40) as f64 / 65536.0 - 128.0;
            (x, if b & 3 == 0 { (y * 0.25) as i32 as f64 } else { y })
        })
    };
    let digest =
        pairs().fold(START, |h, (x, y)| fold(h, canonical(f64::from(s::powf(x as f32, y as f32)))));
    check("f32 powf", digest, POWF_F32);
    let digest = pairs().fold(START, |h, (x, y)| fold(h, canonical(d::powf(x, y))));
    check("f64 powf", digest, POWF_F64);
    assert!(report.is_empty(), "digests moved:\n{report}");
}

const POWF_F32: u64 = 0x4225_F3A9_9F55_F6C1;
const POWF_F64: u64 = 0x81CB_3570_4742_1E5A;
