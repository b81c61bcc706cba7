# SPDX-License-Identifier: Apache-2.0
# Steps that both servers share: programs that know nothing of the ring.

# verdict STATUS REPORTED: of a try: 0 clean, 1 wrong though no xrun was reported, 2 wrong after one.
verdict() {
  [ "$1" -eq 0 ] && return 0
  [ "$2" -eq 0 ] && return 1
  return 2
}

# duplex_xruns LINE: those that the checker's own two streams had; one where it came to no line.
duplex_xruns() {
  local play capture
  play=$(field xruns_play "$1") capture=$(field xruns_capture "$1")
  echo $((${play:-1} + ${capture:-0}))
}

# two_programs PCM FORMAT: arecord beside aplay. Its status is 0 when every
# frame that was played is in the recording, in order and unaltered; $found is a sentence about it.
two_programs() {
  local pcm=$1 format=$2 recorder
  found=
  python3 .ci/servers/noise.py make "$format" >"$scratch/played.raw"
  timeout -k 5 30 arecord -q -D "$pcm" -f "$format" -c 2 -r 48000 -t raw -d 4 "$scratch/heard.raw" \
    2>"$scratch/arecord.log" &
  recorder=$!
  sleep 1
  timeout -k 5 30 aplay -q -D "$pcm" -f "$format" -c 2 -r 48000 -t raw "$scratch/played.raw" \
    2>"$scratch/aplay.log" || { found="aplay: $(tail -n 1 "$scratch/aplay.log")"; }
  wait "$recorder" || true
  [ -n "$found" ] && return 1
  found=$(python3 .ci/servers/noise.py find "$format" "$scratch/played.raw" "$scratch/heard.raw")
}

# alsabat_on PCM SERVER: plays a tone, records it and looks for it. It may hang where a server
# stumbles, so it has a time of its own. LC_ALL=C: with another locale it reads a stale errno.
alsabat_on() {
  local try status
  for try in 1 2 3; do
    status=0
    LC_ALL=C timeout -k 5 30 alsabat -D "$1" -c 2 -r 48000 -f S16_LE -n 2s -F 997 -E 1024 -B 4096 \
      >"$scratch/alsabat.log" 2>&1 || status=$?
    if [ $status -eq 0 ]; then
      pass "$2: alsabat: $(grep -m1 -i 'peak' "$scratch/alsabat.log" | sed 's/^ *//')"
      return 0
    fi
  done
  tail -n 5 "$scratch/alsabat.log" | sed 's/^/  /'
  skip "$2: alsabat ended with $status in three tries"
}
