# Runs one step, a function of peers.sh or haprig.sh, by its name.
set -u
. /ring/cards.sh
. /ring/peers.sh
. /ring/haprig.sh
"$1"
