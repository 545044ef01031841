//! Faults seeded into a copy of the repository, one at a time: each must make a test fail.
//!
//! What a comparison with the definitions is worth shows in what it catches. The table is written by
//! hand: a wrong order, a forgotten edge, a lane mixed up, where fast code usually goes wrong.

use std::{fs, path::Path, process::Command};

use crate::run::{Outcome, heading, root};

/// A file below `src/kernel`, what stands there once, and what is put in its place.
const FAULTS: &[(&str, &str, &str)] = &[
    // Products.
    ("native/gemm/tile.rs", "at += left.step;", "at += 1;"),
    (
        "native/gemm/tile.rs",
        "term::<R, FUSED>(token, sums[i][j], a, registers[j])",
        "term::<R, FUSED>(token, sums[0][j], a, registers[j])",
    ),
    ("native/gemm/blocks.rs", "first: start == 0", "first: true"),
    ("native/gemm/blocks.rs", "KB.min(k - start)", "KB.min(k)"),
    ("native/gemm/blocks.rs", "&& b.row >= n", "&& b.row + 1 >= n"),
    ("native/gemm/output.rs", "&lines[i][j]", "&lines[0][j]"),
    ("native/gemm/pack.rs", "if width == to.len()", "if width <= to.len()"),
    ("native/gemm/pack.rs", "start * b.row + (column + first + j)", "start * b.row + (column + j)"),
    ("native/gemm/dots.rs", "token.add(total, sum) }", "token.add(token.add(total, sum), sum) }"),
    ("native/gemm/dots.rs", "let mut sum = zero;", "let mut sum = total;"),
    ("native/gemm/rows.rs", "let sums = if start == 0", "let sums = if start <= KB"),
    ("native/gemm/blocks.rs", "start / KB % kept * packed", "start / KB % 1 * packed"),
    ("native/gemm/blocks.rs", "if k <= KB { n } else { usize::MAX }", "n"),
    (
        "native/gemm/mod.rs",
        "for block in others.chunks_exact(size)",
        "for block in others.rchunks_exact(size)",
    ),
    ("native/gemm/mod.rs", "terms.start * self.b.row", "terms.start * self.b.column"),
    ("native/gemm/mod.rs", "a.mul(&b[j])", "a.mul(&b[0])"),
    // Sums and maxima.
    ("native/reduce.rs", "registers[i][row * PER + p]", "registers[i][row * PER]"),
    ("native/reduce.rs", "splat(elements[start + i * length])", "splat(R::Element::exact(0.0))"),
    (
        "native/sum.rs",
        "while half > 0 {\n        let (low, high)",
        "while half > 1 {\n        let (low, high)",
    ),
    ("native/sum.rs", "lines(elements, SB, sums)", "lines(elements, SB / 2, sums)"),
    ("native/sum.rs", "rows[l..].iter().step_by(LANES)", "rows[l / 2..].iter().step_by(LANES)"),
    ("native/sum.rs", "sums[i] = E::zero().add(&a[i])", "sums[i] = sums[i].add(&a[i])"),
    ("native/seen.rs", "self.common = token.and(self.common, token.to_bits(x));", ""),
    ("native/seen.rs", "self.total = token.add(self.total, magnitude(token, x));", ""),
    ("native/columns.rs", "start.min(width - R::WIDTH)", "start.min(width - R::WIDTH) / 2"),
    ("native/maximum.rs", "out[start + places_of_line[first]]", "out[start + first]"),
    // Maps.
    ("native/lanes.rs", "padded[..from.len() - whole].copy_from_slice(&from[whole..]);", ""),
    (
        "native/pointwise.rs",
        "[0, 1] => {\n                    let a = a[0].clone();",
        "[0, 1] => {\n                    let a = a[i.min(1)].clone();",
    ),
    ("native/map.rs", "if condition[k].is_zero()", "if !condition[k].is_zero()"),
    ("simd/vector.rs", "self.simd.$min(constant, a)", "self.simd.$min(a, constant)"),
    // Passes over registers.
    ("native/chain/fused.rs", "|a, x| x - a", "|a, x| a - x"),
    ("native/chain/fused.rs", "sum[i] = sum[i + TOGETHER];", "sum[i] = sum[i];"),
    ("native/chain/fused.rs", "slot.from(at)..]", "slot.from(0)..]"),
    ("chain/fold.rs", "here && !readers.more && ", "here && "),
    ("chain/fold.rs", "home.get(*slot) != Some(&number)", "home.get(*slot).is_none()"),
    ("native/index.rs", "from.last_chunk::<N>()", "from.first_chunk::<N>()"),
    // Movement.
    ("native/transpose.rs", "(column + R::ORDER[j]) * stride", "(column + j) * stride"),
    ("native/short.rs", "out[row * place..]", "out[row * L..]"),
    ("native/short.rs", "&from[l * rows.stride..]", "&from[l / 2 * rows.stride..]"),
    ("native/transpose.rs", "let top = row.min(rows - 4);", "let top = row.min(rows - 4) / 2;"),
    (
        "walk.rs",
        "at[i] = at[i].wrapping_sub(extent.wrapping_mul(strides[i]));",
        "at[i] = at[i].wrapping_sub(strides[i]);",
    ),
    // Windows.
    (
        "native/window/classes.rs",
        "if run.others == others =>",
        "if run.others.end == others.end =>",
    ),
    ("native/window/forward.rs", "padded && finite(manner.level, weights)", "padded"),
    ("native/window/weights.rs", " && finite(level, cotangent)", ""),
    ("native/window/filters.rs", "block == 0", "true"),
    ("native/window/apart.rs", "down.others.clone().rev()", "down.others.clone()"),
    ("native/window/stacked.rs", "((y + top) * count + left)", "((y + top) * count)"),
    ("native/window/periods.rs", "if start % KB == 0 {", "if start == 0 {"),
    (
        "native/window/periods.rs",
        "((r - touched.start) * padded.size() + padded",
        "((r - r) * padded.size() + padded",
    ),
    ("native/lines.rs", "starts.chunks(each)", "starts.rchunks(each)"),
    (
        "native/window/pairs.rs",
        "copy(below, &mut rows[width..]);",
        "copy(above, &mut rows[width..]);",
    ),
];

