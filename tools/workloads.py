#!/usr/bin/env python3
"""Whole workloads in turns: ours, exact and fast, against JAX and PyTorch; `f` against micrograd.

    python3 -m venv DIR && DIR/bin/pip install torch jax numpy micrograd
    cargo build --release -p peers --bin workload
    DIR/bin/python tools/workloads.py [--jax PYTHON] [--torch PYTHON] [--threads 1] [--rounds 7] a32 c d

A worker is a process that stays: it builds its workload, prints `ready`, and answers each number of
seconds with the seconds of a step (`workload.rs`, `workload_jax.py`, `workload_torch.py`,
`workload_micrograd.py`). In a round
each has its turn; a row has the median over the rounds of each in milliseconds, and the
ratio of ours to the best of theirs.
"""

import argparse
import os
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
OURS = HERE.parent / "target" / "release" / "workload"
NAMES = ["a32", "a1024", "b", "c", "d", "f", "g", "h", "i"]


def commands(workload, threads, arguments):
    """Who takes part, and how each is started."""
    for numerics in ("exact", "fast"):
        yield numerics, [OURS, workload, str(threads), numerics]
    if workload == "f":
        yield "micrograd", [arguments.torch, HERE / "workload_micrograd.py"]
        return
    jax = [arguments.jax, HERE / "workload_jax.py", workload]
    yield "jax", [*jax, "step"]
    # A convolution inside a compiled loop takes the compiler's slow path.
    if workload in ("a32", "a1024", "b"):
        yield "jax-loop", [*jax, "loop"]
    torch = [arguments.torch, HERE / "workload_torch.py", workload, str(threads)]
    yield "torch", [*torch, "contiguous"]
    if workload in ("c", "d"):
        yield "torch-last", [*torch, "channels_last"]


def started(command, threads):
    cores = ",".join(str(core) for core in range(threads))
    variables = dict.fromkeys(
        ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "RAYON_NUM_THREADS"), str(threads)
    )
    worker = subprocess.Popen(
        ["taskset", "-c", cores, *map(str, command)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, **variables},
    )
    if worker.stdout.readline().strip() != "ready":
        worker.kill()
        return None
    return worker


def turn(worker, seconds):
    worker.stdin.write(f"{seconds}\n")
    worker.stdin.flush()
    return float(worker.stdout.readline())


def row(workload, threads, arguments):
    workers = {}
    for name, command in commands(workload, threads, arguments):
        worker = started(command, threads)
        if worker is None:
            print(f"{workload}: {name} did not start", file=sys.stderr)
        else:
            workers[name] = worker
    times = {name: [] for name in workers}
    for _ in range(arguments.rounds):
        for name, worker in workers.items():
            times[name].append(turn(worker, arguments.seconds))
    for worker in workers.values():
        worker.stdin.close()
        worker.wait()
    return {name: 1e3 * statistics.median(found) for name, found in times.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("workloads", nargs="*", default=NAMES)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=0.3)
    parser.add_argument("--jax", default=sys.executable)
    parser.add_argument("--torch", default=sys.executable)
    arguments = parser.parse_args()
    for workload in arguments.workloads or NAMES:
        found = row(workload, arguments.threads, arguments)
        theirs = [found[name] for name in found if name not in ("exact", "fast")]
        line = "  ".join(f"{name} {value:.4g}" for name, value in found.items())
        if theirs:
            best = min(theirs)
            line += f"  exact/best {found['exact'] / best:.3g}  fast/best {found['fast'] / best:.3g}"
        print(f"{workload:6s} {arguments.threads} threads, ms: {line}", flush=True)


main()
