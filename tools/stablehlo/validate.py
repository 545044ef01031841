"""Parses and verifies modules: the files that are named, else what `compile` frames hold."""
import sys
import time

from modules import context, parsed, signature


def main(paths):
    failed = 0
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file, context() as within:
                parsed(file.read(), within)
            print(f"ok {path}")
        except Exception as error:  # noqa: BLE001
            failed += 1
            print(f"error {path}: {error}")
    return 1 if failed else 0


def handle(words, frames):
    if words[0] == "hello":
        return ["validate"], []
    if words[0] != "compile":
        raise ValueError(f"a validator does not know `{words[0]}`")
    start = time.perf_counter()
    with context() as within:
        inputs, results = signature(parsed(frames[0].decode(), within))
    return [f"{1e3 * (time.perf_counter() - start):.3f}", "inputs", *inputs, "results", *results], []


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(main(sys.argv[1:]))
    from frames import serve

    serve(handle)
