#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build.sh: makes the packages of what `.ci/install/build.sh` built: .build-install/haprig_VERSION_ARCH.deb and haprig-fleet's. The change
# log's newest entry gives version and date, so that equal sources give equal bytes.
set -euo pipefail
cd "$(dirname "$0")/../.."
bash .ci/setup.sh .ci/debian/packages.txt

version=$(sed -n 's/.*static let text = "\(.*\)"/\1/p' Sources/haprig/Console/Console.swift)
read -r logged day < <(sed -n 's/^## \[\([0-9.]*\)\] - \([0-9-]*\)$/\1 \2/p' CHANGELOG.md)
if [ "$version" != "$logged" ]; then
  echo "the program is $version and the newest entry of CHANGELOG.md is $logged: write down what changed" >&2
  exit 2
fi

tree=.build-install/tree
rm -rf "$tree" && mkdir -p "$tree"
cp -r .ci/debian "$tree/debian"
(
  echo "haprig ($version-1) unstable; urgency=medium"
  echo
  echo "  * The changes are in /usr/share/doc/haprig/changelog.gz."
  echo
  echo " -- haprig maintainers <maintainers@haprig.example>  $(LC_ALL=C date -u -R -d "$day")"
) >"$tree/debian/changelog"
SOURCE_DATE_EPOCH=$(date -u -d "$day" +%s)
export SOURCE_DATE_EPOCH HAPRIG=$PWD TZ=UTC LC_ALL=C
(cd "$tree" && debian/rules binary >../deb.log 2>&1) || { tail -30 .build-install/deb.log >&2; exit 1; }
ls -l .build-install/*.deb | awk '{ printf "%s  %.1f MB\n", $9, $5 / 1e6 }'
