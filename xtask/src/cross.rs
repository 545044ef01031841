//! The golden tests on processors that this machine is not, under QEMU's user mode, and compiled for
//! the one that it is.
//!
//! The same binaries run on the processor models below: the features they detect differ, the bits
//! must not. AArch64 needs a second compiler, which `tools/cross-toolchain` unpacks. A compiler that
//! may use every instruction of this machine may fuse no multiplication with an addition either. A level
//! that can't run is a failure.

use std::process::Command;

use crate::{
    ci::{GOLDENS, target},
    run::{Outcome, Tally, cargo, checked, heading, quietly, root, run, tests},
};

/// QEMU's processor models, and the vector instructions each stands for.
const MODELS: [(&str, &str); 2] = [("Haswell", "AVX2 and FMA"), ("Nehalem", "SSE4.2")];

/// The golden tests on older x86-64 processors.
pub fn x86() -> Outcome<Tally> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        return Err("xtask: `cross x86` needs x86-64 Linux".to_owned());
    }
    needs("qemu-x86_64", "qemu-user")?;
    let mut tally = Tally::default();
    for (model, features) in MODELS {
        let title = format!("goldens on {model} ({features})");
        let runner = format!("qemu-x86_64 -cpu {model}");
        let mut command = cargo(&GOLDENS);
        command.env("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER", runner);
        // As the release tests are built: they have been built already.
        tally = tally + tests(&title, checked(&mut command))?.not_empty(&title)?;
    }
    Ok(tally)
}

/// The golden tests, compiled for this very processor: all of the crate with the instructions that
/// otherwise only kernels choose at run time.
pub fn native() -> Outcome<Tally> {
    let title = "goldens compiled for this processor";
    let mut command = cargo(&NATIVE);
    // Its own folder: the flag changes every crate, and would throw the other builds away.
    let folder = target().join("native");
    command.env("RUSTFLAGS", "-C target-cpu=native").env("CARGO_TARGET_DIR", folder);
    tests(title, &mut command)?.not_empty(title)
}

/// The golden tests of the two programs that have any but those of files.
const NATIVE: [&str; 9] =
    ["test", "--package", "poorgrad", "--release", "--lib", "--test", "suite", "--", "golden"];

/// The golden tests on AArch64.
pub fn arm() -> Outcome<Tally> {
    if !cfg!(target_os = "linux") {
        return Err("xtask: `cross arm` needs Linux".to_owned());
    }
    needs("qemu-aarch64", "qemu-user")?;
    needs("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu libc6-dev-arm64-cross")?;
    let folder = target().join("cross-toolchain");
    if folder.join("env").exists() {
        heading("toolchain for AArch64: already unpacked");
    } else {
        run(
            "toolchain for AArch64",
            Command::new(root().join("tools/cross-toolchain")).arg(&folder),
        )?;
    }
    let title = "goldens on AArch64 (NEON)";
    // A folder of its own: another compiler's builds would throw this one's away. The file `env` is
    // made for a shell, so a shell reads it; the compiler in it is older or newer than the one that
    // the manifest's `rust-version` is about, hence the last option.
    let script = r#". "$1"; shift; exec "$@""#;
    let mut command = Command::new("bash");
    command
        .args(["-euc", script, "cross"])
        .arg(folder.join("env"))
        .arg("cargo")
        .args(&GOLDENS[..6])
        .args(["--target", "aarch64-unknown-linux-gnu", "--ignore-rust-version", "--", "golden"])
        .env("CARGO_TARGET_DIR", target().join("cross"))
        .current_dir(root());
    // Set by the toolchain manager for its own compiler; they would reach past the one in `env`.
    for variable in ["CARGO", "RUSTUP_TOOLCHAIN", "RUSTC_WRAPPER", "RUSTFLAGS"] {
        command.env_remove(variable);
    }
    tests(title, &mut command)?.not_empty(title)
}

fn needs(program: &str, packages: &str) -> Outcome {
    quietly(program, Command::new(program).arg("--version")).map_err(|_| {
        format!("xtask: `{program}` is missing; on Debian: apt-get install {packages}")
    })
}
