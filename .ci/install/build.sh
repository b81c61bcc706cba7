#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build.sh: builds what is installed into .build-install: the program and the virtual card's plug-in with Swift's runtime linked in, so that
# neither needs a toolchain where it runs; the manual; completions. Equal sources give equal bytes, in whatever folder.
set -euo pipefail
cd "$(dirname "$0")/../.."
export LC_ALL=C TZ=UTC

# The compiler's optimiser meets some things in the order of their addresses, and these hang on the lengths of paths and of the environment: this
# folder is built where it lies at a place that is the same for all, which nobody else sees, with an environment that is, at addresses
# that are not random, by one thread; or some functions of many thousand come out otherwise (docs/decisions/054-packages.md).
place=/mnt
if [ "$PWD" != $place ]; then
  for away in "unshare --mount" "unshare --user --map-root-user --mount"; do
    $away mount --rbind "$PWD" $place 2>/dev/null || continue
    exec $away bash -c 'mount --rbind "$PWD" "$0" && cd "$0" && exec bash .ci/install/build.sh' $place
  done
  echo "this folder cannot be built at $place: builds in two folders may differ in some bytes" >&2
fi
fixed=(env -i "PATH=$PATH" ${HOME:+"HOME=$HOME"} LC_ALL=C TZ=UTC SWIFT_DETERMINISTIC_HASHING=1 setarch "$(uname -m)" --addr-no-randomize)
"${fixed[@]}" true 2>/dev/null || { echo "addresses are random here: two builds may differ in some bytes" >&2; fixed=(); }

folder=.build-install
built=$folder/release
# What was built at another place knows the paths of that one.
[ "$(cat "$folder/place" 2>/dev/null)" = "$PWD" ] || rm -rf "$folder"/{build.db,*-linux-gnu,generator}
mkdir -p "$folder" && echo "$PWD" >"$folder/place"
flags=(-c release --scratch-path "$folder" -debug-info-format none -Xswiftc -static-stdlib
  -Xswiftc -file-prefix-map -Xswiftc "$PWD=haprig" -Xcc "-ffile-prefix-map=$PWD=haprig" -Xlinker -s -Xlinker --build-id=none -Xswiftc -num-threads -Xswiftc 1)
# What is fetched may need the environment.
swift package --scratch-path "$folder" resolve
"${fixed[@]}" swift build "${flags[@]}" --product haprig
# ALSA asks the plug-in for two symbols; all others are nobody's, so that the runtime in it and the one in the program that loads it stay
# apart.
"${fixed[@]}" swift build "${flags[@]}" -Xlinker -Bsymbolic -Xlinker --gc-sections -Xlinker "--version-script=$PWD/.ci/install/plugin.map" \
  --product asound_module_pcm_haprig

# The generator is a part of swift-argument-parser that its package offers to no other.
parser=$folder/checkouts/swift-argument-parser
swift build -c release --package-path "$parser" --scratch-path "$folder/generator" --product generate-manual
rm -rf "$folder/man" "$folder/completions"
mkdir -p "$folder/man" "$folder/completions"
day=$(sed -n 's/^## \[[0-9.]*\] - \([0-9-]*\)$/\1/p' CHANGELOG.md | head -1)
"$folder/generator/release/generate-manual" "$built/haprig" --multi-page --date "$day" --output-directory "$folder/man"
python3 .ci/install/man.py "$folder/man" "${PREFIX:-/usr/local}"
"$built/haprig" --generate-completion-script bash | sed '1{/^#!/d}' >"$folder/completions/haprig.bash"
"$built/haprig" --generate-completion-script zsh >"$folder/completions/_haprig"
"$built/haprig" --generate-completion-script fish >"$folder/completions/haprig.fish"
