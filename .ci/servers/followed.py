# SPDX-License-Identifier: Apache-2.0
"""Says whether a record of haprig follow has heard a sound and driven by it as late as it states: followed.py RECORD.json"""
import json, sys

record = json.load(open(sys.argv[1]))
windows = [window for window in record["windows"] if "heardToDrive" in window]
print(f"  {record['seconds']} s heard, {record['dropped']} samples dropped, {record['underrunFrames']} frames late, "
      f"the server held {1e3 * record['inputDelay']:.1f} ms")
for window in windows:
    found, stated = window["heardToDrive"]["seconds"], record["stated"]["typical"] + window["buffers"]
    print(f"  sound to the drive {1e3 * found:.2f} ms, stated {1e3 * stated:.2f} ms")
clean = [window for window in windows
         if abs(window["heardToDrive"]["seconds"] - record["stated"]["typical"] - window["buffers"]) < 1e-3]
sys.exit(0 if record["dropped"] == 0 and len(clean) >= 2 and len(clean) == len(windows) else 1)
