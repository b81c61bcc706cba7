# SPDX-License-Identifier: Apache-2.0
# Runs the steps in order: a step is a function of peers.sh, haprig.sh or board.sh that is named in its list.
# Its result is its status: 0 passed, 77 skipped (its last line says why), anything else failed.
# A step has 60 s of the guest's time; what it left running is ended.
set -u
. /ring/cards.sh
. /ring/peers.sh
. /ring/haprig.sh
. /ring/board.sh
only=$(cat /ring/only)
passed=0 failed=0 skipped=0

load_drivers || exit 1
for step in $PEER_STEPS $HAPRIG_STEPS $BOARD_STEPS; do
  case " ${only:-$step} " in *" $step "*) ;; *) continue ;; esac
  read -r before _ </proc/uptime
  timeout -s KILL 60 sh /ring/step.sh "$step" >/tmp/step.log 2>&1
  status=$?
  killall -q -CONT aplay arecord duplex haprig
  killall -q -KILL aplay arecord duplex haprig
  read -r after _ </proc/uptime
  unplug_usb
  unplug_boards
  took=$(awk "BEGIN { printf \"%.1f\", $after - $before }")
  case $status in
    0) passed=$((passed + 1)) word=passed ;;
    77) skipped=$((skipped + 1)) word=skipped ;;
    *) failed=$((failed + 1)) word="FAILED ($status)" ;;
  esac
  echo "== $step: $word, $took s"
  if [ $status -eq 0 ]; then grep '^>' /tmp/step.log; else tail -n 40 /tmp/step.log | sed 's/^/   /'; fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
