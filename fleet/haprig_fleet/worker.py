# SPDX-License-Identifier: Apache-2.0
"""A machine that joins: Buildbot's worker, with nothing to configure but where its master is and its token."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from buildbot_worker.bot import Worker
from twisted.application.internet import TimerService
from twisted.internet import defer, reactor as _reactor
from twisted.python import log

from haprig_fleet.clerk import Timing

reactor: Any = _reactor


def run(host: str, port: int, machine: str, token: str, folder: Path, timing: Timing) -> int:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.chdir(folder)
    log.startLogging(sys.stdout, setStdout=False)
    worker: Any = Worker(host, port, machine, token, str(folder.resolve()), keepalive=0)
    worker.bot.max_line_length = 1 << 24  # A line of JSON that is longer is cut, within a number too.

    async def ask() -> None:
        """Buildbot's own worker asks for a sign as well, and waits for it for ever: of a cut network it would learn when TCP
        gives up, after a quarter of an hour in which haprig plays on."""
        master: Any = worker.bf.perspective
        if master is not None and not master.broker.disconnected:
            try:
                await master.callRemote("keepalive").addTimeout(timing.answer, reactor)
            except Exception:
                log.msg("the master gives no sign, the connection is cut")
                master.broker.transport.abortConnection()

    TimerService(timing.keepalive, lambda: defer.ensureDeferred(ask())).setServiceParent(worker)
    worker.startService()
    reactor.addSystemEventTrigger("before", "shutdown", worker.stopService)
    reactor.run()
    return 0
