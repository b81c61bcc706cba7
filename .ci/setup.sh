#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# setup.sh [LIST]: installs the Debian packages of a list (.ci/packages.txt) that are missing, saying
# which first. Nothing is removed for them: where one conflicts with what is here, it fails.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v swift >/dev/null 2>&1; then
  echo "haprig needs Swift 6.3 or later on the PATH: https://www.swift.org/install/linux/" >&2
  exit 2
fi
if ! said=$(swift --version 2>&1); then
  echo "Swift does not start: $said" >&2
  echo "it needs packages of its own (https://www.swift.org/install/linux/), on Debian 12:" >&2
  echo "  apt-get install binutils-gold gcc git libcurl4-openssl-dev libedit-dev libicu-dev libncurses-dev \\" >&2
  echo "    libpython3-dev libsqlite3-dev libxml2-dev pkg-config tzdata uuid-dev" >&2
  exit 2
fi

list=${1:-.ci/packages.txt}
missing=()
# Asked once for all: the database of packages takes its time to open. Names of other architectures end in ':ARCH'.
installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p')
while read -r package _; do
  case "$package" in "" | "#"*) continue ;; esac
  grep -qxF -- "${package%%:*}" <<<"$installed" || missing+=("$package")
done <"$list"
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null 2>&1; then
    echo "these packages are missing, and there is no sudo: ${missing[*]}" >&2
    exit 2
  fi
  as_root=(sudo)
fi
echo "installing ${missing[*]}${as_root:+ (with sudo)}"
"${as_root[@]}" apt-get -o DPkg::Lock::Timeout=500 update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get -o DPkg::Lock::Timeout=500 install -y -qq --no-remove --no-install-recommends "${missing[@]}"
