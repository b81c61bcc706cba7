# SPDX-License-Identifier: Apache-2.0
# A player plays into a server, and haprig follows what comes out of it.

# follow_on PCM NAME: bursts that aplay plays, followed by the simulated rig on its real clock.
follow_on() {
  [ -x "$haprig" ] || { skip "$2: haprig follow: no .build/release/haprig"; return 0; }
  [ -f "$scratch/bursts.wav" ] || python3 .ci/servers/bursts.py "$scratch/bursts.wav"
  local try status
  for try in 1 2 3; do
    start follow-player aplay -q -D "plug:$1" "$scratch/bursts.wav"
    local player=$last_started
    status=0
    timeout -s INT -k 5 14 "$haprig" follow --rig rigs/simulated-lra.yaml --input "plug:$1" -q \
      --record "$scratch/follow.json" 2>"$scratch/follow.log" || status=$?
    kill "$player" 2>/dev/null || true
    # timeout's own word is 124, haprig's 130.
    if [ $status -eq 124 ] && python3 .ci/servers/followed.py "$scratch/follow.json"; then
      pass "$2: haprig follow hears what aplay plays"
      return 0
    fi
    cat "$scratch/follow.log"
  done
  fail "$2: haprig follow hears what aplay plays, in three tries"
}
