"""Evaluates modules by StableHLO's reference interpreter: frames, or files with `.npz` arguments.

Operations that the interpreter lacks end the process. Files have a process each; whoever asks by frames
starts another one.
"""
import subprocess
import sys
import time

import numpy as np
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from frames import array_of, asked, serve, word
from modules import context, legalized, parsed, signature

CONTEXT = context()
MODULES = {}
BUFFERS = {}


def evaluated(module, arrays):
    with CONTEXT, ir.Location.unknown():
        # Of a scalar, `ascontiguousarray` would make a vector; the interpreter may write into what
        # it is given.
        given = [ir.DenseElementsAttr.get(np.array(array, order="C", copy=True)) for array in arrays]
        return [np.array(result) for result in stablehlo.eval_module(module, given)]


def handle(words, frames):
    verb, *rest = words
    if verb == "hello":
        return ["evaluate", "stablehlo", stablehlo.get_current_version()], []
    if verb == "compile":
        start = time.perf_counter()
        with CONTEXT, ir.Location.unknown():
            module = parsed(frames[0].decode(), CONTEXT)
            inputs, results = signature(module)
            MODULES[rest[0]] = (legalized(module), inputs, results)
        return [f"{1e3 * (time.perf_counter() - start):.3f}", "inputs", *inputs, "results", *results], []
    if verb == "put":
        BUFFERS[rest[0]] = array_of(frames[0], rest[1])
        return [], []
    if verb == "get":
        return [word(BUFFERS[rest[0]])], [BUFFERS[rest[0]]]
    if verb == "free":
        for name in rest:
            BUFFERS.pop(name, None)
            MODULES.pop(name, None)
        return [], []
    if verb != "run":
        raise ValueError(f"an evaluator does not know `{verb}`")
    module, inputs, results = MODULES[rest[0]]
    arrays, keep = asked(rest[1:], iter(frames), BUFFERS, inputs, results)
    start = time.perf_counter()
    found = evaluated(module, arrays)
    micros = 1e6 * (time.perf_counter() - start)
    found = [array.reshape(tuple(int(n) for n in kind.split(":")[1].split(",") if n)) for array, kind in zip(found, results)]
    for index, name in keep.items():
        BUFFERS[name] = found[index]
    fetched = [array for index, array in enumerate(found) if index not in keep]
    return [f"{micros:.1f}", *map(word, fetched)], fetched


def shown(path):
    """Prints what a module gives; whether it gives something."""
    try:
        with open(path, encoding="utf-8") as file, CONTEXT, ir.Location.unknown():
            module = parsed(file.read(), CONTEXT)
            inputs, _ = signature(module)
            module = legalized(module)
        from run import arguments

        for index, result in enumerate(evaluated(module, arguments(path, inputs))):
            print(f"{path}: result {index} {word(result)} {result.ravel()[:8]}")
        return True
    except Exception as error:  # noqa: BLE001
        print(f"error {path}: {error}")
        return False


def main(paths):
    failed = 0
    for path in paths:
        # A process each: what one module ends, the next does not see.
        ended = subprocess.run([sys.executable, __file__, "--one", path], check=False).returncode
        if ended < 0:
            print(f"error {path}: the interpreter ended by signal {-ended}", flush=True)
        failed += ended != 0
    return 1 if failed else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        sys.exit(0 if shown(sys.argv[2]) else 1)
    if len(sys.argv) > 1:
        sys.exit(main(sys.argv[1:]))
    serve(handle)