/// Seeds every fault in the files whose names contain one of `only`, all where that is empty, and reports those
/// that no test of the kernels caught.
pub fn faults(only: &[&str]) -> Outcome {
    stand()?;
    let copy = root().join("target").join("faults");
    let built = root().join("target").join("faults-built");
    heading("faults seeded into the kernels");
    let _ = fs::remove_dir_all(&copy);
    replicate(&root(), &copy)?;
    if !passes(&copy, &built)? {
        return Err("xtask: the kernels' tests fail without any fault".to_string());
    }
    let mut missed = Vec::new();
    let wanted = |file: &str| only.is_empty() || only.iter().any(|word| file.contains(word));
    let faults: Vec<_> = FAULTS.iter().filter(|(file, ..)| wanted(file)).collect();
    for &(file, from, to) in &faults {
        let path = copy.join("src/kernel").join(file);
        let sound = fs::read_to_string(&path).map_err(|error| format!("xtask: {file}: {error}"))?;
        fs::write(&path, sound.replace(from, to)).map_err(|error| error.to_string())?;
        let caught = !passes(&copy, &built)?;
        fs::write(&path, sound).map_err(|error| error.to_string())?;
        let from = from.lines().next().unwrap_or_default();
        println!("{} {file}: `{from}`", if caught { "caught" } else { "MISSED" });
        if !caught {
            missed.push(file);
        }
    }
    println!("{} of {} faults caught", faults.len() - missed.len(), faults.len());
    if missed.is_empty() { Ok(()) } else { Err(format!("xtask: not caught: {missed:?}")) }
}

/// Whether what each fault takes away stands once in its file.
fn stand() -> Outcome {
    for (file, from, _) in FAULTS {
        let path = root().join("src/kernel").join(file);
        let sound = fs::read_to_string(&path).map_err(|error| format!("xtask: {file}: {error}"))?;
        if sound.matches(from).count() != 1 {
            return Err(format!(
                "xtask: {file}: `{from}` does not stand there once; mend the table"
            ));
        }
    }
    Ok(())
}

/// Whether the kernels' tests pass. A fault that does not compile counts as an error of the table.
fn passes(copy: &Path, built: &Path) -> Outcome<bool> {
    let run = |arguments: &[&str]| {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = Command::new(cargo);
        command.args(arguments).current_dir(copy).env("CARGO_TARGET_DIR", built);
        command.output().map_err(|error| format!("xtask: cargo can't be started: {error}"))
    };
    let building = run(&["test", "--quiet", "--package", "poorgrad", "--lib", "--no-run"])?;
    if !building.status.success() {
        return Err(String::from_utf8_lossy(&building.stderr).into_owned());
    }
    Ok(run(&["test", "--quiet", "--package", "poorgrad", "--lib", "kernel"])?.status.success())
}

/// Copies what cargo needs.
fn replicate(from: &Path, to: &Path) -> Outcome {
    fs::create_dir_all(to).map_err(|error| error.to_string())?;
    let entries = fs::read_dir(from).map_err(|error| error.to_string())?;
    for entry in entries.flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        if [".git", "target"].iter().any(|skipped| name == *skipped) {
            continue;
        }
        if path.is_dir() {
            replicate(&path, &to.join(name))?;
        } else {
            fs::copy(&path, to.join(name)).map_err(|error| error.to_string())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_fault_stands_in_its_file_once() {
        assert_eq!(super::stand(), Ok(()));
    }
}
