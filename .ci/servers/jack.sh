# SPDX-License-Identifier: Apache-2.0
# The JACK half: a server of its own name, and a client with a known delay as the loop.

jack_delay=1234
jack_period=256

jack_ring() {
  bash .ci/setup.sh .ci/servers/jack.txt ||
    { skip "JACK: its Debian packages could not be installed"; return 0; }
  local tool
  for tool in jackd jack_iodelay jack_connect jack_lsp gcc aplay alsabat cyclictest; do
    command -v "$tool" >/dev/null || { skip "JACK: '$tool' is not on this machine"; return 0; }
  done
  programs
  jack_program

  export JACK_DEFAULT_SERVER=haprig-ring-$$ JACK_NO_START_SERVER=1 JACK_NO_AUDIO_RESERVATION=1
  start jackd jackd -n "$JACK_DEFAULT_SERVER" -R -P 70 -d dummy -r 48000 -p $jack_period -C 2 -P 2
  jackd=$last_started
  settles jack_lsp || { cat "$scratch/jackd.log"; skip "JACK: its server does not start"; return 0; }
  start jackdelay "$work/bin/jackdelay" $jack_delay
  settles sh -c 'jack_lsp | grep -q ringdelay:out_2' || { fail "JACK: the loop does not start"; return 0; }
  echo "JACK $(jackd --version | sed -n 's/^jackdmp version \([^ ]*\).*/\1/p'), dummy driver," \
    "$jack_period frames at 48 kHz, a loop of $jack_delay frames"

  jack_tells_delay
  three_tries "JACK: every sample through the PCM 'jack', and the loop's delay" jack_duplex
  three_tries "JACK: arecord hears what aplay plays" jack_aplay
  alsabat_on plug:jackring "JACK"
  follow_on jackring JACK
  jack_haprig
}

jack_program() {
  [ "$work/bin/jackdelay" -nt Tests/SoundServers/jackdelay.c ] ||
    gcc -std=gnu11 -O2 -Wall -Wextra -Werror -o "$work/bin/jackdelay" Tests/SoundServers/jackdelay.c -ljack
}

jack_xruns() { grep -c '^xrun' "$scratch/jackdelay.log" || true; }

# iodelay CHANNEL: the round trip that jack_iodelay measures through a channel of the loop.
iodelay() {
  start iodelay stdbuf -oL jack_iodelay
  local process=$last_started
  settles sh -c 'jack_lsp | grep -q jack_delay:in' || return 1
  jack_connect jack_delay:out "ringdelay:in_$1"
  jack_connect "ringdelay:out_$1" jack_delay:in
  settles grep -q 'total roundtrip' "$scratch/iodelay.log" || true
  sleep 1
  kill "$process"
  wait "$process" 2>/dev/null || true
  sed -n 's/^ *\([0-9.]*\) frames .*total roundtrip.*/\1/p' "$scratch/iodelay.log" | tail -n 1
}

# The peer's word: jack_iodelay feeds itself, which costs it one period on both channels.
jack_tells_delay() {
  local direct delayed
  direct=$(iodelay 1) delayed=$(iodelay 2)
  echo "  jack_iodelay: $direct frames through the wire, $delayed through the delay"
  jack_said=$(awk "BEGIN { print ${delayed:-0} - ${direct:-0} }")
}

jack_duplex() {
  local before ticks line status=0 latency
  before=$(jack_xruns) ticks=$(cpu_ticks "$jackd")
  cyclictest -m -q -p80 -i1000 -D5 -t1 >"$scratch/cyclictest.log" 2>&1 &
  latency=$!
  line=$(timeout -k 5 60 "$work/bin/duplex" jackring jackring FLOAT 2 $jack_period 4 5 60) || status=$?
  ticks=$(($(cpu_ticks "$jackd") - ticks))
  wait "$latency" || true
  local delays wire delayed reported
  delays=$(field delay "$line") reported=$(($(jack_xruns) - before))
  wire=${delays%,*} delayed=${delays#*,}
  : "${wire:=0}" "${delayed:=0}"
  echo "  $line"
  echo "  the server reported $reported xruns and had $(share "$ticks" 5) of a processor" \
    "(one of $(nproc)); cyclictest meanwhile: $(sed -n 's/.*\(Min:.*\)/\1/p' "$scratch/cyclictest.log")"
  echo "  the delay's channel behind the wire's: $((delayed - wire)) frames, jack_iodelay says" \
    "$jack_said, set are $jack_delay"
  if [ "$status" -eq 0 ] && [ $((delayed - wire)) -eq $jack_delay ]; then
    # jack_iodelay's own word may be spoiled by an xrun: then it is no witness.
    awk "BEGIN { d = $jack_said - $jack_delay; exit !(d < 0.01 && d > -0.01) }" && return 0
    jack_tells_delay
    return 1
  fi
  verdict 1 $((reported + $(duplex_xruns "$line")))
}

# Two programs: a second of noise on channel 1 and 2, found again in the recording.
jack_aplay() {
  local before status=0 reported
  before=$(jack_xruns)
  two_programs jackring FLOAT_LE || status=$?
  reported=$(($(jack_xruns) - before))
  echo "  $found ($reported xruns reported)"
  verdict $status $reported
}

# haprig measures the loop twice, over the wire and over the delay. Each stream starts at a cycle of
# its own, so the two differ by the delay and a whole number of periods.
jack_haprig() {
  local try direct status before silent=0
  for try in 1 2 3; do
    status=0 before=$(jack_xruns)
    haprig_measures jack-wire || status=$?
    [ $status -eq 77 ] && { skip "JACK: haprig latency: no .build/release/haprig with that verb"; return 0; }
    direct=${frames:-}
    [ $status -ne 0 ] || haprig_measures jack || status=$?
    [ "$(jack_xruns)" -ne "$before" ] || silent=1
    [ $status -ne 0 ] && continue
    echo "  haprig latency: $direct frames over the wire, $frames over the delay"
    if awk "BEGIN { d = $frames - $direct - $jack_delay; p = $jack_period;
        r = d - p * int(d / p + (d < 0 ? -0.5 : 0.5)); exit !(r < 0.05 && r > -0.05) }"; then
      pass "JACK: haprig latency agrees with jack_iodelay (modulo the period)"
      return 0
    fi
  done
  if [ $silent -eq 1 ]; then
    fail "JACK: haprig latency agrees with jack_iodelay, in three tries"
  else
    skip "JACK: haprig latency: the server reported xruns in all of three tries, this machine is too busy"
  fi
}
