#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# kernel.sh FOLDER: the kernel and modules of Debian's current linux-image-amd64, kept in FOLDER.
# Nothing is installed as this machine's kernel. What is there is used again as long as the archive
# has nothing newer, and when the archive cannot be reached.
set -euo pipefail
folder=$1
list=.ci/vm/modules.txt
modules=$(sed -E 's/[[:space:]]*#.*//; /^$/d' "$list")

package=$(apt-cache depends linux-image-amd64 2>/dev/null |
  awk '/Depends: linux-image/ { print $2; exit }')
version=$(apt-cache policy "${package:-none}" 2>/dev/null | awk '/Candidate:/ { print $2 }')
[ "$(cat "$folder/image" 2>/dev/null)" = "$package $version" ] &&
  cmp -s "$list" "$folder/modules.txt" && exit 0

# serve_kept REASON: what is kept serves when nothing newer can be had, if it has these modules.
serve_kept() {
  echo "$1" >&2
  cmp -s "$list" "$folder/modules.txt" || exit 1
  echo "going on with the kept $(cat "$folder/image")"
  exit 0
}
[ -n "$package" ] ||
  serve_kept "this machine's package lists have no linux-image-amd64: run 'apt-get update'"

new=$(mktemp -d "${folder}.XXXXXX")
trap 'rm -rf "$new"' EXIT
chmod 755 "$new"
echo "fetching $package $version"
(cd "$new" && apt-get -o APT::Sandbox::User=root download -qq "$package") ||
  serve_kept "$package could not be fetched: run 'apt-get update'"
dpkg -x "$new"/*.deb "$new/unpacked"
release=$(ls "$new/unpacked/lib/modules")
depmod -b "$new/unpacked" "$release"

# Only what the guest loads is kept: some megabytes of half a gigabyte.
mkdir -p "$new/modules"
for module in $modules; do
  PATH=$PATH:/usr/sbin:/sbin modprobe -d "$new/unpacked" -S "$release" --show-depends "$module"
done | awk '/^insmod/ { print $2 }' | awk '!seen[$0]++' | while read -r file; do
  cp "$file" "$new/modules/"
  basename "$file" .ko
done >"$new/modules/order"

# Booted by its PVH entry the kernel need not unpack itself, which takes the emulator 9 s.
python3 - "$new/unpacked/boot/vmlinuz-$release" "$new/vmlinux" <<'PYTHON'
import lzma, sys
packed = open(sys.argv[1], "rb").read()
start = packed.index(b"\xfd7zXZ\0")
open(sys.argv[2], "wb").write(lzma.LZMADecompressor().decompress(packed[start:]))
PYTHON
rm -rf "$new/unpacked" "$new"/*.deb
cp "$list" "$new/modules.txt"
echo "$package $version" >"$new/image"
rm -rf "$folder"
mv "$new" "$folder"
trap - EXIT
