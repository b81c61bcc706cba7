# SPDX-License-Identifier: Apache-2.0
# haprig on the cards. Each step is skipped where this haprig was not built, or is older than ALSA.

HAPRIG_STEPS="haprig_simulates haprig_lists_cards haprig_latency_on_loop haprig_latency_on_usb
  haprig_runs_on_loop haprig_runs_on_usb haprig_no_reference haprig_no_card haprig_busy
  haprig_period_refused haprig_rate_refused haprig_channel_out_of_range haprig_unplugged
  haprig_held_up haprig_follows_loop haprig_follows_no_other_rate haprig_suspended haprig_clock_stepped haprig_terminated haprig_stopped"

has_haprig() {
  command -v haprig >/dev/null ||
    { echo "there was no .build/release/haprig: build it with 'make demo'"; return 77; }
}

has_alsa() {
  has_haprig || return
  haprig --help | grep -q '^  latency ' || { echo "this haprig knows no ALSA yet"; return 77; }
}

# rig NAME [SED]: a rig file of this name with a change, for this guest's cards.
rig() {
  sed -e "s/USB_CARD/$(usb_name)/" -e "${2:-}" "/ring/rigs/$1.yaml" >/tmp/rig.yaml
}

# plays_while REPEATS SECONDS ACT...: runs the isolated taps, some three seconds each time, and does
# ACT so many seconds after the start. haprig's status is in $status, what it said in run.log, its
# record in record.json.
plays_while() {
  repeats=$1
  moment=$2
  shift 2
  rm -rf runs
  haprig run /ring/patterns/taps-isolated.ahap --rig rig.yaml --repeats $repeats --archive runs \
    >run.log 2>&1 &
  program=$!
  sleep "$moment"
  kill -0 $program || { echo "haprig had ended before the act:"; cat run.log; return 1; }
  "$@"
  wait $program
  status=$?
  cat run.log
  # A run that ends by a fault has a record too.
  cp runs/*/record.json record.json || { echo "no record was written (status $status)"; return 1; }
}

# reading NAME: its values in record.json, one a line; 'not measured' where one has none.
reading() {
  awk -v wanted="\"name\": \"$1\"" 'BEGIN { RS = "}" }
    index($0, wanted) {
      if (match($0, /"value": [-+.0-9eE]+/)) print substr($0, RSTART + 9, RLENGTH - 9)
      else print "not measured"
    }' record.json
}

# all_zero NAME: every value of the reading is there, and zero.
all_zero() {
  values=$(reading "$1" | sort -u | tr '\n' ' ')
  case $values in "0.0 " | "0 ") ;; *) echo "$1: $values"; return 1 ;; esac
}

# The program, its libraries and its arithmetic work in the guest.
haprig_simulates() {
  has_haprig || return
  haprig run /ring/patterns/taps-isolated.ahap --rig /ring/rigs/simulated-lra.yaml --archive runs \
    >run.log 2>&1
  expect_last 0 $? run.log && result "$(grep 'taps-isolated  ' run.log)"
}

haprig_lists_cards() {
  has_alsa || return
  plug_usb || return 1
  haprig devices >devices.log 2>&1
  expect_last 0 $? devices.log && contains devices.log "Loopback" &&
    contains devices.log "RING0001" && result "$(grep RING0001 devices.log)"
}

# The loop's delay: on both cards a whole number of frames, and on the USB card of bus frames (48) in
# each of the three streams, since its two directions may start in different ones.
latency() {
  haprig latency --rig rig.yaml --restarts 3 --seconds 3 --json >latency.json 2>latency.log
  status=$?
  cat latency.log
  [ $status -eq 0 ] || { echo "haprig latency ended with $status"; return 1; }
  frames=$(sed -n 's/.*"frames": \([-+.0-9eE]*\).*/\1/p' latency.json)
  awk "BEGIN { f = $frames - int($frames + 0.5); exit !(f > -0.02 && f < 0.02) }" ||
    { echo "$frames is no whole number of frames:"; cat latency.json; return 1; }
  result "$frames frames; between restarts $(sed -n 's/.*"betweenRestarts": \([^,]*\).*/\1/p' latency.json) s"
}

haprig_latency_on_loop() {
  has_alsa || return
  rig loop && with_clock 64 latency
}

