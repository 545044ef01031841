#!/usr/bin/env python3
"""Derives every constant of src/math and prints it as Rust.

A polynomial here is the one of least maximum error on its interval, where an
error counts with the weight with which the polynomial enters the result. It is
found in many digits (mpmath) and then rounded coefficient by coefficient; the
reported `error` is that of the rounded polynomial.

    pip install mpmath && python3 tools/math_coefficients.py
"""
import struct

from mpmath import mp, mpf

mp.prec = 300


def f32(v):
    """The nearest f32 (through a double is safe for printing: see exact())."""
    return exact(v, 24)


def f64(v):
    return exact(v, 53)


def exact(v, bits):
    """v rounded to `bits` significant bits, as mpf."""
    v = mpf(v)
    if v == 0:
        return v
    m, e = mp.frexp(v)
    return mp.ldexp(mp.nint(mp.ldexp(m, bits)), e - bits)


def truncated(v, bits):
    v = mpf(v)
    m, e = mp.frexp(v)
    return mp.ldexp(mp.floor(mp.ldexp(m, bits)), e - bits)


def literal(v, kind):
    """The shortest decimal that reads back as exactly v."""
    if kind == 32:
        d = float(v)
        for digits in range(1, 12):
            s = f"{d:.{digits}e}"
            if struct.unpack("f", struct.pack("f", float(s)))[0] == d:
                break
    else:
        s = repr(float(v))
    x = float(s)
    s = repr(x) if 1e-4 <= abs(x) < 1e6 or x == 0 else s
    if "e" not in s and "." not in s:
        s += ".0"
    return s.replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")


def fit(f, lo, hi, degree, weight):
    """Coefficients of the polynomial with the least weighted maximum error.

    Remez's exchange on a fixed grid of Chebyshev points: solve for equal errors
    of alternating sign at degree + 2 points, move them to the extrema, repeat.
    """
    lo, hi = mpf(lo), mpf(hi)
    size = 40 * (degree + 2)
    grid = [(lo + hi) / 2 - (hi - lo) / 2 * mp.cos(mp.pi * (2 * k + 1) / (2 * size)) for k in range(size)]
    wanted = [f(x) for x in grid]
    weights = [weight(x) for x in grid]
    n = degree + 2
    chosen = [20 + 40 * k for k in range(n)]
    for _ in range(30):
        rows = mp.matrix(n, n)
        right = mp.matrix(n, 1)
        for i, g in enumerate(chosen):
            for j in range(n - 1):
                rows[i, j] = grid[g] ** j
            rows[i, n - 1] = (-1) ** i / weights[g]
            right[i] = wanted[g]
        solution = mp.lu_solve(rows, right)
        c = [solution[i] for i in range(n - 1)]
        errors = [(mp.polyval(c[::-1], x) - y) * w for x, y, w in zip(grid, wanted, weights)]
        # The largest error of each run of equal sign, then the best n in a row.
        runs = []
        for i, e in enumerate(errors):
            if runs and (errors[runs[-1]] > 0) == (e > 0):
                if abs(e) > abs(errors[runs[-1]]):
                    runs[-1] = i
            else:
                runs.append(i)
        while len(runs) > n:
            runs.pop(0 if abs(errors[runs[0]]) < abs(errors[runs[-1]]) else -1)
        if len(runs) < n or runs == chosen:
            break
        chosen = runs
    return c


def polynomial(name, f, lo, hi, degree, kind, weight=lambda x: 1, head=()):
    """Prints the polynomial; the first coefficients may be fixed to `head`."""
    bits = 24 if kind == 32 else 53
    c = []
    rest = f
    for h in head:
        c.append(exact(h, bits))
    k = len(c)
    fixed = list(c)

    def remaining(x):
        return (f(x) - sum(a * x**i for i, a in enumerate(fixed))) / x**k if k else rest(x)

    c += [exact(a, bits) for a in fit(remaining, lo, hi, degree - k, lambda x: abs(weight(x) * mpf(x) ** k))]
    worst = mpf(0)
    for i in range(1, 400):
        x = mpf(lo) + (mpf(hi) - mpf(lo)) * i / 400
        e = abs(sum(a * x**j for j, a in enumerate(c)) - f(x)) * abs(weight(x))
        worst = max(worst, e)
    print(f"// {name} f{kind}: degree {degree}, error 2^{float(mp.log(worst, 2)):.1f}")
    print("&[" + ", ".join(literal(a, kind) for a in c) + "];")


def split(name, v, bits, kind):
    """A value as parts: the first ones of `bits` bits, the last one full."""
    full = 24 if kind == 32 else 53
    parts = []
    rest = mpf(v)
    for b in bits:
        p = truncated(rest, b) if b else exact(rest, full)
        parts.append(p)
        rest -= p
    print(f"// {name} f{kind}: {bits}, left over 2^{float(mp.log(abs(rest), 2)):.1f}")
    print("&[" + ", ".join(literal(p, kind) for p in parts) + "];")


