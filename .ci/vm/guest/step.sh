# SPDX-License-Identifier: Apache-2.0
# Runs one step, a function of peers.sh, haprig.sh or board.sh, by its name.
set -u
. /ring/cards.sh
. /ring/peers.sh
. /ring/haprig.sh
. /ring/board.sh
"$1"
