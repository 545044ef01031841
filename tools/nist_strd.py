#!/usr/bin/env python3
"""Writes tests/suite/nist/ from the nonlinear regression problems of NIST's Statistical Reference Datasets,
and proves each.

    python3 -m venv VENV && VENV/bin/pip install mpmath
    VENV/bin/python tools/nist_strd.py FOLDER

FOLDER holds NIST's 27 files as published (Misra1a.dat, ..); they are data of a US agency, in the public domain.
A file is written only if its data, model and certified values belong together: Gauss-Newton steps in 60 digits,
from the certified parameters, must end where every certified digit of the parameters, their standard deviations,
the sum of squares and the residual standard deviation is reproduced.
"""

import re
import sys
from pathlib import Path

from mpmath import atan, cos, exp, log, matrix, mp, mpf, nstr, pi, qr_solve, sin, sqrt

mp.dps = 60

MODELS = {
    "Bennett5": lambda b, x: b[0] * (b[1] + x) ** (-1 / b[2]),
    "BoxBOD": lambda b, x: b[0] * (1 - exp(-b[1] * x)),
    "Chwirut1": lambda b, x: exp(-b[0] * x) / (b[1] + b[2] * x),
    "DanWood": lambda b, x: b[0] * x ** b[1],
    "ENSO": lambda b, x: b[0]
    + b[1] * cos(2 * pi * x / 12)
    + b[2] * sin(2 * pi * x / 12)
    + b[4] * cos(2 * pi * x / b[3])
    + b[5] * sin(2 * pi * x / b[3])
    + b[7] * cos(2 * pi * x / b[6])
    + b[8] * sin(2 * pi * x / b[6]),
    "Eckerle4": lambda b, x: b[0] / b[1] * exp(-((x - b[2]) ** 2) / (2 * b[1] ** 2)),
    "Gauss1": lambda b, x: b[0] * exp(-b[1] * x)
    + b[2] * exp(-((x - b[3]) ** 2) / b[4] ** 2)
    + b[5] * exp(-((x - b[6]) ** 2) / b[7] ** 2),
    "Hahn1": lambda b, x: (b[0] + b[1] * x + b[2] * x**2 + b[3] * x**3)
    / (1 + b[4] * x + b[5] * x**2 + b[6] * x**3),
    "Kirby2": lambda b, x: (b[0] + b[1] * x + b[2] * x**2) / (1 + b[3] * x + b[4] * x**2),
    "Lanczos1": lambda b, x: b[0] * exp(-b[1] * x) + b[2] * exp(-b[3] * x) + b[4] * exp(-b[5] * x),
    "MGH09": lambda b, x: b[0] * (x**2 + x * b[1]) / (x**2 + x * b[2] + b[3]),
    "MGH10": lambda b, x: b[0] * exp(b[1] / (x + b[2])),
    "MGH17": lambda b, x: b[0] + b[1] * exp(-x * b[3]) + b[2] * exp(-x * b[4]),
    "Misra1b": lambda b, x: b[0] * (1 - (1 + b[1] * x / 2) ** -2),
    "Misra1c": lambda b, x: b[0] * (1 - (1 + 2 * b[1] * x) ** mpf(-0.5)),
    "Misra1d": lambda b, x: b[0] * b[1] * x / (1 + b[1] * x),
    # Of the logarithm of the response.
    "Nelson": lambda b, x, t: b[0] - b[1] * x * exp(-b[2] * t),
    "Rat42": lambda b, x: b[0] / (1 + exp(b[1] - b[2] * x)),
    "Rat43": lambda b, x: b[0] / (1 + exp(b[1] - b[2] * x)) ** (1 / b[3]),
    "Roszman1": lambda b, x: b[0] - b[1] * x - atan(b[2] / (x - b[3])) / pi,
    "Thurber": lambda b, x: (b[0] + b[1] * x + b[2] * x**2 + b[3] * x**3)
    / (1 + b[4] * x + b[5] * x**2 + b[6] * x**3),
}
SAME = {
    "Chwirut2": "Chwirut1",
    "Gauss2": "Gauss1",
    "Gauss3": "Gauss1",
    "Lanczos2": "Lanczos1",
    "Lanczos3": "Lanczos1",
    "Misra1a": "BoxBOD",
}
STEP = mpf(10) ** -25


