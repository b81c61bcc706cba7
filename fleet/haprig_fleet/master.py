# SPDX-License-Identifier: Apache-2.0
"""Buildbot's master for a fleet: its configuration of haprig.fleet/1, its folder, its start."""

from __future__ import annotations

import fcntl
import os
import sys
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from buildbot.config.master import MasterConfig
from buildbot.master import BuildMaster
from buildbot.plugins import schedulers, util
from buildbot.scripts.upgrade_master import upgradeDatabase
from buildbot.worker import Worker
from twisted.application import service
from twisted.internet import defer, reactor as _reactor
from twisted.python import log

from haprig_fleet.clerk import Clerk, FleetBuild, Timing, attempt, given
from haprig_fleet.description import Fleet, Rig, Wrong, read
from haprig_fleet.step import Haprig

reactor: Any = _reactor


def secret(path: Path) -> str:
    """What stands in a file that others cannot read."""
    if path.stat().st_mode & 0o077:
        raise Wrong(f"{path} can be read by others: chmod 600 {path}")
    if not (text := path.read_text().strip()):
        raise Wrong(f"{path} is empty")
    return text


def users(path: Path) -> dict[str, str]:
    """Who may see the page: a line NAME:PASSWORD each."""
    pairs = [line.partition(":") for line in secret(path).splitlines() if line.strip()]
    if not all(name and password for name, _, password in pairs):
        raise Wrong(f"{path} must have lines NAME:PASSWORD")
    return {name: password for name, _, password in pairs}


def address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal():
        raise Wrong(f"{text!r} must be HOST:PORT")
    return host.strip("[]"), int(port)


def endpoint(text: str) -> str:
    host, port = address(text)
    return f"tcp:{port}:interface=" + host.replace(":", r"\:")


class FleetWorker(Worker):
    """Buildbot rests a machine after a fault, twice as long each time, up to an hour: one faulty rig would take its
    neighbours along. What waits, and how long, is in the book."""

    def putInQuarantine(self) -> None:
        pass


def _builder(fleet: Fleet, rig: Rig, timing: Timing) -> Any:
    machine = fleet.machine(rig.name)
    assert machine is not None
    factory = util.BuildFactory([Haprig(rig, machine, fleet.archive, timing.term)])
    factory.buildClass = FleetBuild
    return util.BuilderConfig(name=rig.name, workernames=[rig.machine], factory=factory,
                              canStartBuild=lambda builder, _worker, request: attempt(request) in given(builder.master),
                              locks=[util.MasterLock(f"rig {rig.name}").access("exclusive")])


def configure(path: Path, timing: Timing) -> dict[str, Any]:
    """What Buildbot calls BuildmasterConfig, of a file with haprig.fleet/1."""
    fleet = read(path)
    passwords = Path(fleet.master.passwords)
    people = users(passwords / "page.users")
    # Orders go into the book: haprig fleet run.
    rules = [util.RebuildBuildEndpointMatcher(role="nobody"), util.ForceBuildEndpointMatcher(role="nobody"),
             util.AnyEndpointMatcher(role="people")]
    return {
        "title": f"haprig's fleet {fleet.name}", "titleURL": "https://buildbot.net", "buildbotURL": f"http://{fleet.master.page}/",
        "buildbotNetUsageData": None, "collapseRequests": False, "db": {"db_url": "sqlite:///state.sqlite"},
        # Buildbot asks its database twice of each builder that waits, at each event: with 200 rigs it begins nothing for minutes.
        # The book has the order.
        "prioritizeBuilders": lambda _master, builders: builders,
        "protocols": {"pb": {"port": endpoint(fleet.master.listen)}},
        "workers": [FleetWorker(each.name, secret(passwords / f"{each.name}.token"), max_builds=each.jobs) for each in fleet.machines],
        "builders": [_builder(fleet, rig, timing) for rig in fleet.rigs],
        # Buildbot asks for one that drives the builders; this one waits to be triggered, which nothing does.
        "schedulers": [schedulers.Triggerable(name="clerk", builderNames=[rig.name for rig in fleet.rigs])],
        "services": [Clerk(fleet=fleet, timing=timing)],
        "configurators": [util.JanitorConfigurator(logHorizon=timedelta(days=90), hour=12, minute=0)],
        "www": {"port": endpoint(fleet.master.page), "plugins": {}, "auth": util.UserPasswordAuth(people),
                "authz": util.Authz(rules, [util.RolesFromUsername(roles=["people"], usernames=list(people))])},
    }


def run(path: Path, folder: Path, timing: Timing) -> int:
    """The master in the foreground, its folder made or brought up to date first."""
    path, folder, failed = path.resolve(), folder.resolve(), []
    # Asked at the start and at each SIGHUP.
    loader = SimpleNamespace(loadConfig=lambda: MasterConfig.loadFromDict(configure(path, timing), str(path)))
    os.umask(0o077)
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Wrong(f"{folder} is the folder of a master that runs") from None
        configuration = loader.loadConfig()
        os.chdir(folder)
        log.startLogging(sys.stdout, setStdout=False)

        @defer.inlineCallbacks
        def start() -> Any:
            try:
                yield upgradeDatabase({"basedir": str(folder), "quiet": True}, configuration)
                master = BuildMaster(str(folder), config_loader=loader)
                master.setServiceParent(service.Application("haprig-fleet"))
                yield master.startService()
            except Exception:
                log.err(None, "the master did not start")
                failed.append(1)
                reactor.stop()

        reactor.callWhenRunning(start)
        reactor.run()
    return 3 if failed else 0
