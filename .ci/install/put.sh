#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# put.sh [--remove]: puts what `make install` built, and the files that go with it, where they belong; --remove takes the same
# files away again and leaves what people made (/etc/haprig, /var/lib/haprig).
#
#   PREFIX       /usr/local   program, manual, documents, rigs, plans, patterns, completions
#   DESTDIR      (none)       stands before every path, for packages
#   SYSCONFDIR   PREFIX/etc   limits.d: read by PAM below /etc alone
#   SYSTEMDDIR   PREFIX/lib/systemd/system    UDEVDIR  PREFIX/lib/udev/rules.d    ALSADIR  PREFIX/lib/haprig
set -euo pipefail
cd "$(dirname "$0")/../.."
umask 022

prefix=${PREFIX:-/usr/local}
built=.build-install/release
to=${DESTDIR:-}
share=$prefix/share
remove=
case "${1:-}" in
  "") ;;
  --remove) remove=yes ;;
  *) echo "usage: put.sh [--remove]" >&2; exit 2 ;;
esac

# put FILE PLACE [MODE]
put() {
  if [ -n "$remove" ]; then
    rm -f "$to$2"
    # Folders of haprig's own go with their last file; those of the system stay, empty or not.
    local folder
    folder=$(dirname "$2")
    while [[ $folder == */haprig* ]] && rmdir "$to$folder" 2>/dev/null; do folder=$(dirname "$folder"); done
  else
    install -D -m "${3:-0644}" "$1" "$to$2"
  fi
}

# put_all FOLDER PLACE: every file of the folder, and of those below it.
put_all() {
  local file
  while IFS= read -r file; do put "$1/$file" "$2/$file"; done < <(cd "$1" && find . -type f -printf '%P\n' | sort)
}

# Documents name files of rigs by their place in the project.
if [ -n "$remove" ]; then
  rm -f "$to$share/doc/haprig/rigs"
else
  mkdir -p "$to$share/doc/haprig"
  ln -sfn ../../haprig/rigs "$to$share/doc/haprig/rigs"
fi

put "$built/haprig" "$prefix/bin/haprig" 0755
put "$built/libasound_module_pcm_haprig.so" "${ALSADIR:-$prefix/lib/haprig}/libasound_module_pcm_haprig.so"

put_all rigs "$share/haprig/rigs"
put_all docs "$share/doc/haprig/docs"
for file in README.md CHANGELOG.md NOTICE LICENSE; do put "$file" "$share/doc/haprig/$file"; done
put fleet/pyproject.toml "$share/haprig/fleet/pyproject.toml"
for file in fleet/haprig_fleet/*.py fleet/haprig_fleet/book.sql fleet/haprig_fleet/py.typed; do
  put "$file" "$share/haprig/$file"
done
put_all .build-install/man "$share/man/man1"
put .build-install/completions/haprig.bash "$share/bash-completion/completions/haprig"
put .build-install/completions/_haprig "$share/zsh/vendor-completions/_haprig"
put .build-install/completions/haprig.fish "$share/fish/vendor_completions.d/haprig.fish"

for unit in docs/system/*.service docs/system/*.timer; do
  put "$unit" "${SYSTEMDDIR:-$prefix/lib/systemd/system}/${unit##*/}"
done
put rigs/70-haprig.rules "${UDEVDIR:-$prefix/lib/udev/rules.d}/70-haprig.rules"
put docs/system/limits.conf "${SYSCONFDIR:-$prefix/etc}/security/limits.d/haprig.conf"
