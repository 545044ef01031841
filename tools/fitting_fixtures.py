#!/usr/bin/env python3
"""Writes tests/suite/fixtures/fitting.txt: minima of test functions by SciPy, which `Lbfgs` is held against.

    python3 -m venv VENV && VENV/bin/pip install scipy
    VENV/bin/python tools/fitting_fixtures.py

A line: the name, the least value, and where it is. The functions are those of `tests/suite/fitting.rs`: of Moré,
Garbow and Hillstrom ("Testing unconstrained optimization software", 1981), and two regressions on made data.
Each minimum is SciPy's BFGS by exact gradients, polished by Newton's method on them.
"""

from pathlib import Path

import numpy as np
import scipy
from scipy.optimize import approx_fprime, minimize, root

ROWS = 40


def rosenbrock(x):
    odd, even = x[0::2], x[1::2]
    return np.sum(100 * (even - odd**2) ** 2 + (1 - odd) ** 2)


def beale(x):
    return sum((y - x[0] * (1 - x[1] ** power)) ** 2 for power, y in [(1, 1.5), (2, 2.25), (3, 2.625)])


def wood(x):
    return (
        100 * (x[1] - x[0] ** 2) ** 2
        + (1 - x[0]) ** 2
        + 90 * (x[3] - x[2] ** 2) ** 2
        + (1 - x[2]) ** 2
        + 10 * (x[1] + x[3] - 2) ** 2
        + 0.1 * (x[1] - x[3]) ** 2
    )


def design():
    rows = np.arange(ROWS)[:, None]
    return np.sin(1.0 + rows * np.arange(1, 4)[None, :] * 0.7)


def logistic(w):
    score = design() @ w
    label = (np.arange(ROWS) % 3 == 0).astype(float)
    return np.mean(np.logaddexp(0, score) - label * score) + 0.01 * np.sum(w**2)


def robust(w):
    target = np.cos(np.arange(ROWS) * 1.3) + np.where(np.arange(ROWS) % 7 == 0, 5.0, 0.0)
    residual = design() @ w - target
    return np.mean(np.sqrt(1 + residual**2) - 1)


CASES = [
    ("rosenbrock", rosenbrock, [-1.2, 1.0]),
    ("extended_rosenbrock", rosenbrock, [-1.2, 1.0] * 10),
    ("beale", beale, [1.0, 1.0]),
    ("wood", wood, [-3.0, -1.0, -3.0, -1.0]),
    ("logistic", logistic, [0.0, 0.0, 0.0]),
    ("robust", robust, [0.0, 0.0, 0.0]),
]


def gradient(f, x):
    """By complex steps, exact to rounding; `logaddexp` takes none, and has a formula of its own."""
    if f is logistic:
        score = design() @ x
        label = (np.arange(ROWS) % 3 == 0).astype(float)
        return design().T @ (1 / (1 + np.exp(-score)) - label) / ROWS + 0.02 * x
    steps = np.eye(len(x)) * 1e-200j
    return np.array([f(x + step).imag / 1e-200 for step in steps])


def main():
    lines = []
    for name, f, start in CASES:
        slope = lambda x, f=f: gradient(f, x)
        found = minimize(f, start, jac=slope, method="BFGS", options={"gtol": 1e-9, "maxiter": 10_000})
        x = root(slope, found.x, tol=1e-15).x
        assert np.max(np.abs(slope(x))) < 1e-9 and np.max(np.abs(x - found.x)) < 1e-5, (name, found)
        assert np.allclose(slope(x + 0.1), approx_fprime(x + 0.1, f), rtol=1e-4, atol=1e-4), name
        lines.append(" ".join([name, repr(float(f(x))), *(repr(float(value)) for value in x)]))
        print(f"{name}: {f(x):.3e}")
    target = Path(__file__).parent.parent / "tests/suite/fixtures"
    target.mkdir(exist_ok=True)
    (target / "fitting.txt").write_text("\n".join(lines) + "\n")
    print(f"by SciPy {scipy.__version__}")


main()
