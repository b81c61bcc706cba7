# SPDX-License-Identifier: Apache-2.0
"""The clerk: once a second it makes what is due, gives it to Buildbot, and writes down what became of it.

Buildbot is given only what can run now, so it never has more requests than rigs (buildbot#3395); it starts only what this process
has given it, so nothing starts behind the book's back; and it retries nothing (buildbot#4155): a build that it would retry ends,
and the job goes back into the book."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

import psycopg
from buildbot.data.resultspec import Filter
from buildbot.process.build import Build
from buildbot.process.results import CANCELLED, RETRY
from buildbot.util import poll
from buildbot.util.service import BuildbotService
from twisted.internet import defer, threads
from twisted.python import log

from haprig_fleet.book import Book, Job, OtherVersion
from haprig_fleet.description import DAYS, Fleet, Plan

Value = TypeVar("Value")
PROPERTY = "haprig"


@dataclass(frozen=True)
class Timing:
    """Seconds. Tests have shorter ones."""

    look: float = 1  # between two looks at the book
    backoff: float = 60  # before the second attempt; twice as long before each further one
    keepalive: float = 60  # between two signs that master and machine ask of each other
    answer: float = 30  # until a sign counts as missing and the connection is cut
    begin: float = 60  # until a build that Buildbot has not begun is taken back
    grace: float = 120  # beyond a job's limit, until its build counts as stuck
    term: float = 30  # from SIGTERM to SIGKILL
    patience: float = 30  # for which a master without any machine leaves the book to another


@dataclass(frozen=True)
class Outcome:
    """What became of an attempt, as the step leaves it in the build's property."""

    code: int | None
    said: str
    again: bool


# A job and the number that Buildbot gave it: a number alone may be another master's.
Attempt = tuple[str, int | None]


def tell_systemd(text: str) -> None:
    """What a unit with Type=notify waits for, and `systemctl status` shows: sd_notify(3)."""
    if place := os.environ.get("NOTIFY_SOCKET"):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as way:
            way.connect(place.replace("@", "\0", 1) if place.startswith("@") else place)
            way.sendall(text.encode())


def given(master: Any) -> dict[Attempt, FleetBuild | None]:
    """What this process has given to Buildbot, and the book knows: each with its build, once it is begun."""
    return master.service_manager.namedServices["clerk"].given


def attempt(request: Any) -> Attempt:
    return request.properties.getProperty("job"), request.bsid


class FleetBuild(Build):
    """A build that the clerk knows, and that ends where Buildbot would put it back by itself."""

    began: float
    stopping = 0

    def startBuild(self, workerforbuilder: Any) -> Any:
        self.began = self.master.reactor.seconds()
        given(self.master)[attempt(self.requests[0])] = self
        return super().startBuild(workerforbuilder)

    def buildFinished(self, text: list[str], results: int) -> Any:
        if self.finished:
            return defer.succeed(None)  # The clerk had given it up as stuck, and now it ended after all.
        return super().buildFinished(text, CANCELLED if RETRY in (results, self.results) else results)


def nights(plan: Plan, now: datetime) -> Iterator[tuple[str, datetime]]:
    """The plan's times that have come, UTC, back to its catch-up, each with the name that makes it one night."""
    since = now - timedelta(seconds=plan.catch_up)
    for days in range(since.toordinal(), now.toordinal() + 1):
        day = datetime.fromordinal(days).replace(tzinfo=now.tzinfo)
        for number, (hour, minute) in enumerate(sorted({(int(at[:2]), int(at[3:])) for at in plan.at}), 1):
            due = day + timedelta(hours=hour, minutes=minute)
            if since < due <= now and (plan.days == "all" or DAYS[day.weekday()] in plan.days):
                yield f"{day:%Y-%m-%d}" + (f".{number}" if number > 1 else ""), due


