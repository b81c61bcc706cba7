# SPDX-License-Identifier: Apache-2.0
# The PipeWire half: a server with a sink that has no hardware, and its monitor as the loop.

pipewire_ring() {
  bash .ci/setup.sh .ci/servers/pipewire.txt ||
    { skip "PipeWire: its Debian packages could not be installed"; return 0; }
  local tool
  for tool in pipewire wireplumber dbus-daemon pw-cli pw-top gcc aplay arecord alsabat; do
    command -v "$tool" >/dev/null || { skip "PipeWire: '$tool' is not on this machine"; return 0; }
  done
  programs
  mkdir -p "$XDG_CONFIG_HOME/pipewire/pipewire.conf.d"
  cp .ci/servers/pipewire.conf "$XDG_CONFIG_HOME/pipewire/pipewire.conf.d/ring.conf"
  export DBUS_SESSION_BUS_ADDRESS=unix:path=$scratch/bus
  start dbus dbus-daemon --session --nofork --nopidfile --address="$DBUS_SESSION_BUS_ADDRESS"
  settles test -S "$scratch/bus" || { skip "PipeWire: no D-Bus of its own"; return 0; }
  start pipewire pipewire
  pipewire=$last_started
  start wireplumber wireplumber
  settles sh -c 'pw-cli ls Node | grep -q ring-sink' ||
    { cat "$scratch/pipewire.log"; skip "PipeWire: its server does not start"; return 0; }
  sleep 1
  echo "PipeWire $(pipewire --version | sed -n 's/^Linked with libpipewire //p'), a sink without hardware"

  three_tries "PipeWire: every sample through the PCM 'pipewire'" pipewire_duplex
  three_tries "PipeWire: arecord hears what aplay plays" pipewire_aplay
  alsabat_on pipering "PipeWire"
  follow_on pipering PipeWire
  pipewire_haprig
}

# The sum of the column ERR: what the server counts as xruns of all its nodes.
pipewire_xruns() {
  { timeout 10 pw-top -b -n 2 2>/dev/null || true; } |
    awk '/ERR/ { for (i = 1; i <= NF; i++) if ($i == "ERR") column = i; sum = 0; next }
      column { sum += $column } END { print sum + 0 }'
}

pipewire_duplex() {
  local before ticks line status=0 reported
  before=$(pipewire_xruns) ticks=$(cpu_ticks "$pipewire")
  line=$(timeout -k 5 60 "$work/bin/duplex" pipering pipering S16 2 1024 4 5 60) || status=$?
  ticks=$(($(cpu_ticks "$pipewire") - ticks))
  reported=$(($(pipewire_xruns) - before))
  echo "  $line"
  echo "  the server reported $reported xruns and had $(share "$ticks" 5) of a processor"
  verdict "$status" $((reported + $(duplex_xruns "$line")))
}

pipewire_aplay() {
  local before status=0 reported
  before=$(pipewire_xruns)
  two_programs pipering S16_LE || status=$?
  reported=$(($(pipewire_xruns) - before))
  echo "  $found ($reported xruns reported)"
  verdict $status $reported
}

# PipeWire gives each run a delay of its own, so a delay is compared with nothing: it is printed.
pipewire_haprig() {
  local try status
  for try in 1 2 3; do
    status=0
    haprig_measures pipewire || status=$?
    [ $status -eq 77 ] && { skip "PipeWire: haprig latency: no .build/release/haprig with that verb"; return 0; }
    [ $status -eq 0 ] && { pass "PipeWire: haprig latency: $frames frames"; return 0; }
  done
  fail "PipeWire: haprig latency, in three tries"
}
