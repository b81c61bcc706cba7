# SPDX-License-Identifier: Apache-2.0
"""Compares EXPECTED.tsv with what Python's json module makes of the same files."""

import json
import pathlib
import sys


def read(text):
    def refuse(word):
        raise ValueError(word)

    return json.loads(text, parse_constant=refuse)


def disagreement(name, data, outcome, expected):
    try:
        value = read(data.decode("utf-8"))
    except ValueError as error:
        return f"{name}: refused by Python: {error}" if outcome == "value" else None
    if outcome == "error":
        return f"{name}: read by Python"
    if repr(value) != repr(read(expected)):
        return f"{name}: Python reads {value!r}"
    return None


folder = pathlib.Path(__file__).parent
count = 0
disagreements = []
for line in (folder / "EXPECTED.tsv").read_text(encoding="utf-8").split("\n")[1:-1]:
    name, mode, outcome, expected = line.split("\t")[:4]
    if name.startswith("i_") or mode == "lenient":
        continue
    count += 1
    found = disagreement(name, (folder / name).read_bytes(), outcome, expected)
    if found:
        disagreements.append(found)
print("\n".join(disagreements) or f"{count} files, no disagreement")
sys.exit(1 if disagreements else 0)