def series(terms):
    """sum terms(k), from k = 0 until negligible."""
    total, k = mpf(0), 0
    while True:
        t = terms(k)
        total += t
        k += 1
        if abs(t) < mpf(2) ** -290:
            return total


def main():
    fact = mp.factorial
    ln2 = mp.log(2)
    print("\n// ---- exp")
    exp2nd = lambda r: series(lambda k: r**k / fact(k + 2))
    # The weight is the relative error of exp_m1 near 0.
    polynomial("EXP_M1", exp2nd, -0.3467, 0.3467, 5, 32, lambda r: r, head=(0.5,))
    polynomial("EXP_M1", exp2nd, -0.3467, 0.3467, 10, 64, lambda r: r, head=(0.5,))
    # In exp itself the error is absolute, and one term less is enough.
    polynomial("EXP", exp2nd, -0.3467, 0.3467, 4, 32, lambda r: r * r, head=(0.5,))
    print(literal(f32(1 / ln2), 32), literal(f64(1 / ln2), 64))
    split("LN2", ln2, (16, 0), 32)
    split("LN2", ln2, (40, 0), 64)

    print("\n// ---- ln")
    zmax = mpf("0.02945")
    # ln(1+f) = 2 atanh s = f - hfsq + s (hfsq + R), R = s^2 (2/3 + 2/5 s^2 + ..)
    tail = lambda z: series(lambda k: 2 * z**k / (2 * k + 3))
    polynomial("LN", tail, 0, zmax, 2, 32, lambda z: z * mp.sqrt(z))
    polynomial("LN", tail, 0, zmax, 6, 64, lambda z: z * mp.sqrt(z))

    print("\n// ---- erf")
    erfc0 = lambda w: series(lambda k: (-1) ** k * w**k / (fact(k) * (2 * k + 1))) * 2 / mp.sqrt(mp.pi) - 1
    polynomial("ERF small", erfc0, 0, mpf(9) / 16, 6, 32)
    polynomial("ERF small", erfc0, 0, mpf(9) / 16, 11, 64)

    def piece(lo, hi, mid, degree, kind):
        # erf(mid) is given as a rounded value plus what rounding lost, which
        # is the constant term of the polynomial.
        mid = mpf(mid)
        base = exact(mp.erf(mid), 24 if kind == 32 else 53)
        print("// base", literal(base, kind))
        polynomial(f"ERF [{lo},{hi}] about {mid}", lambda t: mp.erf(mid + t) - base, mpf(lo) - mid, mpf(hi) - mid, degree, kind)

    piece("0.75", "1.25", 1, 9, 32)
    piece("1.25", "2.25", "1.75", 9, 32)
    piece("2.25", 4, "3.125", 9, 32)
    piece("0.75", "1.25", 1, 17, 64)
    piece("1.25", 2, "1.625", 17, 64)
    piece(2, "2.875", "2.4375", 17, 64)
    piece("2.875", 4, "3.4375", 17, 64)
    piece(4, 6, 5, 17, 64)

    print("\n// ---- sin, cos")
    wmax = mpf("0.62")
    sin3 = lambda w: series(lambda k: (-1) ** (k + 1) * w**k / fact(2 * k + 3))
    cos4 = lambda w: series(lambda k: (-1) ** k * w**k / fact(2 * k + 4))
    for kind, degree in ((32, 2), (64, 6)):
        polynomial("SIN", sin3, 0, wmax, degree, kind, lambda w: w * mp.sqrt(w))
        polynomial("COS", cos4, 0, wmax, degree, kind, lambda w: w * w)
    split("PI/2", mp.pi / 2, (12, 12, 12, 0), 32)
    split("PI/2", mp.pi / 2, (33, 33, 33, 0), 64)
    split("PI/2", mp.pi / 2, (0, 0), 64)
    print(literal(f32(2 / mp.pi), 32), literal(f64(2 / mp.pi), 64))

    print("\n// ---- 2/pi, 64 bits a word")
    scaled = int(mp.floor((2 / mp_hi_pi()) * mpf(2) ** (64 * 20)))
    words = [(scaled >> (64 * (19 - i))) & (2**64 - 1) for i in range(20)]
    print(",\n".join(f"0x{w:016X}" for w in words))

    print("\n// ---- pow (double-double logarithm)")
    split("2/3", mpf(2) / 3, (0, 0), 64)
    tail2 = lambda z: series(lambda k: 2 * z**k / (2 * k + 5))
    polynomial("POW LN", tail2, 0, zmax, 7, 64, lambda z: z * z)


def mp_hi_pi():
    mp.prec = 1600
    return +mp.pi


if __name__ == "__main__":
    main()