class Clerk(BuildbotService):
    name = "clerk"

    def checkConfig(self, fleet: Fleet, timing: Timing) -> None:
        self.fleet, self.timing, self.book = fleet, timing, Book(fleet.archive.server)
        self.given: dict[Attempt, FleetBuild | None] = {}
        self.made: set[str] = set()
        self.state = ""
        self.lonely: float | None = None
        self.told_late = 0.0

    def reconfigService(self, fleet: Fleet, timing: Timing) -> Any:
        self.fleet, self.timing = fleet, timing
        if self.book.server != fleet.archive.server:
            self.book = Book(fleet.archive.server)
        return defer.succeed(None)

    @defer.inlineCallbacks
    def startService(self) -> Any:
        yield super().startService()
        self.look.start(self.timing.look, now=True)
        self.ask_machines.start(self.timing.keepalive)

    @defer.inlineCallbacks
    def stopService(self) -> Any:
        yield self.look.stop()
        yield self.ask_machines.stop()
        yield super().stopService()
        yield self._book(self.book.close)

    def _say(self, state: str) -> None:
        if state != self.state:
            self.state = state
            log.msg(f"clerk: {state}")
            tell_systemd(f"READY=1\nSTATUS={state}")

    def _book(self, call: Callable[..., Value], *arguments: Any) -> Awaitable[Value]:
        return threads.deferToThread(call, *arguments)

    def _connection(self, machine: str) -> Any:
        worker = self.master.workers.workers.get(machine)
        return worker and worker.conn

    @poll.method
    async def look(self) -> None:
        try:
            if await self._is_clerk():
                await self._keep_the_book()
        except (psycopg.OperationalError, psycopg.InterfaceError, OtherVersion) as fault:
            self._say(f"the database is away: {str(fault).splitlines()[0]}")
            await self._book(self.book.close)

    async def _keep_the_book(self) -> None:
        await self._make_nights()
        busy = await self._book(self.book.busy)
        for job in busy:
            await self._follow(job)
        for key, build in list(self.given.items()):
            await self._keep_in_time(key, build, key in [(job.id, job.buildset) for job in busy])
        await self._book(self.book.skip_reserved)
        await self._give()
        if self.master.reactor.seconds() - self.told_late >= 30 * self.timing.look:
            self.told_late = self.master.reactor.seconds()
            for job in await self._book(self.book.overdue):
                await self._tell("overdue", job, f"is due since {job.due:%Y-%m-%d %H:%M} UTC")

    async def _is_clerk(self) -> bool:
        """One master writes; one that has machines goes before one that has none."""
        now = self.master.reactor.seconds()
        alone = not any(self._connection(machine.name) for machine in self.fleet.machines)
        self.lonely = (self.lonely or now) if alone else None
        patient = self.lonely is None or now - self.lonely > self.timing.patience
        await self._book(self.book.connection)
        if self.book.is_clerk and alone and patient:
            await self._book(self.book.resign)
            self.lonely = now
        elif not self.book.is_clerk and patient and await self._book(self.book.become_clerk):
            self.lonely = now if alone else None
            await self._book(self.book.forget, 90)
        self._say("keeps the book" if self.book.is_clerk else "leaves the book to another master, or has no machine")
        return self.book.is_clerk

    async def _make_nights(self) -> None:
        now, seen = await self._book(self.book.now), set()
        for plan in self.fleet.plans:
            for day, due in nights(plan, now):
                for rig in plan.rigs:
                    seen.add(id := f"{plan.name}/{rig}/{day}")
                    if id not in self.made:
                        await self._book(self.book.order, id, plan.name, rig, plan.task(), due, plan.priority, "the plan's time")
        self.made = seen

    # What became of what was given

    async def _follow(self, job: Job) -> None:
        build = self.given.get((job.id, job.buildset))
        if build and not build.finished:
            if job.began is None and build.number is not None:
                await self._book(self.book.began, job.id, job.buildset, await build.getUrl())
            if job.state == "cancelled":
                await self._stop(build, job.said or "cancelled", 1)
            return
        buildset = job.buildset and await self.master.data.get(("buildsets", job.buildset))
        requests = await self._requests(job.buildset) if buildset and buildset["external_idstring"] == job.id else []
        # Not the buildset's own mark, which comes last: a master that dies between the two never sets it.
        if not all(request["complete"] for request in requests):
            # It is not begun. What an earlier process of this master gave never will be.
            waits = self.master.reactor.seconds() - min(request["submitted_at"].timestamp() for request in requests)
            if (job.id, job.buildset) not in self.given or job.state == "cancelled" or waits > self.timing.begin:
                await self._withdraw(requests, "cancelled, or not begun in time, or the master was started anew")
            return
        outcome = await self._outcome(requests)
        if outcome.again and job.state == "given":
            await self._book(self.book.back, job.id, job.buildset, outcome.code, outcome.said, self.timing.backoff)
        else:
            await self._book(self.book.finish, job.id, job.buildset, outcome.code, outcome.said)
        self.given.pop((job.id, job.buildset), None)
        if job.state == "given" and (job.attempts >= job.task["attempts"] if outcome.again else outcome.code):
            await self._tell("fail" if outcome.code == 1 else "fault", job, outcome.said)

    async def _outcome(self, requests: Any) -> Outcome:
        """What the step said of a job that Buildbot has no more."""
        for request in requests:
            for build in await self.master.data.get(("buildrequests", request["buildrequestid"], "builds")):
                properties = await self.master.data.get(("builds", build["buildid"], "properties"))
                if PROPERTY in properties:
                    return Outcome(**properties[PROPERTY][0])
        return Outcome(None, "its machine or its master was lost", True)

    async def _requests(self, buildset: int | None) -> Any:
        return await self.master.data.get(("buildrequests",), filters=[Filter("buildsetid", "eq", [buildset])])

    async def _withdraw(self, requests: Any, reason: str) -> None:
        for request in requests:
            if not request["complete"]:
                await self.master.data.control("cancel", {"reason": f"clerk: {reason}"}, ("buildrequests", request["buildrequestid"]))

    # What does not end by itself: buildbot#5745, #3971, #4821

    async def _keep_in_time(self, key: Attempt, build: FleetBuild | None, stands: bool) -> None:
        """Ends what lasts too long, and what the book has no more as given: another master gave it meanwhile."""
        if build is None or build.finished:
            if not stands:
                del self.given[key]
                await self._withdraw(await self._requests(key[1]), "it is not given any more")
            return
        over = self.master.reactor.seconds() - build.began - build.getProperty("task")["limit"]
        if not stands or over > self.timing.grace:
            await self._stop(build, "over its limit, or not given any more", 1)
        if over > 2 * self.timing.grace:
            await self._stop(build, "stuck", 2)

    async def _stop(self, build: FleetBuild, reason: str, how: int) -> None:
        """First by asking, which waits for the machine; then without: connection cut, build ended, lock released."""
        if build.stopping >= how:
            return
        build.stopping = how
        if how == 1:
            build.stopBuild(f"clerk: {reason}", RETRY)
            return
        log.msg(f"clerk: the build of {build.getProperty('job')} is stuck and is ended")
        # In this order: a build that learns of the cut while it ends would be put back by Buildbot after all.
        await build.buildFinished([reason], CANCELLED)
        self._cut(self._connection(build.workername))

    @poll.method
    async def ask_machines(self) -> None:
        """Buildbot's own keepalive of a worker is sent once an hour and waits for ever (worker/protocols/pb.py)."""

        async def ask(connection: Any) -> None:
            try:
                await connection.remotePrint("keepalive").addTimeout(self.timing.answer, self.master.reactor)
            except Exception:
                log.msg(f"clerk: {connection.worker.name} gives no sign, its connection is cut")
                self._cut(connection)

        connections = [self._connection(machine.name) for machine in self.fleet.machines]
        await defer.DeferredList([defer.ensureDeferred(ask(each)) for each in connections if each], consumeErrors=True)

    @staticmethod
    def _cut(connection: Any) -> None:
        if connection and connection.mind:
            connection.mind.broker.transport.abortConnection()  # loseConnection waits for what is to be sent, which nobody takes.

    # Giving and telling

    async def _give(self) -> None:
        drained, busy = await self._book(self.book.drained), await self._book(self.book.busy)
        for job in await self._book(self.book.ready):
            machine, builder = self.fleet.machine(job.rig), self.master.botmaster.builders.get(job.rig)
            if machine is None or builder is None or machine.name in drained or not builder.getAvailableWorkers():
                continue
            if sum(self.fleet.machine(each.rig) == machine for each in busy) >= machine.jobs or list(self.given.values()).count(None) >= 10:
                continue  # A hundred rigs are due at the same minute; Buildbot begins a few a second.
            # Dying from here on leaves a row without a buildset, which goes back, or a buildset that nothing starts.
            if not await self._book(self.book.give, job.id, job.rig):
                continue
            busy.append(job)
            properties = {"job": job.id, "plan": job.plan, "task": job.task, "attempt": job.attempts + 1}
            buildset, _ = await self.master.data.updates.addBuildset(
                waited_for=False, scheduler="clerk", reason=job.why or job.plan, external_idstring=job.id, priority=job.priority,
                builderids=[await builder.getBuilderId()], properties={key: (value, "clerk") for key, value in properties.items()},
                sourcestamps=[{"codebase": "", "repository": "", "branch": None, "revision": None, "project": ""}])
            try:
                if await self._book(self.book.carries, job.id, buildset):
                    self.given[job.id, buildset] = None
                    self.master.botmaster.maybeStartBuildsForBuilder(job.rig)
            finally:
                if (job.id, buildset) not in self.given:  # It was cancelled meanwhile, or the database is away.
                    await self._withdraw(await self._requests(buildset), "it is not given any more")

    async def _tell(self, occasion: str, job: Job, what: str) -> None:
        text = f"{self.fleet.name}: {occasion}: {job.id} on {job.rig}\n{what}\n{job.build or ''}\n"
        for tell in self.fleet.tell:
            if occasion in tell.when:
                try:
                    await threads.deferToThread(subprocess.run, tell.command, input=text, text=True, timeout=60, check=True)
                except (OSError, subprocess.SubprocessError) as fault:
                    log.msg(f"clerk: {tell.command[0]} could not tell of {job.id}: {fault}")
