# SPDX-License-Identifier: Apache-2.0
# What other programs and the plain checker see of the cards: the ground that haprig's steps stand on.

PEER_STEPS="cards_listed loop_records_what_is_played loop_runs_both_ways usb_runs_both_ways
  usb_plays_every_sample busy_card_refused period_refused rate_refused usb_unplugged
  stall_is_seen suspend_is_seen cyclictest_beside"

cards_listed() {
  plug_usb && aplay -l && arecord -l &&
    [ "$(aplay -l | grep -c Loopback)" -ge 2 ] && [ "$(arecord -l | grep -c Loopback)" -ge 2 ] &&
    aplay -l | grep -q 'USB Audio' && arecord -l | grep -q 'USB Audio' &&
    result "$(awk '/\[/ { sub(/^ *[0-9]+ /, ""); print }' /proc/asound/cards | tr '\n' ';')"
}

# holds_played RECORDING: after some silence it has played.raw's frames, of 16 bytes, all of them.
holds_played() {
  silent=$(cmp "$1" /dev/zero | sed -n 's/.*char \([0-9]*\).*/\1/p')
  [ -n "$silent" ] || { echo "$1 is silent"; return 1; }
  silent=$(((silent - 1) / 16))
  frames=$(($(wc -c <played.raw) / 16))
  dd if="$1" bs=16 skip=$silent count=$frames 2>/dev/null | cmp - played.raw
}

# Two programs, two processes: what arecord writes holds what aplay played, byte by byte.
loop_records_what_is_played() {
  dd if=/dev/urandom of=played.raw bs=16384 count=94 2>/dev/null
  with_clock 256 sh -c '
    set -- -q -f S32_LE -c 4 -r 48000 -t raw --period-size=256 --buffer-size=4096
    arecord -D hw:Loopback,1 "$@" -d 4 heard.raw & heard=$!
    usleep 100000
    aplay -D hw:Loopback,0 "$@" played.raw
    wait $heard'
  holds_played heard.raw && result "$frames frames of 4 channels, bit by bit, after $silent of silence"
}

loop_runs_both_ways() {
  for period in 64 128 256; do
    for format in S32 S16 FLOAT; do
      [ $period -ne 64 ] && [ $format != S32 ] && continue
      line=$(with_clock $period duplex hw:Loopback,0 hw:Loopback,1 $format 4 $period 3 3 80) ||
        { echo "$format at $period: $line"; return 1; }
      result "$format $line"
    done
  done
}

usb_runs_both_ways() {
  plug_usb 2 || return 1
  for period in 48 64 256; do
    line=$(duplex "hw:$(usb_name)" "hw:$(usb_name)" S32 4 $period 4 3 80) ||
      { echo "at $period: $line"; return 1; }
    result "$line"
  done
}

# What arrived inside the device, not what came back.
usb_plays_every_sample() {
  dd if=/dev/urandom of=played.raw bs=16000 count=48 2>/dev/null
  plug_usb 2 /tmp/arrived.raw || return 1
  aplay -q -D "hw:$(usb_name)" -f S32_LE -c 4 -r 48000 -t raw played.raw || return 1
  unplug_usb
  holds_played arrived.raw && result "$frames frames arrived in the device, bit by bit"
}

busy_card_refused() {
  fill_loop
  timeout 10 aplay -D hw:Loopback,0 -f S32_LE -c 4 -r 48000 -d 1 /dev/zero 2>second.log
  second=$?
  kill $players
  expect_last 1 $second second.log && contains second.log "busy"
}

# A bus frame is a millisecond, so the driver has no period below 48 frames.
period_refused() {
  plug_usb || return 1
  expect 2 duplex "hw:$(usb_name)" "hw:$(usb_name)" S32 4 16 4 1 2>refused.log &&
    contains refused.log "period"
}

rate_refused() {
  plug_usb || return 1
  aplay -D "hw:$(usb_name)" -f S32_LE -c 4 -r 44100 -d 1 --dump-hw-params /dev/zero 2>refused.log
  contains refused.log "rate" && contains refused.log "48000"
}

usb_unplugged() {
  plug_usb || return 1
  duplex "hw:$(usb_name)" "hw:$(usb_name)" S32 4 64 4 30 80 >unplug.log 2>&1 &
  program=$!
  sleep 1
  unplug_usb
  wait $program
  status=$?
  cat unplug.log
  [ $status -eq 3 ] || { echo "the checker ended with $status instead of 3"; return 1; }
  ! grep -q 'haptic ring' /proc/asound/cards && result "$(tr "\n" ";" <unplug.log)"
}

# The checker can fail: a process that is held up for 20 ms loses samples at 64 frames, and says so.
stall_is_seen() {
  with_clock 64 sh -c '
    duplex hw:Loopback,0 hw:Loopback,1 S32 4 64 3 3 80 >stall.log & program=$!
    sleep 1
    kill -STOP $program
    usleep 20000
    kill -CONT $program
    wait $program'
  status=$?
  [ $status -eq 1 ] || { echo "ended with $status instead of 1: $(cat stall.log)"; return 1; }
  result "$(cat stall.log)"
}

# ESTRPIPE: the stream is told that its machine slept.
sleep_while_playing() {
  aplay -D hw:Loopback,0 -f S32_LE -c 4 -r 48000 --period-size=256 /dev/zero 2>suspend.log &
  program=$!
  sleep 1
  sleep_kernel 1 || { echo "this kernel cannot test a suspend"; return 77; }
  sleep 1
  kill $program
}

suspend_is_seen() {
  with_clock 256 sleep_while_playing || return
  contains suspend.log "suspended" && result "$(grep -i suspended suspend.log)"
}

cyclictest_beside() {
  result "$(cyclictest -m -q -p80 -i1000 -D5 -t1 | tail -n 1)"
}
