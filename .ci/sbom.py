#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""sbom.py PROGRAM OUT: writes a software bill of materials (CycloneDX 1.5) of a built haprig: the Swift packages that are compiled in,
Swift itself, and the shared libraries that the program really names, by the Debian packages that bring them."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# By SPDX's names. The licences of Debian's packages stand in their copyright files, which are no data.
LICENCES = {
    "swift-argument-parser": "Apache-2.0 WITH Swift-exception", "yams": "MIT", "swift": "Apache-2.0 WITH Swift-exception",
    "libasound2": "LGPL-2.1-or-later", "libblas3": "BSD-3-Clause", "libopenblas0-pthread": "BSD-3-Clause", "libc6": "LGPL-2.1-or-later",
    "libcminpack1": "BSD-3-Clause", "libebur128-1": "MIT", "libfftw3-double3": "GPL-2.0-or-later", "liblapack3": "BSD-3-Clause",
    "liblapacke": "BSD-3-Clause", "libpng16-16": "libpng-2.0", "libqrencode4": "LGPL-2.1-or-later", "libsndfile1": "LGPL-2.1-or-later",
    "libsoxr0": "LGPL-2.1-or-later", "libsqlite3-0": "blessing", "libssl3": "Apache-2.0", "libusb-1.0-0": "LGPL-2.1-or-later",
    "libgcc-s1": "GPL-3.0-or-later WITH GCC-exception-3.1", "libstdc++6": "GPL-3.0-or-later WITH GCC-exception-3.1",
}


def said(*words: str) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=True, env={**os.environ, "LC_ALL": "C"}).stdout


def component(name: str, version: str, purl: str) -> dict:
    licence = LICENCES.get(name.lower())
    return {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl,
            **({"licenses": [{"expression": licence}]} if licence else {})}


def swift_packages() -> list[dict]:
    """Those of Package.swift, whose versions are exact; what only makes pages comes after its condition."""
    found = re.findall(r'url: "https://([^"]+)", exact: "([^"]+)"', (ROOT / "Package.swift").read_text().split("\nif Context.environment")[0])
    made = [component(url.rpartition("/")[2], version, f"pkg:swift/{url}@{version}") for url, version in found]
    version = re.search(r"Swift version (\S+)", said("swift", "--version"))[1]
    return [*made, component("swift", version, f"pkg:swift/github.com/swiftlang/swift@{version}")]


def libraries(program: str) -> list[dict]:
    """The packages of the libraries that the program names itself; what those need is theirs."""
    named = re.findall(r"\(NEEDED\).*\[(.+)\]", said("readelf", "-d", program))
    places = dict(re.findall(r"(\S+) => (/\S+)", said("ldd", program)))
    packages = set()
    for name in named:
        place = places.get(name)
        if place is None or "/swift/" in place:
            continue
        for way in (place, os.path.realpath(place), "/usr" + place):
            owner = subprocess.run(["dpkg", "-S", way], capture_output=True, text=True)
            if owner.returncode == 0:
                packages.add(owner.stdout.split(":")[0])
                break
        else:
            sys.exit(f"{name} ({place}) belongs to no package of Debian's")
    made = []
    for package in sorted(packages):
        version = said("dpkg-query", "-W", "-f", "${Version}", package)
        made.append(component(package, version, f"pkg:deb/debian/{package}@{version.replace(':', '%3A').replace('+', '%2B')}"))
    return made


def main() -> None:
    program, out = sys.argv[1:]
    version = said(program, "--version").strip()
    parts = swift_packages() + libraries(program)
    unknown = [part["name"] for part in parts if "licenses" not in part]
    if unknown:
        sys.exit(f"{sys.argv[0]}: the licences of {', '.join(unknown)} are not in its table")
    reference = f"pkg:generic/haprig@{version}"
    bill = {
        "$schema": "http://cyclonedx.org/schema/bom-1.5.schema.json", "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"component": {"type": "application", "bom-ref": reference, "name": "haprig", "version": version, "purl": reference,
                                   "licenses": [{"expression": "Apache-2.0"}]}},
        "components": parts, "dependencies": [{"ref": reference, "dependsOn": [part["bom-ref"] for part in parts]}],
    }
    Path(out).write_text(json.dumps(bill, indent=1) + "\n")
    print(f"{out}: haprig {version} and {len(parts)} components")


main()
