"""How accurately XLA-CPU computes elementary functions, and the reference interpreter `erf`: what `docs/emission.md` takes for its bounds.

    target/stablehlo/bin/python tools/stablehlo/accuracy.py [COUNT]

For each function and type the largest error over COUNT [1,000,000] arguments, in units of the last
place of the true value: of `f32` against numpy in `f64`, of `f64` against mpmath-free series in long
double where the platform has it (80 bits), so that a few hundredths of a unit are not told. `erf` of
`f64` is held against scipy's, which may itself be a unit off. The interpreter, which is slow, is given
a fiftieth of the arguments of `erf`; its other functions are the platform's libm.
"""
import sys

import jax
import numpy as np
from jaxlib.mlir import ir
from scipy.special import erf

from evaluate import CONTEXT, evaluated
from modules import legalized, parsed
from serve import DEVICE, compiled

FUNCTIONS = {
    "exp": ("stablehlo.exponential", np.exp, (-87.0, 88.0)),
    "exp_m1": ("stablehlo.exponential_minus_one", np.expm1, (-20.0, 88.0)),
    "ln": ("stablehlo.log", np.log, (1e-30, 1e30)),
    "ln_1p": ("stablehlo.log_plus_one", np.log1p, (-0.999, 100.0)),
    "tanh": ("stablehlo.tanh", np.tanh, (-10.0, 10.0)),
    "sin": ("stablehlo.sine", np.sin, (-100.0, 100.0)),
    "cos": ("stablehlo.cosine", np.cos, (-100.0, 100.0)),
    "erf": ("chlo.erf", lambda x: erf(x.astype(np.float64)), (-6.0, 6.0)),
    "power": ("stablehlo.power", np.power, (1e-3, 1e3)),
}


def arguments(bounds, count, kind):
    """Half of them evenly spread, half by magnitude."""
    low, high = bounds
    random = np.random.default_rng(1)
    even = random.uniform(low, high, count // 2)
    spread = 10.0 ** random.uniform(-12, np.log10(high), count - count // 2)
    if low < 0:
        spread *= random.choice([-1.0, 1.0], spread.size)
    return np.clip(np.concatenate([even, spread]), low, high).astype(kind)


def main(count):
    for kind, name in ((np.float32, "f32"), (np.float64, "f64")):
        wide = np.float64 if kind is np.float32 else np.longdouble
        for function, (operation, truth, bounds) in FUNCTIONS.items():
            x = arguments(bounds, count, kind)
            given = [x]
            if function == "power":
                given.append(np.random.default_rng(2).uniform(-8, 8, count).astype(kind))
            names = ", ".join(f"%{i}" for i in range(len(given)))
            of = f"tensor<{count}x{name}>"
            takes = ", ".join(f"%{i}: {of}" for i in range(len(given)))
            gives = f"{of} -> {of}" if operation.startswith("chlo.") else of
            text = f"func.func @main({takes}) -> {of} {{\n  %r = {operation} {names} : {gives}\n  return %r : {of}\n}}"
            executable, _, _ = compiled(text)
            (found,) = executable.execute([jax.device_put(array, DEVICE) for array in given])
            error, at = furthest(np.asarray(found), truth, given, kind, wide)
            print(f"{name} {function:7} {error:8.2f}  at {at!r}", flush=True)
            if function == "erf":
                few = x[:: 50]
                text = text.replace(of, f"tensor<{few.size}x{name}>")
                with CONTEXT, ir.Location.unknown():
                    module = legalized(parsed(text, CONTEXT))
                error, at = furthest(evaluated(module, [few])[0], truth, [few], kind, wide)
                print(f"{name} erf, by the interpreter {error:8.2f}  at {at!r}", flush=True)


def furthest(found, truth, given, kind, wide):
    """The largest error in units of the last place, and where it is."""
    right = truth(*(array.astype(wide) for array in given))
    fits = np.isfinite(right) & (np.abs(right) >= np.finfo(kind).tiny) & (np.abs(right) <= np.finfo(kind).max)
    ulp = np.spacing(np.abs(right[fits]).astype(kind)).astype(wide)
    error = np.abs(found[fits].astype(wide) - right[fits]) / ulp
    return float(error.max()), given[0][fits][error.argmax()]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
