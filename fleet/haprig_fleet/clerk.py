"""The clerk: once a second it makes what is due, gives it to Buildbot, and writes down what became of it.

Buildbot is given only what can run now, so it never has more requests than rigs (buildbot#3395); it starts only what carries
a ticket of this process, so nothing starts behind the book's back; and it retries nothing (buildbot#4155): a build that it would
retry ends, and the job goes back into the book."""

from __future__ import annotations

import subprocess
import uuid
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

import psycopg
from buildbot.data.resultspec import Filter
from buildbot.process.build import Build
from buildbot.process.results import CANCELLED, RETRY
from buildbot.util.service import BuildbotService
from twisted.internet import defer, task, threads
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


class Ticket:
    """An attempt that this process has given to Buildbot."""

    def __init__(self, job: Job, machine: str, since: float) -> None:
        self.job, self.machine, self.since = job, machine, since
        self.buildset: int | None = None
        self.build: FleetBuild | None = None
        self.stopping = 0


def ticket_of(master: Any, properties: Any) -> Ticket | None:
    ticket: Ticket | None = master.service_manager.namedServices["clerk"].tickets.get(properties.getProperty("ticket"))
    return ticket


def may_start(builder: Any, _worker: Any, request: Any) -> bool:
    ticket = ticket_of(builder.master, request.properties)
    return ticket is not None and ticket.build is None and ticket.buildset in (None, request.bsid)


