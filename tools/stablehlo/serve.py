"""A resident XLA-CPU process. Weights stay on the device; a donated argument's buffer is reused.

Flags of XLA come by `POORGRAD_XLA_OPTIONS`, words such as `xla_cpu_enable_fast_math=true`.
"""
import os
import time

import jax

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")
import jaxlib
import numpy as np
from jax.extend import backend
from jaxlib import _jax
from jaxlib.mlir.dialects import stablehlo

from frames import array_of, asked, serve, word
from modules import context, parsed, signature

CLIENT = backend.get_backend("cpu")
DEVICE = CLIENT.local_devices()[0]
MODULES = {}
BUFFERS = {}


def options():
    """What a module is compiled with."""
    found = _jax.CompileOptions()
    found.num_replicas = found.num_partitions = 1
    debug = found.executable_build_options.debug_options
    for setting in os.environ.get("POORGRAD_XLA_OPTIONS", "").split():
        name, value = setting.split("=")
        value = {"true": True, "false": False}.get(value, value)
        value = int(value) if isinstance(value, str) and value.isdigit() else value
        if name in dir(debug):
            setattr(debug, name, value)
        else:
            found.env_option_overrides = [*found.env_option_overrides, (name, value)]
    return found


def compiled(text):
    """The executable, and the types that it checks by size alone."""
    with context() as within:
        inputs, results = signature(parsed(text, within))
    return CLIENT.compile_and_load(text, [DEVICE], options()), inputs, results


def handle(words, frames):
    verb, *rest = words
    if verb == "hello":
        return ["serve", "jax", jax.__version__, "jaxlib", jaxlib.__version__, "stablehlo", stablehlo.get_current_version()], []
    if verb == "compile":
        start = time.perf_counter()
        MODULES[rest[0]] = compiled(frames[0].decode())
        _, inputs, results = MODULES[rest[0]]
        return [f"{1e3 * (time.perf_counter() - start):.3f}", "inputs", *inputs, "results", *results], []
    if verb == "put":
        # The frame is never used again: the device may share its memory.
        BUFFERS[rest[0]] = jax.device_put(array_of(frames[0], rest[1]), DEVICE)
        return [], []
    if verb == "get":
        found = np.asarray(BUFFERS[rest[0]])
        return [word(found)], [found]
    if verb == "free":
        for name in rest:
            BUFFERS.pop(name, None)
            MODULES.pop(name, None)
        return [], []
    if verb != "run":
        raise ValueError(f"a server does not know `{verb}`")
    executable, inputs, results = MODULES[rest[0]]
    arguments, keep = asked(rest[1:], iter(frames), BUFFERS, inputs, results)
    for name in (argument[1:] for argument in rest[1:] if argument.startswith("@")):
        if BUFFERS[name].is_deleted():
            raise ValueError(f"the buffer `{name}` was given away by an earlier run")
    arguments = [jax.device_put(argument, DEVICE) if isinstance(argument, np.ndarray) else argument for argument in arguments]
    start = time.perf_counter()
    found = executable.execute(arguments)
    fetched = [np.asarray(array) for index, array in enumerate(found) if index not in keep]
    for array in found:
        array.block_until_ready()
    micros = 1e6 * (time.perf_counter() - start)
    for index, name in keep.items():
        BUFFERS[name] = found[index]
    return [f"{micros:.1f}", *map(word, fetched)], fetched


if __name__ == "__main__":
    serve(handle)
