"""The protocol of the resident tools, on the standard input and output.

A frame is its length, 32 bits little-endian, and so many bytes. A request is a frame of words, then
frames of what the words announce; so is a reply, whose first word is `ok` or `error` (then the rest
is a message). Requests are answered one after the other; the end of the input ends the process. So
does a frame that is longer than `LIMIT`, after an error: where the next one begins is not known.

    hello                          ok VERSIONS..
    compile NAME, text             ok MILLISECONDS inputs TYPE.. results TYPE..
    put NAME TYPE, bytes           ok                         (the buffer stays on the device)
    run NAME [@BUFFER | =TYPE].. [keep:INDEX:BUFFER]..
                                   ok MICROSECONDS TYPE.., bytes of each result that is not kept
    get BUFFER                     ok TYPE, bytes
    free BUFFER..                  ok

A TYPE is `f32:2,3`: element and extents. `=TYPE` is an argument whose bytes follow in a frame.
"""
import os
import struct
import threading
import time

import numpy as np

# Bytes of a frame at most; a request of words has far fewer.
LIMIT = 1 << 31
WORDS = 1 << 20

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


def end_with(parent):
    """Ends the process when its parent does: no orphan stays, though others hold its input open.

    Asked again and again, as the kernel's own signal tells of the end of the *thread* that started it.
    """
    while os.getppid() == parent:
        time.sleep(0.2)
    os._exit(1)


def serve(handle):
    """Answers requests by `handle(words, frame)`, which gives words and arrays, until the input ends."""
    # What prints goes to the error output, and cannot be taken for a frame.
    out = os.fdopen(os.dup(1), "wb", buffering=1 << 20)
    os.dup2(2, 1)
    source = os.fdopen(os.dup(0), "rb", buffering=1 << 20)
    threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()

    def frame(limit=LIMIT):
        head = source.read(4)
        if len(head) < 4:
            raise SystemExit
        (length,) = struct.unpack("<I", head)
        if length > limit:
            refuse(f"a frame of {length} bytes where {limit} are the most")
            raise SystemExit(f"a frame of {length} bytes")
        found = source.read(length)
        if len(found) < length:
            raise SystemExit
        return found

    def send(bytes_):
        out.write(struct.pack("<I", len(bytes_)))
        out.write(bytes_)

    def refuse(message):
        send(" ".join(["error", *message.split()[:400]]).encode())
        out.flush()

    while True:
        request = frame(WORDS)
        try:
            words = request.decode().split()
        except UnicodeDecodeError as error:
            refuse(f"a request is text: {error}")
            continue
        if not words:
            refuse("a request of no words")
            continue
        # All that belongs to a request is read before anything can go wrong.
        count = {"compile": 1, "put": 1, "run": sum(w.startswith("=") for w in words)}.get(words[0], 0)
        following = [frame() for _ in range(count)]
        try:
            reply, arrays = handle(words, following)
        except Exception as error:  # noqa: BLE001: whatever it is, the client hears of it
            refuse(f"{type(error).__name__}: {error}")
            continue
        send(" ".join(["ok", *reply]).encode())
        for array in arrays:
            send(np.ascontiguousarray(array).tobytes())
        out.flush()


def asked(words, inline, buffers, inputs, results):
    """The arguments and what is kept of a run's words, all of it checked: a run may take buffers away."""
    arguments, keep = [], {}
    for argument in words:
        if argument.startswith("="):
            arguments.append(array_of(next(inline), argument[1:]))
        elif argument.startswith("@"):
            if argument[1:] not in buffers:
                raise ValueError(f"no buffer `{argument[1:]}`")
            arguments.append(buffers[argument[1:]])
        else:
            kind, index, name = argument.split(":")
            if kind != "keep" or not index.isdecimal() or int(index) >= len(results) or int(index) in keep:
                raise ValueError(f"`{argument}` keeps none of the {len(results)} results, or one twice")
            keep[int(index)] = name
    given = [word(argument) for argument in arguments]
    if given != inputs:
        raise ValueError(f"the module takes {inputs}, and was given {given}")
    return arguments, keep
