#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# boot.sh VMLINUX PAYLOAD SECONDS: runs the payload and prints the guest's console.
#
# The machine counts instructions, not time (-icount): a guest nanosecond is half an instruction,
# and idle time is skipped. So nothing that is measured inside depends on how busy this machine is,
# and the guest's real-time behaviour is that of a processor of 500 MIPS, not of this one. KVM is
# never used: its time is this machine's.
set -euo pipefail
timeout --kill-after=10 "$3" qemu-system-x86_64 \
  -accel tcg,thread=single,tb-size=512 -icount shift=1,sleep=off \
  -rtc base=2026-01-01,clock=vm -cpu max -M pc -smp 1 -m 1024 \
  -nodefaults -display none -serial stdio -no-reboot \
  -kernel "$1" -initrd "$2" \
  -append "console=ttyS0 quiet panic=-1 edd=off mitigations=off tsc=reliable lpj=10000000 audit=0 \
apparmor=0 cryptomgr.notests nokaslr" </dev/null | sed -u 's|\r||g'
