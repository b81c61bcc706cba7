#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# fleet.sh HAPRIG FLEET: makes the tree of the package haprig-fleet: the plug-in and the Buildbot that it was tested with, as they come
# from PyPI, in a folder of their own that no other Python program sees. What of the fleet lies in HAPRIG's tree moves over.
set -euo pipefail
cd "$(dirname "$0")"
haprig=$1 fleet=$2
library=$fleet/usr/lib/haprig-fleet
mkdir -p "$library" "$fleet/usr/bin" "$fleet/lib/systemd/system"

cache=../../.build-install/pip
python3 -m venv ../../.build-install/venv
../../.build-install/venv/bin/pip install -q --disable-pip-version-check --cache-dir "$cache" --no-compile --no-deps --only-binary :all: \
  --target "$library" -r fleet-requirements.txt
cp -r "$haprig/usr/share/haprig/fleet/haprig_fleet" "$library/"
rm -rf "$haprig/usr/share/haprig/fleet" "$library/bin"
mv "$haprig"/lib/systemd/system/haprig-fleet-*.service "$fleet/lib/systemd/system/"
# Tests of others, and sources of extensions, are not run here.
find "$library" \( -name test -o -name tests -o -name testing \) -type d -prune -exec rm -rf {} +
find "$library" \( -name '*.pyx' -o -name '*.pxd' -o -name direct_url.json -o -name RECORD -o -name INSTALLER -o -name REQUESTED -o -name .gitignore \) -delete
# A compiler of FlatBuffers' schemas, which nothing here asks for.
rm -rf "$library/autobahn/_flatc/bin"
find "$library" -type d -exec chmod 0755 {} + ; find "$library" -type f -exec chmod 0644 {} +

cat >"$fleet/usr/bin/haprig-fleet" <<'PROGRAM'
#!/usr/bin/python3 -IB
"""The master of a fleet, or a machine that joins it."""
import sys

sys.path.insert(0, "/usr/lib/haprig-fleet")
sys.argv[0] = "haprig-fleet"

from haprig_fleet.__main__ import main

sys.exit(main())
PROGRAM
chmod 0755 "$fleet/usr/bin/haprig-fleet"
install -D -m 0644 haprig-fleet.8 "$fleet/usr/share/man/man8/haprig-fleet.8"
