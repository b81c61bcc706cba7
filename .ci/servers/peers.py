#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One table of wake-ups, xruns and processor time: haprig's record beside its peers.

    peers.py PERIOD RECORD CYCLIC "XRUNS SHARE"

CYCLIC is the output of `cyclictest -h`, the last argument jackd's xruns and CPU share, or "- -".
A bound is the upper end of a bin: haprig's are powers of two of a microsecond, cyclictest's are one.
"""
import json
import re
import sys


def bound(bins, share):
    """The end of the bin in which the share of all counts is reached, in microseconds."""
    total, seen = sum(count for _, count in bins), 0
    for end, count in bins:
        seen += count
        if seen >= share * total:
            return end
    return bins[-1][0]


def row(name, bins, largest, xruns, share):
    """`largest` is in microseconds, or nothing; no bin reaches beyond it."""
    cells = [""] * 4
    if largest:
        cells = [f"{min(bound(bins, part), largest):.0f} us" for part in (0.5, 0.99, 0.999)]
        cells.append(f"{largest:.0f} us")
    print("  " + "".join(f"{cell:>12}" for cell in [*cells, xruns, share]) + f"   {name}")


period, record, cyclic, peer = sys.argv[1:]
with open(record) as file:
    take = json.load(file)["patterns"][0]["takes"][0]
stream = take["stream"]
print(f"  {period} frames, {stream.get('scheduling', 'no scheduling')}, {stream['duration']:.0f} s together:")
print("  " + "".join(f"{head:>12}" for head in ["p50", "p99", "p99.9", "largest", "xruns", "CPU"]))
jitter = stream["jitter"]
counts = [(float(1 << place), count) for place, count in enumerate(jitter["counts"])]
row("haprig's render thread with the card's physics in it", counts, jitter["largest"] * 1e6,
    str(stream["xruns"]), f"{100 * stream['cpuShare']:.1f} %")
with open(cyclic) as file:
    text = file.read()
bins = [(int(at) + 1.0, int(count)) for at, count in re.findall(r"^(\d+)\s+(\d+)\s*$", text, re.M)]
largest = re.search(r"Max Latencies:\s*(\d+)", text)
if largest and sum(count for _, count in bins) > 0:
    row("cyclictest", bins, int(largest[1]), "", "")
else:
    print("  cyclictest: not on this machine, or without permission for SCHED_FIFO")
xruns, _, share = peer.partition(" ")
if xruns == "-":
    print("  jackd: not on this machine, or its server does not start")
else:
    row("jackd, dummy driver, one client", [], 0, xruns, share)