haprig_latency_on_usb() {
  has_alsa || return
  plug_usb 2 && rig usb && latency
}

# A run without faults loses nothing.
runs_clean() {
  plays_while 2 1 true || return 1
  [ $status -le 1 ] || { echo "haprig ended with $status"; return 1; }
  all_zero xruns && all_zero dropouts && [ "$(reading latency.electrical | grep -c not)" -eq 0 ] &&
    result "electrical, by take: $(reading latency.electrical | tr '\n' ' ')s"
}

haprig_runs_on_loop() {
  has_alsa || return
  rig loop && with_clock 64 runs_clean
}

haprig_runs_on_usb() {
  has_alsa || return
  plug_usb 2 && rig usb && runs_clean
}

# follows PCM: bursts that aplay plays into the loop's second pair, followed on the loop's first one. The drive is as
# late as is stated, and nothing is lost.
follows() {
  aplay -q -D hw:Loopback,0,1 --period-size=64 --buffer-size=4096 /ring/bursts.wav 2>player.log &
  player=$!
  usleep 300000
  timeout -s INT 14 haprig follow --rig rig.yaml --input "$1" --record follow.json >follow.log 2>&1
  kill $player
  cat follow.log player.log
  grep -q '"dropped": 0,' follow.json && grep -q '"underrunFrames": 0,' follow.json ||
    { echo "samples were lost"; grep -e dropped -e underrun follow.json; return 1; }
  # The words of the windows: to the drive D +- U ms (stated S ms).
  awk '/to the drive/ { count += 1; found = stated = $0
      sub(/.*to the drive /, "", found); sub(/.*stated /, "", stated)
      if (found - stated > 0.5 || stated - found > 0.5) far += 1 }
    END { exit !(count >= 2 && far == 0) }' follow.log &&
    result "$(grep 'to the drive' follow.log | tail -n 1)"
}

haprig_follows_loop() {
  has_alsa || return
  rig loop && with_clock 64 follows plughw:Loopback,1,1
}

# Another player opens the loop at another rate while it is followed: the kernel, told to, ends the capture then.
haprig_follows_no_other_rate() {
  has_alsa || return
  rig loop
  notify on
  with_clock 64 changes_rate
  result=$?
  notify off
  return $result
}

# notify on|off: whether the loop lets a player change the rate, and tells who listens.
notify() {
  for control in $(amixer -c Loopback controls | sed -n "s/^numid=\\([0-9]*\\),.*'PCM Notify'.*/\\1/p"); do
    amixer -q -c Loopback cset numid=$control "$1"
  done
}

changes_rate() {
  aplay -q -D hw:Loopback,0,1 -f S32_LE -c 2 -r 48000 /dev/zero 2>player.log &
  player=$!
  usleep 300000
  timeout 20 haprig follow --rig rig.yaml --input hw:Loopback,1,1 --record follow.json >follow.log 2>&1 &
  follower=$!
  sleep 4
  kill $player
  aplay -q -D hw:Loopback,0,1 -f S32_LE -c 2 -r 44100 -d 2 /dev/zero 2>>player.log &
  wait $follower
  expect_last 3 $? follow.log && contains follow.log "rate" && result "$(tail -n 1 follow.log)"
}

# No number without a wire.
haprig_no_reference() {
  has_alsa || return
  plug_usb || return 1
  rig usb 's/reference: {role: reference, input: 2/reference: {role: reference, input: 4/'
  haprig latency --rig rig.yaml --restarts 1 --seconds 2 >latency.log 2>&1
  expect_last 1 $? latency.log && contains latency.log "not measured" && result "$(cat latency.log)"
}

# refused WORD...: haprig ends with a device fault, or with $wanted_code, and says each of these words.
refused() {
  timeout 20 haprig latency --rig rig.yaml --restarts 1 --seconds 2 >refused.log 2>&1
  expect_last ${wanted_code:-3} $? refused.log || return 1
  for word in "$@"; do contains refused.log "$word" || return 1; done
  result "$(tail -n 1 refused.log)"
}

haprig_no_card() {
  has_alsa || return
  rig loop 's/CARD=Loopback/CARD=Absent/' && refused "Absent" "Loopback"
}

haprig_busy() {
  has_alsa || return
  rig loop
  fill_loop
  wanted_code=75 refused "in use" "aplay"
}

