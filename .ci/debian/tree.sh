#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# inside COMMAND...: runs it as root of the Debian in the folder $tree, with nothing of this machine's environment.
inside() {
  chroot "$tree" /usr/bin/env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
    DEBIAN_FRONTEND=noninteractive "$@"
}
