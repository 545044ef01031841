"""Runs the modules that are named on XLA-CPU, and prints what they give and how long they take."""
import os
import sys
import time

import numpy as np

from frames import typed, word


def arguments(path, inputs):
    """The arrays `0`, `1`, .. of an `.npz` beside the module, else ones."""
    beside = os.path.splitext(path)[0] + ".npz"
    if os.path.exists(beside):
        with np.load(beside) as found:
            return [found[str(index)] for index in range(len(inputs))]
    return [np.ones(shape, dtype) for dtype, shape in map(typed, inputs)]


def main(paths):
    import jax

    from serve import DEVICE, compiled

    failed = 0
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read()
            start = time.perf_counter()
            executable, inputs, _ = compiled(text)
            print(f"{path}: compiled in {1e3 * (time.perf_counter() - start):.1f} ms")
            arrays = arguments(path, inputs)
            times = []
            for _ in range(20):
                # Anew: a run may take a buffer away.
                given = [jax.device_put(array, DEVICE) for array in arrays]
                start = time.perf_counter()
                found = executable.execute(given)
                for array in found:
                    array.block_until_ready()
                times.append(time.perf_counter() - start)
            print(f"{path}: {1e6 * sorted(times)[len(times) // 2]:.1f} us a run (median of {len(times)})")
            for index, result in enumerate(map(np.asarray, found)):
                print(f"{path}: result {index} {word(result)} {result.ravel()[:8]}")
        except Exception as error:  # noqa: BLE001
            failed += 1
            print(f"error {path}: {error}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
