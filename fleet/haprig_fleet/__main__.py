# SPDX-License-Identifier: Apache-2.0
"""haprig-fleet: the master of a fleet, or a machine that joins it."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any

from twisted.internet import reactor as _reactor

from haprig_fleet import master, worker
from haprig_fleet.clerk import Timing


reactor: Any = _reactor


def steady() -> None:
    """Twisted counts its waits by the wall clock: set back by an hour, master and machines would do nothing for an hour; set
    forward, every limit would be over. Buildbot writes down what the reactor says as a date, so it begins as one."""
    begun = time.time() - time.monotonic()
    reactor.seconds = lambda: begun + time.monotonic()


def main() -> int:
    parser = argparse.ArgumentParser(prog="haprig-fleet", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    leads = commands.add_parser("master", help="run the master in the foreground")
    leads.add_argument("fleet", type=Path, help="what `haprig fleet check FILE --json` printed")
    leads.add_argument("--folder", type=Path, required=True, help="where the master keeps its own state")
    joins = commands.add_parser("join", help="join a fleet as one of its machines, in the foreground")
    joins.add_argument("master", metavar="MASTER:PORT")
    joins.add_argument("--machine", required=True, help="this machine's name in fleet.yaml")
    joins.add_argument("--token-file", type=Path, required=True, help="the machine's token, a file of mode 600")
    joins.add_argument("--folder", type=Path, help="where the worker keeps its own state ($STATE_DIRECTORY, ~/.local/state/haprig-fleet)",
                       default=Path(os.environ.get("STATE_DIRECTORY") or Path.home() / ".local/state/haprig-fleet"))
    for command in (leads, joins):
        command.add_argument("--timing", default="", help="seconds of waits, such as look=1,backoff=60")
    given = parser.parse_args()
    try:
        pairs = [pair.partition("=") for pair in given.timing.split(",") if pair]
        steady()
        timing = Timing(**{name: float(value) for name, _, value in pairs})
        if given.command == "master":
            return master.run(given.fleet, given.folder, timing)
        return worker.run(*master.address(given.master), given.machine, master.secret(given.token_file), given.folder, timing)
    except (OSError, ValueError, TypeError) as fault:
        print(f"haprig-fleet: {fault}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