# A bus frame is a millisecond, so the driver has no period below 48 frames.
haprig_period_refused() {
  has_alsa || return
  plug_usb && rig usb 's/period: 64/period: 16/' && refused "period" "16"
}

haprig_rate_refused() {
  has_alsa || return
  plug_usb && rig usb 's/rate: 48 kHz/rate: 44.1 kHz/' && refused "44100" "48000"
}

haprig_channel_out_of_range() {
  has_alsa || return
  plug_usb && rig usb 's/haptic: 3/haptic: 9/' && refused "channel"
}

haprig_unplugged() {
  has_alsa || return
  plug_usb && rig usb && plays_while 3 6 unplug_usb || return 1
  expect_last 3 "$status" run.log && contains record.json '"status": "fault"' &&
    contains record.json "not measured" &&
    result "$(grep -B 8 '"status": "fault"' record.json | sed -n 's/.*"reason": "\(.*\)",/\1/p')"
}

# Held up for 20 ms at a time, ten times: xruns, all of them in the record, and every onset that is
# measured all the same has its exact time: on this loop that of the drive itself, which passes a tenth of
# its peak within 0.2 ms.
hold_up() {
  for time in 1 2 3 4 5 6 7 8 9 10; do
    kill -STOP $program
    usleep 20000
    kill -CONT $program
    usleep 777000
  done
}

haprig_held_up() {
  has_alsa || return
  rig loop && with_clock 64 plays_while 4 2 hold_up || return 1
  [ "$status" -le 1 ] || { echo "haprig ended with $status"; return 1; }
  counted=$(reading xruns | awk '{ sum += $1 } END { print sum + 0 }')
  # A stall while a take is measured, before the next one is played, holds up nothing.
  [ "$counted" -ge 5 ] || { echo "ten stalls, and $counted xruns in the record"; return 1; }
  reading latency.onset | grep -v not >onsets
  awk '{ if ($1 > 2e-4 || $1 < 0) { print "an onset at " $1 " s"; wrong = 1 } } END { exit wrong }' \
    onsets || return 1
  result "$counted xruns; $(wc -l <onsets) onsets measured, all exact;" \
    "$(reading latency.onset | grep -c not) not measured"
}

haprig_suspended() {
  has_alsa || return
  rig loop && with_clock 64 plays_while 2 3 sleep_kernel 1 || return 1
  [ "$status" -eq 0 ] && all_zero xruns && all_zero dropouts &&
    { echo "the machine slept for a second, and the record knows nothing of it"; return 1; }
  result "haprig ended with $status; xruns by take: $(reading xruns | tr '\n' ' ')"
}

# The system clock jumps ahead by an hour and back: nothing that is measured may change.
step_clock() {
  date -s "@$(($(date +%s) + 3600))" >/dev/null
  sleep 1
  date -s "@$(($(date +%s) - 3600))" >/dev/null
}

haprig_clock_stepped() {
  has_alsa || return
  rig loop && with_clock 64 plays_while 2 3 step_clock || return 1
  [ "$status" -le 1 ] || { echo "haprig ended with $status"; return 1; }
  all_zero xruns && all_zero dropouts &&
    [ "$(reading latency.electrical | grep -c not)" -eq 0 ] && result "nothing lost"
}

# SIGTERM: the device's own account of when the sound ended after it.
terminate() {
  kill -USR1 "$(cat /tmp/usb.pid)"
  kill -TERM $program
}

haprig_terminated() {
  has_alsa || return
  plug_usb 2 && rig usb && plays_while 2 5 terminate || return 1
  unplug_usb
  usleep 200000
  expect_last 143 "$status" run.log && contains record.json '"status": "interrupted"' || return 1
  marked=$(sed -n 's/^marked in bus frame \([0-9]*\).*/\1/p' /tmp/usb.log)
  silent=$(sed -n 's/^last sound in bus frame \([0-9]*\).*/\1/p' /tmp/usb.log)
  [ $((silent - marked)) -le 20 ] || { echo "sound until $((silent - marked)) ms after"; return 1; }
  result "the last sound left the card $((silent - marked)) ms after SIGTERM"
}

# Another process ends the run.
haprig_stopped() {
  has_alsa || return
  plug_usb && rig usb && plays_while 2 4 haprig stop || return 1
  expect_last 143 "$status" run.log && contains record.json '"status": "interrupted"'
}
