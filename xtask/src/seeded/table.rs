//! The faults that tests of the kernels must catch, written by hand: a wrong order, a forgotten edge, a lane mixed
//! up, where fast code usually goes wrong.

/// A file below `src/kernel`; a text that stands there once, in which `«` and `»` enclose an expression or
/// whole statements; and what is put in the place of these.
pub const FAULTS: &[(&str, &str, &str)] = &[
    // Products.
    ("native/gemm/tile.rs", "at += «left.step»;", "1"),
    ("native/gemm/tile.rs", "term::<R, FUSED>(token, sums[«i»][j], a, registers[j])", "0"),
    ("native/gemm/blocks.rs", "first: «start == 0»", "true"),
    ("native/gemm/blocks.rs", "KB.min(«k - start»)", "k"),
    ("native/gemm/panels.rs", "self.roomy || «width == registers * R::WIDTH»;", "true"),
    ("native/gemm/blocks.rs", "start / KB % «kept» * packed", "1"),
    ("native/gemm/output.rs", "&lines[«i»][j]", "0"),
    ("native/gemm/output.rs", "if «alone»\n", "(alone || !first && !flipped)"),
    ("native/gemm/pack.rs", "if «width == to.len()»", "width <= to.len()"),
    ("native/gemm/pack.rs", "start * b.row + (column + «first» + j)", "0"),
    ("native/gemm/dots.rs", "«token.add(total, sum)» }", "token.add(token.add(total, sum), sum)"),
    ("native/gemm/dots.rs", "let mut sum = «zero»;", "total"),
    ("native/gemm/rows.rs", "let sums = if «start == 0»", "start <= KB"),
    (
        "native/gemm/mod.rs",
        "let (first, others) = sums.split_at(size);
        out.copy_from_slice(first);
        «for block in others.chunks_exact(size) {
            out.iter_mut().zip(block).for_each(|(sum, block)| *sum = sum.add(block));
        }»",
        "for block in others.rchunks_exact(size) {
            out.iter_mut().zip(block).for_each(|(sum, block)| *sum = sum.add(block));
        }",
    ),
    ("native/gemm/mod.rs", "terms.start * «self.b.row»", "self.b.column"),
    ("native/gemm/mod.rs", "a.mul(&b[«j»])", "0"),
    // Sums and maxima.
    ("native/reduce.rs", "registers[i][row * PER + «p»]", "0"),
    ("native/reduce.rs", "splat(«elements[start + i * length]»)", "R::Element::exact(0.0)"),
    ("native/sum.rs", "while «half > 0» {\n        let (low, high)", "half > 1"),
    ("native/sum.rs", "lines(elements, «SB», sums)", "SB / 2"),
    ("native/sum.rs", "rows[«l»..].iter().step_by(LANES)", "l / 2"),
    ("native/sum.rs", "sums[i] = «E::zero()».add(&a[i])", "sums[i].clone()"),
    ("native/seen.rs", "«self.common = token.and(self.common, token.to_bits(x));»", ""),
    ("native/seen.rs", "«self.total = token.add(self.total, magnitude(token, x));»", ""),
    ("native/columns.rs", "«start.min(width - R::WIDTH)»", "start.min(width - R::WIDTH) / 2"),
    ("native/maximum.rs", "out[start + «places_of_line[first]»]", "first"),
    // The softmax family.
    ("native/softmax/registers.rs", "let e = if «r + 1 == rows»", "false"),
    ("native/softmax/registers.rs", "token.add(sums[i % PER], e[«i»])", "0"),
    // Maps.
    ("native/pointwise.rs", "&other[«i * COPIED»..]", "0"),
    ("native/lanes.rs", "«padded[..from.len() - whole].copy_from_slice(&from[whole..]);»", ""),
    ("native/pointwise.rs", "[0, 1] => {\n                    let a = a[«0»].clone();", "i.min(1)"),
    ("native/map.rs", "if «condition[k].is_zero()»", "!condition[k].is_zero()"),
    ("simd/vector.rs", "«self.simd.$min(constant, a)»", "self.simd.$min(a, constant)"),
    // Passes over registers.
    ("native/chain/fused.rs", "|a, x| «x - a»", "a - x"),
    ("native/chain/fused.rs", "sum[i] = sum[«i + TOGETHER»];", "i"),
    ("native/chain/fused.rs", "slot.from(«at»)..]", "0"),
    ("chain/fold.rs", "here && «!readers.more» && ", "true"),
    ("chain/fold.rs", "«home[read] != number»", "home[read] == usize::MAX"),
    ("native/index.rs", "«from.last_chunk::<N>()»", "from.first_chunk::<N>()"),
    // Movement.
    ("native/transpose.rs", "(column + «R::ORDER[j]») * stride", "j"),
    ("native/short.rs", "out[row * «place»..]", "L"),
    ("native/short.rs", "&from[«l» * rows.stride..]", "l / 2"),
    ("native/transpose.rs", "(row + SIDE).min(«rows») - top", "rows - 1"),
    ("walk.rs", "at[i].wrapping_sub(«extent.wrapping_mul(strides[i])»);", "strides[i]"),
    // Windows.
    ("native/window/classes.rs", "if «run.others == others» =>", "run.others.end == others.end"),
    ("native/window/forward.rs", "padded && «finite(manner.level, weights)»", "true"),
    ("native/window/weights.rs", "&& «finite(level, cotangent)»", "true"),
    ("native/window/filters.rs", "«block == 0»", "true"),
    (
        "native/window/apart.rs",
        "self.dots::<R, FUSED, MR, NV>(token, row, column, [«p», q])",
        "down.others.start + down.others.end - 1 - p",
    ),
    ("native/window/stacked.rs", "((y + top) * count + «left»)", "0"),
    ("native/window/periods.rs", "if «start % KB == 0» {", "start == 0"),
    ("native/window/periods.rs", "((r - «touched.start») * padded.size() + padded", "r"),
    (
        "native/lines.rs",
        "let work = «out.chunks_mut(each).zip(starts.chunks(each)).collect()»;",
        "out.chunks_mut(each).zip(starts.rchunks(each)).collect()",
    ),
    ("native/window/pairs.rs", "copy(«below», &mut rows[width..]);", "above"),
];
