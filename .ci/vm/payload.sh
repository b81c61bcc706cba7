#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# payload.sh KERNEL OUT [STEP...]: the guest's whole file system as a cpio, read into its memory at
# boot: nothing that it does waits for this machine's disk. Libraries are at the paths that they have
# here.
set -euo pipefail
kernel=$1
out=$2
shift 2
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root"/{proc,sys,dev,tmp,run,root,etc,ring} "$root"/usr/{bin,sbin,lib,lib64,share}
for folder in bin sbin lib lib64; do ln -s "usr/$folder" "$root/$folder"; done

# program FILE: copies it to /usr/bin, and what it is linked to.
program() {
  local name library
  name=$(basename "$1")
  rm -f "$root/usr/bin/$name"
  cp -L "$1" "$root/usr/bin/$name"
  { ldd "$1" || true; } | { grep -o '/[^ ]*' || true; } | while read -r library; do
    [ -e "$root$library" ] && continue
    mkdir -p "$(dirname "$root$library")"
    cp -L "$library" "$root$library"
  done
}

cp "$(command -v busybox)" "$root/usr/bin/busybox"
for applet in $(busybox --list); do
  [ "$applet" = busybox ] || ln -sf busybox "$root/usr/bin/$applet"
done
for name in aplay amixer arecord cyclictest; do program "$(command -v "$name")"; done
cp -rL /usr/share/alsa "$root/usr/share/"
rm -rf "$root"/usr/share/alsa/{ucm*,topology,alsa.conf.d}

# The rings' own programs, modules, steps and rigs.
program .build/vm/bin/duplex
program .build/vm/bin/usbcard
program .build/vm/bin/usbboard
cp -r "$kernel/modules" "$root/ring/modules"
cp -r .ci/vm/guest/. .ci/vm/rigs "$root/ring/"
mv "$root/ring/init" "$root/init"
chmod +x "$root/init"
echo "$*" >"$root/ring/only"

# haprig as a user builds it, where it is built; HAPRIG_PROGRAM names another.
haprig=${HAPRIG_PROGRAM:-.build/release/haprig}
if [ -x "$haprig" ]; then
  program "$haprig"
  cp -r rigs/patterns "$root/ring/patterns"
  cp rigs/simulated-*.yaml "$root/ring/rigs/"
  python3 .ci/servers/bursts.py "$root/ring/bursts.wav"
fi
(cd "$root" && find . | sort | cpio -o -H newc --quiet) >"$out"
echo "payload: $(($(stat -c %s "$out") / 1000000)) MB$([ -x "$haprig" ] || echo ", without haprig")"
