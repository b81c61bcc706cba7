# SPDX-License-Identifier: Apache-2.0
# The virtual card on its real clock, beside what others do on the same machine in the same minutes.
# Times are printed and assert nothing; what is asserted is that a stopped run says so.

card_ring() {
  bash .ci/setup.sh .ci/servers/jack.txt || true
  plugin=$(dirname "$haprig")/libasound_module_pcm_haprig.so
  [ -x "$haprig" ] && [ -f "$plugin" ] ||
    { skip "card: haprig and its plugin are not built: 'make test-servers' does that"; return 0; }
  local name
  {
    echo "pcm_type.haprig { lib \"$(realpath "$plugin")\" }"
    for name in ringcard ringdeaf ringloop; do
      echo "pcm.$name { type haprig  rig \"$PWD/.ci/servers/rigs/card.yaml\"  clock real  state $name-$$ }"
    done
    cat .ci/servers/card.conf
  } >"$scratch/card.conf"
  local ALSA_CONFIG_PATH=$ALSA_CONFIG_PATH:$scratch/card.conf
  export ALSA_CONFIG_PATH
  for name in 64 256; do card_peers $name; done
  card_stops
  card_stage
  alsabat_on ringbat "virtual card"
}

# card_peers PERIOD: haprig on the virtual card, jackd's dummy driver and cyclictest, all at once, at one
# priority and one period, for twenty seconds.
card_peers() {
  local period=$1 seconds=20 process ours ticks theirs
  local micros=$((period * 1000000 / 48000))
  sed "s/^  period: 64.*/  period: $period/" .ci/servers/rigs/card.yaml >"$scratch/ours-$period.yaml"
  sed "s/\"EventDuration\": 30/\"EventDuration\": $((seconds - 1))/" .ci/servers/rigs/hold.ahap >"$scratch/hold.ahap"
  rm -rf "$scratch/ours"
  start "ours-$period" "$haprig" run "$scratch/hold.ahap" --rig "$scratch/ours-$period.yaml" \
    --archive "$scratch/ours" -q
  process=$last_started
  theirs="- -"
  if command -v jackd >/dev/null && jack_program 2>/dev/null; then
    local JACK_DEFAULT_SERVER=haprig-peer-$$ JACK_NO_START_SERVER=1 JACK_NO_AUDIO_RESERVATION=1
    export JACK_DEFAULT_SERVER JACK_NO_START_SERVER JACK_NO_AUDIO_RESERVATION
    start "jackd-$period" jackd -n "$JACK_DEFAULT_SERVER" -R -P 75 -d dummy -r 48000 -p "$period" -C 2 -P 2
    local server=$last_started client
    if settles jack_lsp; then
      start "client-$period" "$work/bin/jackdelay" 0
      client=$last_started
      theirs=measured
    fi
  fi
  : >"$scratch/cyclic"
  [ "$theirs" = measured ] && ticks=$(cpu_ticks "$server")
  if command -v cyclictest >/dev/null; then
    cyclictest -m -q -p75 -i$micros -D$seconds -t1 -h50000 >"$scratch/cyclic" 2>"$scratch/cyclic.log" || true
  else
    sleep $seconds
  fi
  if [ "$theirs" = measured ]; then
    theirs="$(grep -c '^xrun' "$scratch/client-$period.log" || true) $(share $(($(cpu_ticks "$server") - ticks)) $seconds)"
    kill "$client" "$server"
    wait "$client" "$server" 2>/dev/null || true
  fi
  for _ in $(seq 300); do kill -0 "$process" 2>/dev/null || break; sleep 0.1; done
  ours=$(ls "$scratch"/ours/*/record.json 2>/dev/null | head -n 1)
  [ -n "$ours" ] || { cat "$scratch/ours-$period.log"; fail "card: haprig on the virtual card at $period frames"; return 0; }
  python3 .ci/servers/peers.py "$period" "$ours" "$scratch/cyclic" "$theirs"
  pass "card: haprig on the virtual card beside its peers at $period frames"
}

# How long a stopped run goes on sounding, heard by another process: the frames of the card between
# the signal and the last one that is not zero.
# card_stage: how late a rig is driven that a page plays on, by the workbench's own count.
card_stage() {
  if python3 .ci/servers/stage.py "$haprig" "$scratch" >"$scratch/stage.log" 2>&1; then
    cat "$scratch/stage.log"
    pass "stage: everything that a page asked for was driven, on both rigs"
  else
    cat "$scratch/stage.log"
    fail "stage: what a page asked for was not driven"
  fi
}

card_stops() {
  command -v gcc >/dev/null || { skip "stop: 'gcc' is not on this machine"; return 0; }
  [ "$work/bin/stopwatch" -nt Tests/SoundServers/stopwatch.c ] ||
    gcc -std=gnu11 -O2 -Wall -Wextra -Werror -o "$work/bin/stopwatch" Tests/SoundServers/stopwatch.c -lasound
  local period signal line lines codes code
  for period in 64 256 1024; do
    sed "s/^  period: 64.*/  period: $period/" .ci/servers/rigs/stop.yaml >"$scratch/stop-$period.yaml"
    lines=() codes=
    for signal in 1 2 15 1 2 15 1 2 15; do
      line=$(timeout -k 5 60 "$work/bin/stopwatch" ringcard 2 2 $signal 0.5 "$haprig" play \
        .ci/servers/rigs/hold.ahap --rig "$scratch/stop-$period.yaml" -q 2>>"$scratch/stop.log") || continue
      lines+=("$(field silent_after "$line")")
      code=$(field code "$line")
      [ "$code" -eq $((128 + signal)) ] || codes="$codes $signal:$code"
    done
    if [ ${#lines[@]} -lt 3 ]; then
      tail -n 3 "$scratch/stop.log"
      skip "stop: too few of nine runs at $period frames could be heard to their end"
    elif [ -n "$codes" ]; then
      fail "stop: runs at $period frames ended with other codes than 128 and the signal:$codes"
    else
      printf '%s\n' "${lines[@]}" | sort -n | awk -v period="$period" '{ v[NR] = $1 } END {
        printf "  the signal to the last sound at %d frames: median %d frames (%.2f ms), largest %d (%.2f ms) of %d; a period is %.2f ms\n",
          period, v[int((NR + 1) / 2)], v[int((NR + 1) / 2)] / 48, v[NR], v[NR] / 48, NR, period / 48 }'
      pass "stop: a signal silences a run at $period frames"
    fi
  done
}