class FleetBuild(Build):
    """A build that the clerk knows, and that ends where Buildbot would put it back by itself."""

    def startBuild(self, workerforbuilder: Any) -> Any:
        if ticket := ticket_of(self.master, self):
            ticket.build = self
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
        self.tickets: dict[str, Ticket] = {}
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
        self.loops = [task.LoopingCall(self._guarded, self.look), task.LoopingCall(self._guarded, self.ask_machines)]
        self.running_loops = [self.loops[0].start(self.timing.look), self.loops[1].start(self.timing.keepalive)]

    @defer.inlineCallbacks
    def stopService(self) -> Any:
        for loop in self.loops:
            loop.stop()
        yield defer.DeferredList(self.running_loops)
        yield super().stopService()
        yield self._book(self.book.close)

    def _guarded(self, look: Callable[[], Awaitable[None]]) -> Any:
        """A look that fails is the last of its second, not of all."""

        async def guarded() -> None:
            try:
                await look()
            except (psycopg.OperationalError, psycopg.InterfaceError, OtherVersion) as fault:
                self._say(f"the database is away: {str(fault).splitlines()[0]}")
                await self._book(self.book.close)
            except Exception:
                log.err(None, "the clerk's look failed")

        return defer.ensureDeferred(guarded())

    def _say(self, state: str) -> None:
        if state != self.state:
            self.state = state
            log.msg(f"clerk: {state}")

    def _book(self, call: Callable[..., Value], *arguments: Any) -> Awaitable[Value]:
        return threads.deferToThread(call, *arguments)

    def _connection(self, machine: str) -> Any:
        worker = self.master.workers.workers.get(machine)
        return worker and worker.conn

    async def look(self) -> None:
        if not await self._is_clerk():
            return
        await self._make_nights()
        busy = await self._book(self.book.busy)
        for job in busy:
            await self._follow(job)
        for number, ticket in list(self.tickets.items()):
            await self._keep_in_time(number, ticket, any(job.id == ticket.job.id for job in busy))
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
        ticket = next((each for each in self.tickets.values() if each.job.id == job.id), None)
        if ticket is not None and ticket.buildset is not None and job.buildset is None and job.state == "given":
            await self._book(self.book.carries, job.id, ticket.buildset)  # The database was away when it was to be written.
            return
        build = ticket.build if ticket and ticket.buildset == job.buildset else None
        if ticket is not None and build is not None and not build.finished:
            if job.began is None and build.number is not None:
                await self._book(self.book.began, job.id, job.buildset, await build.getUrl())
            if job.state == "cancelled":
                await self._stop(ticket, job.said or "cancelled", 1)
            return
        outcome = await self._ask(job)
        if outcome is None:
            # It is not begun. Without a ticket it never will be: an earlier process of this master gave it.
            if ticket is None or job.state == "cancelled":
                await self._withdraw(job.buildset, "cancelled, or the master was started anew")
            return
        if outcome.again and job.state == "given":
            await self._book(self.book.back, job.id, job.buildset, outcome.code, outcome.said, self.timing.backoff)
        else:
            await self._book(self.book.finish, job.id, job.buildset, outcome.code, outcome.said)
        self.tickets = {number: each for number, each in self.tickets.items() if each.job.id != job.id}
        if job.state == "given" and (job.attempts >= job.task["attempts"] if outcome.again else outcome.code):
            await self._tell("fail" if outcome.code == 1 else "fault", job, outcome.said)

    async def _ask(self, job: Job) -> Outcome | None:
        """What Buildbot knows of a job that it was given: None while it is not over."""
        data = self.master.data
        buildset = None if job.buildset is None else await data.get(("buildsets", job.buildset))
        if buildset is None or buildset["external_idstring"] != job.id:
            return Outcome(None, "the master that had it is gone", True)
        requests = await self._requests(job.buildset)
        # Not the buildset's own mark, which comes last: a master that dies between the two never sets it.
        if not all(request["complete"] for request in requests):
            return None
        for request in requests:
            for build in await data.get(("buildrequests", request["buildrequestid"], "builds")):
                properties = await data.get(("builds", build["buildid"], "properties"))
                if PROPERTY in properties:
                    return Outcome(**properties[PROPERTY][0])
        return Outcome(None, "its machine or its master was lost", True)

    async def _requests(self, buildset: int | None) -> Any:
        return await self.master.data.get(("buildrequests",), filters=[Filter("buildsetid", "eq", [buildset])])

    async def _withdraw(self, buildset: int | None, reason: str) -> None:
        for request in await self._requests(buildset) if buildset is not None else []:
            if not request["complete"]:
                await self.master.data.control("cancel", {"reason": reason}, ("buildrequests", request["buildrequestid"]))

    # What does not end by itself: buildbot#5745, #3971, #4821

    async def _keep_in_time(self, number: str, ticket: Ticket, stands: bool) -> None:
        """Ends what lasts too long, and what the book has no more as given: another master gave it meanwhile."""
        runs, limit, build = self.master.reactor.seconds() - ticket.since, ticket.job.task["limit"], ticket.build
        if build is None or build.finished:
            if not stands:
                self.tickets.pop(number, None)
            if not stands or runs > self.timing.begin:
                await self._withdraw(ticket.buildset, "it was not begun, or not brought to an end")
        else:
            if not stands or runs > limit + self.timing.grace:
                await self._stop(ticket, "over its limit, or not given any more", 1)
            if runs > limit + 2 * self.timing.grace:
                await self._stop(ticket, "stuck", 2)

    async def _stop(self, ticket: Ticket, reason: str, how: int) -> None:
        """First by asking, which waits for the machine; then without: connection cut, build ended, lock released."""
        if ticket.stopping >= how or ticket.build is None:
            return
        ticket.stopping = how
        if how == 1:
            ticket.build.stopBuild(f"clerk: {reason}", RETRY)
            return
        log.msg(f"clerk: the build of {ticket.job.id} is stuck and is ended")
        # In this order: a build that learns of the cut while it ends would be put back by Buildbot after all.
        await ticket.build.buildFinished([reason], CANCELLED)
        self._cut(self._connection(ticket.machine))

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
        drained = await self._book(self.book.drained)
        for job in await self._book(self.book.ready):
            machine, builder = self.fleet.machine(job.rig), self.master.botmaster.builders.get(job.rig)
            if machine is None or builder is None or machine.name in drained or not builder.getAvailableWorkers():
                continue
            tickets = self.tickets.values()
            if sum(each.machine == machine.name for each in tickets) >= machine.jobs or sum(each.build is None for each in tickets) >= 10:
                continue  # A hundred rigs are due at the same minute; Buildbot begins a few a second.
            # Dying from here on leaves a row without a buildset, which goes back.
            if not await self._book(self.book.give, job.id, job.rig):
                continue
            number = uuid.uuid4().hex
            ticket = self.tickets[number] = Ticket(job, machine.name, self.master.reactor.seconds())
            properties = {"job": job.id, "plan": job.plan, "task": job.task, "attempt": job.attempts + 1, "ticket": number}
            ticket.buildset, _ = await self.master.data.updates.addBuildset(
                waited_for=False, scheduler="clerk", reason=job.why or job.plan, external_idstring=job.id, priority=job.priority,
                builderids=[await builder.getBuilderId()], properties={key: (value, "clerk") for key, value in properties.items()},
                sourcestamps=[{"codebase": "", "repository": "", "branch": None, "revision": None, "project": ""}])
            if not await self._book(self.book.carries, job.id, ticket.buildset):
                await self._keep_in_time(number, ticket, False)  # It was cancelled meanwhile.

    async def _tell(self, occasion: str, job: Job, what: str) -> None:
        text = f"{self.fleet.name}: {occasion}: {job.id} on {job.rig}\n{what}\n{job.build or ''}\n"
        for tell in self.fleet.tell:
            if occasion in tell.when:
                try:
                    await threads.deferToThread(subprocess.run, tell.command, input=text, text=True, timeout=60, check=True)
                except (OSError, subprocess.SubprocessError) as fault:
                    log.msg(f"clerk: {tell.command[0]} could not tell of {job.id}: {fault}")
