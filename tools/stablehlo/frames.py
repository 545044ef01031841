"""The protocol of the resident tools, on the standard input and output.

A frame is its length, 32 bits little-endian, and so many bytes. A request is a frame of words, then
frames of what the words announce; so is a reply, whose first word is `ok` or `error` (then the rest
is a message). Requests are answered one after the other; the end of the input ends the process.

    hello                          ok VERSIONS..
    compile NAME, text             ok MILLISECONDS inputs TYPE.. results TYPE..
    put NAME TYPE, bytes           ok                         (the buffer stays on the device)
    run NAME [@BUFFER | =TYPE].. [keep:INDEX:BUFFER]..
                                   ok MICROSECONDS TYPE.., bytes of each result that is not kept
    get BUFFER                     ok TYPE, bytes
    free BUFFER..                  ok

A TYPE is `f32:2,3`: element and extents. `=TYPE` is an argument whose bytes follow in a frame.
"""
import ctypes
import os
import signal
import struct

import numpy as np

DTYPES = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i1": np.bool_}
NAMES = {np.dtype(dtype): name for name, dtype in DTYPES.items()}


def typed(word):
    """The dtype and the shape of a type."""
    name, extents = word.split(":")
    return DTYPES[name], tuple(int(extent) for extent in extents.split(",") if extent)


def word(array):
    """The type of an array."""
    return f"{NAMES[np.dtype(array.dtype)]}:{','.join(map(str, array.shape))}"


def array_of(bytes_, kind):
    """An array on memory of its own."""
    dtype, shape = typed(kind)
    found = np.frombuffer(bytes_, dtype)
    if found.size != int(np.prod(shape)):
        raise ValueError(f"{len(bytes_)} bytes are no {kind}")
    return found.reshape(shape)


def serve(handle):
    """Answers requests by `handle(words, frame)`, which gives words and arrays, until the input ends."""
    # What prints goes to the error output, and cannot be taken for a frame.
    out = os.fdopen(os.dup(1), "wb", buffering=1 << 20)
    os.dup2(2, 1)
    source = os.fdopen(os.dup(0), "rb", buffering=1 << 20)
    try:  # Linux: no orphan stays, whatever ends the parent.
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
    except (OSError, AttributeError):
        pass

    def frame():
        head = source.read(4)
        if len(head) < 4:
            raise SystemExit
        (length,) = struct.unpack("<I", head)
        found = source.read(length)
        if len(found) < length:
            raise SystemExit
        return found

    def send(bytes_):
        out.write(struct.pack("<I", len(bytes_)))
        out.write(bytes_)

    while True:
        words = frame().decode().split()
        # All that belongs to a request is read before anything can go wrong.
        count = {"compile": 1, "put": 1, "run": sum(w.startswith("=") for w in words)}.get(words[0], 0)
        following = [frame() for _ in range(count)]
        try:
            reply, arrays = handle(words, following)
            reply = ["ok"] + reply
        except Exception as error:  # noqa: BLE001: whatever it is, the client hears of it
            told = f"{type(error).__name__}: {error}".split()
            reply, arrays = ["error"] + told[:400], []
        send(" ".join(reply).encode())
        for array in arrays:
            send(np.ascontiguousarray(array).tobytes())
        out.flush()
