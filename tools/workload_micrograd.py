"""A step of `f` by micrograd: a perceptron 2-16-16-1 of scalars, 100 points, hinge loss."""

import math
import sys

from micrograd.engine import Value
from micrograd.nn import MLP
from workload_worker import serve

# Its walk over the graph calls itself once a node.
sys.setrecursionlimit(1_000_000)


def points():
    for number in range(100):
        side, at = number % 2, number * 0.02 - 1.0
        height = math.sqrt(1.0 - at * at)
        yield ([at, height], 1.0) if side == 0 else ([at + 1.0, 0.5 - height], -1.0)


model = MLP(2, [16, 16, 1])
data = list(points())


def step():
    loss = sum((1 + -side * model([Value(x) for x in point])).relu() for point, side in data) * 0.01
    model.zero_grad()
    loss.backward()
    for parameter in model.parameters():
        parameter.data -= 0.001 * parameter.grad


serve(step)
