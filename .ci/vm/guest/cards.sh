# SPDX-License-Identifier: Apache-2.0
# The cards of the guest, and words that steps are written in.

load_drivers() {
  while read -r module; do
    case $module in
      # Two pairs: one that a rig plays and records through, and one that brings it a sound to follow.
      snd-aloop) options="pcm_substreams=2 timer_source=hw:Dummy,0,0" ;;
      snd-dummy) options="hrtimer=1 pcm_substreams=1" ;;
      *) options= ;;
    esac
    insmod "/ring/modules/$module.ko" $options || return 1
  done </ring/modules/order
}

# fill_loop: plays on both pairs of the loop, so that the next program finds the card busy.
fill_loop() {
  players=
  for pair in 0 1; do
    aplay -q -D hw:Loopback,0,$pair -f S32_LE -c 4 -r 48000 /dev/zero &
    players="$players $!"
  done
  usleep 300000
}

# with_clock PERIOD COMMAND...: the loop's clock ticks every PERIOD frames while COMMAND runs. The
# loop has no clock of its own but the kernel's tick of 4 ms, too coarse for small periods; with
# this one a tick moves both streams by one period of theirs, which must be PERIOD too.
with_clock() {
  aplay -q -D hw:Dummy,0 -f S16_LE -c 2 -r 48000 --period-size="$1" --buffer-size=$(($1 * 64)) \
    /dev/zero 2>/tmp/clock.log &
  clock=$!
  shift
  usleep 200000
  "$@"
  result=$?
  kill $clock
  wait $clock 2>/dev/null
  return $result
}

# plug_usb [WIRE_MS [RECORDING]]: hangs the USB sound card on its bus and waits until it is a card.
plug_usb() {
  usbcard 0 "$@" >/tmp/usb.log 2>&1 &
  echo $! >/tmp/usb.pid
  tries=0
  until grep -q 'haptic ring' /proc/asound/cards && [ -e "/dev/snd/controlC$(usb_card)" ]; do
    tries=$((tries + 1))
    [ $tries -lt 100 ] || { echo "the USB card did not appear"; return 1; }
    usleep 50000
  done
}

usb_card() { awk '/haptic ring/ { print $1; exit }' /proc/asound/cards; }

usb_name() { awk -F'[][]' '/haptic ring/ { print $2; exit }' /proc/asound/cards | tr -d ' '; }

unplug_usb() {
  [ -e /tmp/usb.pid ] || return 0
  kill "$(cat /tmp/usb.pid)" 2>/dev/null
  rm /tmp/usb.pid
  tries=0
  while grep -q 'haptic ring' /proc/asound/cards && [ $tries -lt 100 ]; do
    tries=$((tries + 1))
    usleep 50000
  done
}

# sleep_kernel SECONDS: sends the machine's devices to sleep and wakes them, as a suspend does.
sleep_kernel() {
  echo "$1" >/sys/module/suspend/parameters/pm_test_delay
  echo devices >/sys/power/pm_test
  echo freeze >/sys/power/state
}

# expect STATUS COMMAND...: the command's status must be this one.
expect() {
  wanted=$1
  shift
  "$@"
  got=$?
  [ $got -eq "$wanted" ] || { echo "'$*' ended with $got instead of $wanted"; return 1; }
}

# expect_last STATUS GOT LOG: the same of a command that ended already; its log is shown if not.
expect_last() {
  [ "$2" -eq "$1" ] || { echo "ended with $2 instead of $1:"; cat "$3"; return 1; }
}

# contains FILE WORDS: the file has these words, in any case of letters.
contains() {
  grep -qi -- "$2" "$1" || { echo "nothing about '$2' in:"; cat "$1"; return 1; }
}

# result TEXT: a line that is printed though the step passed.
result() { echo "> $*"; }
