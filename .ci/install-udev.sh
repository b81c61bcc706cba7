#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# install-udev.sh: installs rigs/70-haprig.rules, so that the user at the machine and the members of the group
# plugdev may open the USB devices and accelerometers that haprig knows. DESTDIR stands before the folder, for
# packages and tests.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=${DESTDIR:-}/etc/udev/rules.d

as_root=()
if [ -z "${DESTDIR:-}" ] && [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null 2>&1; then
    echo "copy rigs/70-haprig.rules to $folder as root: there is no sudo here" >&2
    exit 2
  fi
  as_root=(sudo)
fi
"${as_root[@]}" install -D -m 0644 rigs/70-haprig.rules "$folder/70-haprig.rules"
echo "installed $folder/70-haprig.rules"
[ -z "${DESTDIR:-}" ] || exit 0
# Debian has the group from the start, others have not: udev passes over a group that is not there.
if ! getent group plugdev >/dev/null; then
  "${as_root[@]}" groupadd --system plugdev
  echo "made the group plugdev"
fi
if command -v udevadm >/dev/null 2>&1; then
  "${as_root[@]}" udevadm control --reload || echo "udev does not run here: the rules hold from its next start" >&2
  "${as_root[@]}" udevadm trigger --subsystem-match=usb --subsystem-match=iio || true
else
  echo "there is no udev here: plug the devices in again where there is" >&2
fi
echo "for use over ssh or by a service: sudo usermod -aG plugdev USER, then log in again"
