#!/usr/bin/env python3
"""Writes tests/golden/checkpoints/: small files by NumPy, the reference library of safetensors, and gzip.

    python3 -m venv venv && venv/bin/pip install numpy==2.4.6 safetensors==0.8.0
    venv/bin/python tools/checkpoint_fixtures.py

The tests read these files and compare with the numbers that stand here: a quarter of each position.
"""

import gzip
import pathlib

import numpy as np
from safetensors.numpy import save_file

FOLDER = pathlib.Path(__file__).parent.parent / "tests" / "golden" / "checkpoints"


def numbers(shape, kind):
    return (np.arange(np.prod(shape), dtype=np.float64) * 0.25).reshape(shape).astype(kind)


FOLDER.mkdir(parents=True, exist_ok=True)
np.save(FOLDER / "fortran.npy", np.asfortranarray(numbers((2, 3, 4), "<f4")))
np.save(FOLDER / "big_endian.npy", numbers((3, 2), ">f8"))
np.save(FOLDER / "half.npy", numbers((5,), "<f2"))
np.save(FOLDER / "scalar.npy", numbers((), "<f8") + 0.25)
arrays = {"layer.weight": numbers((2, 3), "<f4"), "layer.bias": numbers((3,), "<f8"),
          "count": np.array(7, dtype="<i8")}
np.savez(FOLDER / "stored.npz", **arrays)
np.savez_compressed(FOLDER / "packed.npz", **arrays, fortran=np.asfortranarray(numbers((4, 5), ">f4")))
np.savez_compressed(FOLDER / "zeros.npz", zeros=np.zeros(1 << 20, dtype="u1"))
save_file(arrays, FOLDER / "plain.safetensors", metadata={"format": "np"})
header = bytes([0, 0, 8, 3]) + b"".join(extent.to_bytes(4, "big") for extent in (2, 2, 3))
(FOLDER / "idx.gz").write_bytes(gzip.compress(header + bytes(range(12)), mtime=0))
