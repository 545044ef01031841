"""JAX's side of `workloads.py`: WORKLOAD step|loop. `step` is one compiled call a step, `loop` a call
of many steps, whose loop is compiled too."""

import os
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from workload_worker import serve

workload, looped = sys.argv[1], sys.argv[2] == "loop"
jax.config.update("jax_enable_x64", workload == "g")
draw = np.random.default_rng(0)


def normal(*shape, scale=0.05, kind=np.float32):
    return jnp.asarray((scale * draw.standard_normal(shape)).astype(kind))


def classes(rows, count):
    return jnp.asarray(draw.integers(0, count, rows))


def cross_entropy(scores, y):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(scores), y[:, None], 1))


def affine(x, layer):
    return x @ layer[0] + layer[1]


def layer(inputs, outputs):
    return normal(inputs, outputs), normal(outputs)


def descent(loss, parameters, rate=0.01):
    def step(parameters):
        return jax.tree.map(lambda w, g: w - rate * g, parameters, jax.grad(loss)(parameters))

    return step, parameters


def makemore(rows):
    x, y = classes((rows, 3), 27), classes(rows, 27)

    def loss(p):
        hidden = jnp.tanh(affine(p["embedding"][x].reshape(rows, 30), p["hidden"]))
        return cross_entropy(affine(hidden, p["last"]), y)

    return descent(loss, {"embedding": normal(27, 10), "hidden": layer(30, 200), "last": layer(200, 27)})


def plain():
    x, y = normal(128, 784), classes(128, 10)
    parameters = [layer(784, 512), layer(512, 512), layer(512, 10)]

    def loss(p):
        hidden = jax.nn.relu(affine(x, p[0]))
        return cross_entropy(affine(jax.nn.relu(affine(hidden, p[1])), p[2]), y)

    def step(state):
        p, m, v, t = state
        g, t = jax.grad(loss)(p), t + 1
        m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, g)
        v = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, v, g)
        first, second = 1 - 0.9**t, 1 - 0.999**t
        move = lambda w, m, v: w - 1e-4 * (m / first) / (jnp.sqrt(v / second) + 1e-8)
        return jax.tree.map(move, p, m, v), m, v, t

    zeros = lambda: jax.tree.map(jnp.zeros_like, parameters)
    return step, (parameters, zeros(), zeros(), jnp.float32(0))


def conv(x, kernel, padding):
    y = lax.conv_general_dilated(x, kernel[0], (1, 1), padding, dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return jax.nn.relu(y + kernel[1])


def kernel(size, inputs, outputs):
    return normal(size, size, inputs, outputs), normal(outputs)


def pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def lenet():
    x, y = normal(64, 28, 28, 1, scale=1), classes(64, 10)

    def loss(p):
        h = pool(conv(pool(conv(x, p[0], "VALID")), p[1], "VALID")).reshape(64, 256)
        h = jax.nn.relu(affine(jax.nn.relu(affine(h, p[2])), p[3]))
        return cross_entropy(affine(h, p[4]), y)

    return descent(loss, [kernel(5, 1, 6), kernel(5, 6, 16), layer(256, 120), layer(120, 84), layer(84, 10)])


def vgg():
    x, y = normal(32, 32, 32, 3, scale=1), classes(32, 10)
    kernels, channels = [], 3
    for filters in (32, 64, 128):
        kernels += [kernel(3, channels, filters), kernel(3, filters, filters)]
        channels = filters

    def loss(p):
        h = x
        for first, second in zip(p[0:6:2], p[1:6:2]):
            h = pool(conv(conv(h, first, "SAME"), second, "SAME"))
        return cross_entropy(affine(h.reshape(32, 2048), p[6]), y)

    return descent(loss, [*kernels, layer(2048, 10)])


def logistic():
    x = normal(100_000, 50, scale=1, kind=np.float64)
    y = jnp.asarray((draw.random(100_000) > 0.5).astype(np.float64))

    def loss(p):
        z = affine(x, p)
        return jnp.mean(jax.nn.softplus(z) - y * z)

    return descent(loss, (jnp.zeros(50), jnp.zeros(())), rate=0.1)


def gate():
    x = normal(10_000_000, scale=1)

    def loss(x, w, b):
        y = jnp.tanh(x * w + b) * jax.nn.sigmoid(x)
        return y.sum(), y

    # Nothing goes from step to step: what is returned only has to be computed.
    gradient = jax.jit(jax.value_and_grad(loss, (0, 1, 2), has_aux=True))
    return lambda: gradient(x, 0.7, 0.1)


def attention():
    positions, heads, depth = 256, 4, 64
    width = heads * depth
    x, weights = normal(positions, width, scale=1), [normal(width, width, scale=1 / 16) for _ in range(4)]
    hidden = jnp.where(jnp.tril(jnp.ones((positions, positions), bool)), 0.0, -jnp.inf)

    def loss(x, weights):
        q, k, v = ((x @ w).reshape(positions, heads, depth).transpose(1, 0, 2) for w in weights[:3])
        seen = jax.nn.softmax(q @ k.transpose(0, 2, 1) / 8 + hidden) @ v
        out = seen.transpose(1, 0, 2).reshape(positions, width) @ weights[3]
        return jnp.mean(out * out)

    gradient = jax.jit(jax.value_and_grad(loss, (0, 1)))
    return lambda: gradient(x, weights)


def main():
    if workload in ("h", "i"):
        call = {"h": gate, "i": attention}[workload]()
        return serve(lambda: jax.block_until_ready(call()))
    builds = {"a32": lambda: makemore(32), "a1024": lambda: makemore(1024)}
    builds |= {"b": plain, "c": lenet, "d": vgg, "g": logistic}
    step, state = builds[workload]()
    many = 20 if looped else 1
    run = jax.jit(lambda s: lax.fori_loop(0, many, lambda _, s: step(s), s) if looped else step(s), donate_argnums=0)
    held = [state]

    def call():
        held[0] = run(held[0])
        jax.block_until_ready(held[0])

    serve(call, many)


main()