def read(path):
    lines = path.read_text().splitlines()
    first, last = map(int, re.search(r"^\s*Data\s+\(lines\s+(\d+)\s+to\s+(\d+)\)", "\n".join(lines), re.M).groups())
    rows = [line.split() for line in lines[first - 1 : last]]
    parameters = [line.split("=")[1].split() for line in lines if re.match(r"\s*b\d\s+=", line)]
    single = lambda words: next(line.split()[-1] for line in lines if line.startswith(words))
    return {
        "name": path.stem,
        "start1": [row[0] for row in parameters],
        "start2": [row[1] for row in parameters],
        "certified": [row[2] for row in parameters],
        "deviations": [row[3] for row in parameters],
        "squares": single("Residual Sum of Squares:"),
        "deviation": single("Residual Standard Deviation:"),
        "rows": rows,
    }


def prove(problem):
    name = problem["name"]
    model = MODELS[SAME.get(name, name)]
    rows = [[mpf(word) for word in row] for row in problem["rows"]]
    answers = [log(row[0]) if name == "Nelson" else row[0] for row in rows]
    b = [mpf(word) for word in problem["certified"]]
    count, n = len(rows), len(b)

    def moved(at, by):
        return [value + by if position == at else value for position, value in enumerate(b)]

    for _ in range(60):
        residuals = matrix([y - model(b, *row[1:]) for y, row in zip(answers, rows)])
        jacobian = matrix(count, n)
        for at in range(n):
            step = STEP * abs(b[at])
            for position, row in enumerate(rows):
                above, below = model(moved(at, step), *row[1:]), model(moved(at, -step), *row[1:])
                jacobian[position, at] = (above - below) / (2 * step)
        step, _ = qr_solve(jacobian, residuals)
        b = [value + step[at] for at, value in enumerate(b)]
        if all(abs(step[at]) < mpf(10) ** -18 * abs(value) for at, value in enumerate(b)):
            break
    squares = sum(r * r for r in residuals)
    variance = squares / (count - n)
    inverse = (jacobian.T * jacobian) ** -1
    found = {
        "certified": b,
        "deviations": [sqrt(variance * inverse[at, at]) for at in range(n)],
        "squares": [squares],
        "deviation": [sqrt(variance)],
    }
    for key, values in found.items():
        published = problem[key] if isinstance(problem[key], list) else [problem[key]]
        for value, word in zip(values, published):
            digits = len(word.upper().split("E")[0].replace("-", "").replace(".", "").lstrip("0"))
            off = abs(value - mpf(word)) / mpf(10) ** (mp.floor(mp.log10(abs(value))) - digits + 1)
            # A unit in the last published digit: some were cut and not rounded.
            if off > 1:
                sys.exit(f"{name}: {key} is {word} as published and {nstr(value, 14)} as computed")



def main():
    folder = Path(sys.argv[1])
    target = Path(__file__).parent.parent / "tests/suite/nist"
    target.mkdir(exist_ok=True)
    paths = sorted(folder.glob("*.dat"))
    for path in paths:
        problem = read(path)
        prove(problem)
        text = []
        for key in ["start1", "start2", "certified", "deviations"]:
            text.append(f"{key} {' '.join(problem[key])}")
        for key in ["squares", "deviation"]:
            text.append(f"{key} {problem[key]}")
        text.extend(" ".join(row) for row in problem["rows"])
        (target / f"{path.stem}.txt").write_text("\n".join(text) + "\n")
        print(f"{path.stem}: {len(problem['rows'])} observations, {len(problem['certified'])} parameters")
    print(f"{len(paths)} problems")


main()
