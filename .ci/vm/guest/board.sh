# SPDX-License-Identifier: Apache-2.0
# haprig on a board over USB: the kernel's own USB under libusb, a program as the board.

BOARD_STEPS="board_listed board_latency board_stall_passed board_babbled board_unplugged board_deaf
  board_absent board_busy boards_told_apart board_replugged"

has_board() {
  has_haprig || return
  haprig --help | grep -q '^  latency ' || return 77
  haprig devices | grep -q '^usb ' || { echo "this haprig knows no USB yet"; return 77; }
}

# plug_board [SERIAL [PORT]]: hangs a board on its bus and waits until its node is there.
plug_board() {
  before=$(ls /dev/bus/usb/* | grep -c '^0')
  usbboard "${2:-1}" "${1:-BOARD0001}" >"/tmp/board.${2:-1}.log" 2>&1 &
  board=$!
  echo "$board" >>/tmp/board.pids
  tries=0
  until [ "$(ls /dev/bus/usb/* | grep -c '^0')" -gt "$before" ] &&
    grep -q "${1:-BOARD0001}" /sys/bus/usb/devices/*/serial 2>/dev/null; do
    tries=$((tries + 1))
    [ $tries -lt 100 ] || { echo "the board did not appear"; return 1; }
    usleep 50000
  done
}

unplug_boards() {
  [ -e /tmp/board.pids ] || return 0
  kill $(cat /tmp/board.pids) 2>/dev/null
  rm /tmp/board.pids
  tries=0
  while grep -q "ring board" /sys/bus/usb/devices/*/product 2>/dev/null && [ $tries -lt 100 ]; do
    tries=$((tries + 1))
    usleep 50000
  done
}

board_listed() {
  has_board || return
  plug_board && haprig devices >devices.log || return 1
  contains devices.log "1209:4852 'ring board'" && contains devices.log "driver: board" &&
    contains devices.log "may be opened" && result "$(grep -A 1 '1209:4852' devices.log | tr '\n' ';')"
}

# The wire inside the board has no delay: frame k of the reference is frame k of the drive.
board_latency() {
  has_board || return
  plug_board && rig board
  haprig latency --rig rig.yaml --restarts 2 --seconds 2 >latency.log 2>&1
  expect_last 0 $? latency.log || return 1
  result "$(tr '\n' ';' <latency.log)"
  unplug_boards
  usleep 100000
  carried 2000
}

# carried COUNT: the board's own account: so many packets at the least each way, none lost or damaged,
# and its output never ran dry.
carried() {
  log=/tmp/board.1.log
  grep -q ', 0 underruns, 0 damaged, 0 lost' $log || { cat $log; return 1; }
  counts=$(sed -n 's/^\([0-9]*\) packets in, \([0-9]*\) out.*/\1 \2/p' $log)
  for count in ${counts:-0}; do
    [ "$count" -ge "$1" ] || { echo "$counts packets where $1 are due"; return 1; }
  done
  result "$(grep packets $log)"
}

# disturbed_by SIGNAL STATUS: the board gets a signal in the midst of a measurement.
disturbed_by() {
  haprig latency --rig rig.yaml --restarts 1 --seconds 4 >latency.log 2>&1 &
  program=$!
  sleep 2
  kill "-$1" "$board"
  wait $program
  expect_last "$2" $? latency.log
}

board_stall_passed() {
  has_board || return
  plug_board && rig board && disturbed_by USR1 0 && result "$(head -n 2 latency.log | tail -n 1)"
}

# More than was asked for: the take ends, the output is off.
board_babbled() {
  has_board || return
  plug_board && rig board && disturbed_by HUP 3 && contains latency.log "more than" || return 1
  unplug_boards
  usleep 100000
  # haprig stopped it: its own watchdog would have left it in state 2.
  contains /tmp/board.1.log "in state 0" && driven_at_most 20500
}

# driven_at_most MICROSECONDS: the board's own account of its output after the signal.
driven_at_most() {
  wait "$board" 2>/dev/null
  log=/tmp/board.1.log
  grep -q "still driven" $log && { echo "the output stayed on"; return 1; }
  time=$(sed -n 's/^driven for \([0-9]*\) us.*/\1/p' $log)
  [ "${time:-0}" -le "$1" ] || { echo "driven for $time us after the fault"; return 1; }
  result "$(tr '\n' ';' <$log)"
}

board_unplugged() {
  has_board || return
  plug_board && rig board && disturbed_by TERM 3 && contains latency.log "unplugged" &&
    driven_at_most 20500
}

board_deaf() {
  has_board || return
  plug_board && rig board && disturbed_by USR2 3 && contains latency.log "did not" || return 1
  unplug_boards
  usleep 100000
}

# refused_board WORD...: haprig ends with a device fault, or with $wanted_code, and says each of these words.
refused_board() {
  timeout 20 haprig latency --rig rig.yaml --restarts 1 --seconds 2 >refused.log 2>&1
  expect_last ${wanted_code:-3} $? refused.log || return 1
  for word in "$@"; do contains refused.log "$word" || return 1; done
  result "$(tail -n 1 refused.log)"
}

board_absent() {
  has_board || return
  rig board && refused_board "not on the bus"
}

board_busy() {
  has_board || return
  plug_board && rig board
  haprig latency --rig rig.yaml --restarts 1 --seconds 6 >first.log 2>&1 &
  program=$!
  sleep 2
  # Another name: the lock of the rig is not what refuses here.
  sed -i 's/^name: .*/name: second/' rig.yaml
  wanted_code=75 refused_board "holds it" "haprig"
  status=$?
  wait $program
  expect_last 0 $? first.log && return $status
}

boards_told_apart() {
  has_board || return
  plug_board BOARD0001 1 && plug_board BOARD0002 2 && rig board || return 1
  refused_board "BOARD0001" "BOARD0002" || return 1
  rig board 's/device: usb/device: usb\n  serial: BOARD0002/'
  haprig latency --rig rig.yaml --restarts 1 --seconds 1.5 >latency.log 2>&1
  expect_last 0 $? latency.log
}

board_replugged() {
  has_board || return
  rig board 's/device: usb/device: usb\n  serial: BOARD0001/'
  for turn in 1 2 3; do
    plug_board || return 1
    haprig latency --rig rig.yaml --restarts 1 --seconds 1.5 >latency.log 2>&1
    expect_last 0 $? latency.log || return 1
    unplug_boards
  done
  plug_board OTHER && refused_board "BOARD0001" "OTHER"
}
