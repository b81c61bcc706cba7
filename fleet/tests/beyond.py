# SPDX-License-Identifier: Apache-2.0
"""A fleet beyond eight machines, simulated: 200 rigs on 40 machines, with a real master, clerk, book and PostgreSQL, and machines that
are 40 connections of one process and answer at once with what haprig printed before. It is measured what a job asks of master, database,
network and archive, and how that grows; told is what 10,000 jobs a day ask, and what breaks first.

    PYTHONPATH=fleet python fleet/tests/beyond.py [--quick] [--rigs 200 --machines 40 --jobs 1500]

Costs are processor seconds, so that they hold on a busy machine too; waits are the shortest of three."""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
from buildbot_worker.bot import Worker
from buildbot_worker.commands import registry
from buildbot_worker.commands.base import Command
from lab import HERE, Lab, Server, until
from test_fleet import pages
from twisted.internet import reactor as _reactor, task

PROGRAM = os.environ.get("HAPRIG_PROGRAM", str(HERE.parents[1] / ".build/release/haprig"))
RIGS = HERE.parents[1] / "rigs"
DAY = 86_400
reactor: Any = _reactor
rows: list[tuple[str, str, str]] = []


def tell(what: str, value: str, more: str = "") -> None:
    rows.append((what, value, more))
    print(f"{what:<52}{value:>16}  {more}", flush=True)


class Plays(Command):
    """What a program of a machine would have said: haprig the run of its plan, find that the store is owed one run."""

    requiredArgs = ["command"]

    def start(self) -> Any:
        words = [word if isinstance(word, str) else word.decode() for word in self.args["command"]]
        said = ""
        if "--json" in words:
            said = Path(os.environ["SAYS"], words[words.index("run") + 1].rpartition("/")[2]).read_text()
        elif "find" in words:
            said = words[words.index("-name") + 1].replace("*", "20260101-000000-run") + "\n"
        self.sendStatus([("stdout", said), ("rc", 0)])
        return task.deferLater(reactor, 0, lambda: None)

    def interrupt(self) -> None:
        """It is over already."""


def machines(folder: Path, address: str, count: int) -> None:
    """Joins as m1, m2, ... until it is ended."""
    registry.commandRegistry["shell"] = Plays
    host, _, port = address.partition(":")
    for number in range(1, count + 1):
        token = (folder / f"passwords/m{number}.token").read_text().strip()
        (own := folder / f"m{number}").mkdir(exist_ok=True)
        worker: Any = Worker(host, int(port), f"m{number}", token, str(own), keepalive=0)
        worker.bot.max_line_length = 1 << 24
        worker.startService()
    reactor.run()


class Seconds:
    """Processor time of the master, and of PostgreSQL with all that it has begun."""

    def __init__(self, lab: Lab) -> None:
        assert lab.server.process
        self.master, self.server = lab.processes["master"].pid, lab.server.process.pid

    @staticmethod
    def _of(pid: str, fields: slice) -> float:
        try:
            return sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[fields])) / os.sysconf("SC_CLK_TCK")
        except FileNotFoundError:
            return 0

    def now(self) -> tuple[float, float]:
        children = Path(f"/proc/{self.server}/task/{self.server}/children").read_text().split()
        return (self._of(str(self.master), slice(11, 13)),
                self._of(str(self.server), slice(11, 15)) + sum(self._of(child, slice(11, 13)) for child in children))

    def memory(self) -> float:
        return int(Path(f"/proc/{self.master}/statm").read_text().split()[1]) * resource.getpagesize() / 1e6


def size(*paths: Path) -> int:
    return sum(path.stat().st_size for path in paths)


def weight(folder: Path, recordings: bool) -> int:
    return size(*(path for path in folder.rglob("*") if path.is_file() and (recordings or path.suffix not in (".flac", ".wav"))))


def quickest(call: Callable[[], Any], times: int = 3) -> float:
    took = []
    for _ in range(times):
        began = time.monotonic()
        call()
        took.append(time.monotonic() - began)
    return min(took)


class Beyond:
    def __init__(self, server: Server, folder: Path, given: argparse.Namespace) -> None:
        self.given, self.folder = given, folder
        self.lab = Lab(server, machines=given.machines, rigs=given.rigs // given.machines)
        self.lab.timing = ""
        self.rigs = list(self.lab.rigs)
        self.asked = 0
        self.costs: dict[str, float] = {}

    # What haprig makes

    def runs(self) -> None:
        """A smoke run and a night of the simulated rig, weighed, and what they print kept for the machines to say."""
        (says := self.folder / "says").mkdir()
        os.environ["SAYS"] = str(says)
        rig = RIGS / "simulated-lra.yaml"
        for name, words in {"smoke.yaml": ["run", str(RIGS / "plans/smoke.yaml"), "--archive"],
                            "nightly.yaml": ["nightly", "--plan", str(RIGS / "plans/nightly.yaml"), "--archive"]}.items():
            ended = subprocess.run([PROGRAM, *words, str(self.folder / name), "--rig", str(rig), "--json"], capture_output=True, text=True)
            assert ended.returncode in (0, 1), ended.stderr
            (says / name).write_text(ended.stdout)
            run = next((self.folder / name).glob("2*"))
            whole, bare = weight(run, True), weight(run, False)
            tell(f"{name.partition('.')[0]} run, of it without recordings", f"{whole / 1e6:.1f} MB",
                 f"{bare / 1e6:.2f} MB; says {len(ended.stdout) / 1e6:.2f} MB")
            document = json.loads(ended.stdout)
            self.costs |= {name: whole, f"{name} bare": bare, f"{name} says": len(ended.stdout),
                           f"{name} readings": len((document if name == "smoke.yaml" else document["run"])["readings"])}

    def index(self) -> None:
        """How long a smoke run takes until it is in PostgreSQL's index, with few runs and with many."""
        server, runs = self.lab.server.database(), self.folder / "smoke.yaml"
        first = next(runs.glob("2*"))

        def one_more() -> float:
            self.asked += 1
            shutil.copytree(first, runs / f"{first.name}-{self.asked}", ignore=shutil.ignore_patterns("*.flac", "*.wav"))
            began = time.monotonic()
            subprocess.run([PROGRAM, "archive", "list", "--archive", server, "--reports", str(runs)], check=True, capture_output=True)
            return time.monotonic() - began

        one_more()
        few = min(one_more() for _ in range(3))
        with psycopg.connect(server, autocommit=True) as connection:
            def total() -> int:
                return connection.execute(  # type: ignore[no-any-return, index]
                    "select sum(pg_total_relation_size(c.oid))::bigint from pg_class c join pg_namespace n on n.oid = relnamespace"
                    " where nspname = 'haprig' and relkind = 'r'").fetchone()[0]
            before, many = total(), self.given.runs
            readings = connection.execute("select readings from haprig.runs limit 1").fetchone()[0]  # type: ignore[index]
            columns = {table: [row[0] for row in connection.execute(
                "select column_name from information_schema.columns where table_schema = 'haprig' and table_name = %s", [table])]
                for table in ("runs", "environments", "readings", "points")}
            # Of 40 other machines, an hour apart.
            other = {"id": "id + ahead", "run": "run + ahead", "place": "1000000 + ahead % 40", "folder": "folder || ahead",
                     "started": "started - 3600 * ahead", "day": "day - ahead / 24"}
            least = connection.execute("select min(id) from haprig.runs").fetchone()[0]  # type: ignore[index]
            for table, names in columns.items():
                connection.execute(
                    f"insert into haprig.{table} ({', '.join(names)}) overriding system value"
                    f" select {', '.join(other.get(name, name) for name in names)} from haprig.{table}, generate_series(1000, {999 + many}) ahead"
                    f" where {'id' if table == 'runs' else 'run'} = {least}")
            connection.execute("analyze")
            self.costs["index"] = (total() - before) / many / readings
            connection.execute("select setval(pg_get_serial_sequence('haprig.runs', 'id'), (select max(id) from haprig.runs))")
        tell(f"a run of {readings} readings in the index", f"{self.costs['index'] * readings / 1e3:.0f} kB",
             f"{few * 1e3:.0f} ms with few runs, {min(one_more() for _ in range(3)) * 1e3:.0f} ms with {many}")

    # What master and book do

    def start_master(self) -> float:
        runs = self.lab.log("master").count("BuildMaster is running")
        began = time.monotonic()
        self.lab.start_master()
        until(lambda: self.lab.log("master").count("BuildMaster is running") > runs, 600)
        return time.monotonic() - began

    def start(self) -> None:
        tell("the master starts for the first time", f"{self.start_master():.1f} s")
        with open(self.lab.folder / "machines.log", "ab") as log:
            self.lab.processes["machines"] = subprocess.Popen(
                [sys.executable, __file__, "--join", str(self.lab.folder), f"127.0.0.1:{self.lab.listen}", str(self.given.machines)],
                stdout=log, stderr=subprocess.STDOUT, env=os.environ | {"PYTHONPATH": str(HERE.parent)})
        self.joined()

    def joined(self) -> None:
        """All machines have joined the master that was started last."""
        until(lambda: self.lab.log("master").rpartition("Starting BuildMaster")[2].count(" attached to r") >= self.given.rigs, 300)

    def done(self) -> int:
        return int(self.lab.book._value("select count(*) from haprig.fleet_jobs where state = 'done' and code = 0"))

    def order(self, count: int, plan: str) -> int:
        """Orders jobs for the rigs in turn, and gives how many will be done then."""
        file = f"/plans/{plan}"
        for number in range(count):
            self.lab.order(self.rigs[number % len(self.rigs)], do="run", file=file)
        return self.done() + count

    def carry(self, count: int, plan: str, what: str) -> None:
        """Jobs from their order to their end, as quick as they go."""
        seconds = Seconds(self.lab)
        wanted = self.order(count, plan)
        (master, server), began, memory, size_before = seconds.now(), time.monotonic(), seconds.memory(), self.sizes()
        until(lambda: self.done() >= wanted, 1200, what)
        wall, (master_then, server_then), after = time.monotonic() - began, seconds.now(), self.sizes()
        costs = self.costs[what] = (master_then - master) / count
        tell(f"a job, {what}", f"{costs * 1e3:.0f} ms", f"of the master's processor, {(server_then - server) / count * 1e3:.1f} ms of PostgreSQL's; "
             f"{count / wall * 60:.0f} jobs a minute here")
        self.costs |= {f"{what} server": (server_then - server) / count, f"{what} rate": count / wall * 60}
        for name in after:
            self.costs[f"{what} {name}"] = (after[name] - size_before[name]) / count
        tell("  leaves in the book, in Buildbot's file, in its log", f"{self.costs[what + ' book'] / 1e3:.1f} kB",
             f"{self.costs[what + ' file'] / 1e3:.1f} kB, {self.costs[what + ' log'] / 1e3:.1f} kB; "
             f"the master's memory went from {memory:.0f} to {seconds.memory():.0f} MB")

    def sizes(self) -> dict[str, int]:
        book = self.lab.book._value("select pg_total_relation_size('haprig.fleet_jobs') + pg_total_relation_size('haprig.fleet_events')")
        return {"book": int(book), "file": size(*(self.lab.folder / "master").glob("state.sqlite*")), "log": size(self.lab.folder / "master.log")}

    def rests(self) -> None:
        seconds = Seconds(self.lab)
        time.sleep(30)
        (master, server), began = seconds.now(), time.monotonic()
        time.sleep(20)
        (master_then, server_then), wall = seconds.now(), time.monotonic() - began
        self.costs["idle"] = (master_then - master) / wall
        tell("nothing to do", f"{self.costs['idle'] * 100:.1f} %", f"of a processor for the master with {self.given.machines} machines, "
             f"{(server_then - server) / wall * 100:.1f} % for PostgreSQL; {seconds.memory():.0f} MB")

    def grows(self) -> None:
        """Buildbot's own file, with as many builds as many days leave."""
        self.lab.kill("master")
        builds, ids = 0, {"id", "buildsetid", "brid", "buildrequestid", "buildid", "stepid", "logid"}
        with closing(sqlite3.connect(self.lab.folder / "master/state.sqlite")) as file:
            file.execute("pragma synchronous = off")
            tables = [name for name, in file.execute("select name from sqlite_master where type = 'table'") if name in (
                "buildsets", "buildset_properties", "buildset_sourcestamps", "buildrequests", "buildrequest_claims", "builds",
                "build_properties", "steps", "logs", "logchunks")]
            columns = {table: [row[1] for row in file.execute(f"pragma table_info({table})")] for table in tables}
            while builds < self.given.builds:
                ahead = max(file.execute(f"select coalesce(max(id), 0) from {table}").fetchone()[0]
                            for table, names in columns.items() if "id" in names)
                for table, names in columns.items():
                    ahead_of = ids | ({"number"} if table == "builds" else set())
                    chosen = ", ".join(f"{name} + {ahead}" if name in ahead_of else name for name in names)
                    file.execute(f"insert into {table} ({', '.join(names)}) select {chosen} from {table}")
                file.commit()
                builds = file.execute("select count(*) from builds").fetchone()[0]
        took = self.start_master()
        whole = size(self.lab.folder / "master/state.sqlite")
        tell(f"the master starts, {builds} builds in its file", f"{took:.1f} s", f"{whole / 1e6:.0f} MB")
        self.joined()
        self.page(f"{builds} builds")

    def page(self, what: str) -> None:
        """What Buildbot's page asks for when it is opened, without its scripts."""
        asks = {"builders": "builders", "builds": "builds?limit=50&order=-buildid&property=*",
                "waiting": "buildrequests?complete=false&order=-submitted_at", "a rig": "builders/1/builds?limit=50&order=-number"}
        took = {name: quickest(lambda path=path: pages(self.lab, path, "ada:secret-of-ada")) for name, path in asks.items()}  # type: ignore[misc]
        self.costs[f"page {what}"] = max(took.values())
        tell(f"Buildbot's page, {what}", f"{max(took.values()):.2f} s", ", ".join(f"{name} {value:.2f}" for name, value in took.items()))

    # The book alone

    def book(self) -> None:
        """A look of the clerk at the book, which asks all of these, with jobs that wait and with jobs that are done."""
        lab, own = self.lab, self.lab.book
        lab.kill("master")
        asks = [own.busy, own.ready, own.skip_reserved, own.drained, own.overdue]
        with psycopg.connect(own.server, autocommit=True) as connection:
            def fill(count: int, state: str) -> None:
                connection.execute(
                    """insert into haprig.fleet_jobs (id, plan, rig, task, state, attempts, buildset, build, code, said, began, ended, due)
                    select format('many/r%%s/%%s-%%s', 1 + n %% %(rigs)s, %(state)s::text, n), 'many', format('r%%s', 1 + n %% %(rigs)s), %(task)s,
                    %(state)s::text, 1, n, 'http://127.0.0.1:8010/#/builders/1/builds/1', case %(state)s when 'done' then 0 end, 'played',
                    case %(state)s when 'done' then now() end, case %(state)s when 'done' then now() end, now() - n * interval '1 second'
                    from generate_series(1, %(count)s) n on conflict do nothing""",
                    {"rigs": self.given.rigs, "state": state, "count": count, "task": json.dumps(
                        {"do": "run", "file": "/plans/smoke.yaml", "arguments": [], "limit": 1e7, "attempts": 5, "reserved": "wait"})})
                connection.execute("analyze haprig.fleet_jobs")

            for waiting, finished in ((1, 0), (100, 0), (10_000, 0), (10_000, self.given.finished)):
                fill(waiting, "waiting")
                if finished:
                    fill(finished, "done")
                took = {ask.__name__: quickest(ask) for ask in asks}
                slowest = max(took, key=lambda name: took[name])
                self.costs[f"look {waiting} {finished}"] = sum(took.values())
                tell(f"a look, {waiting} waiting, {finished} done", f"{sum(took.values()) * 1e3:.1f} ms", f"{slowest} {took[slowest] * 1e3:.1f}")

    # What a day asks

    def day(self) -> None:
        jobs = self.given.rigs * self.given.each
        print(f"\n{jobs} jobs a day on {self.given.rigs} rigs and {self.given.machines} machines ask", flush=True)
        for kind, plan in (("smoke", "smoke.yaml"), ("night", "nightly.yaml")):
            cost, whole, bare = self.costs[kind], self.costs[plan], self.costs[f"{plan} bare"]
            tell(f"master, {kind} runs", f"{100 * (self.costs['idle'] + jobs * cost / DAY):.0f} %", f"of one processor; it is full at "
                 f"{(1 - self.costs['idle']) / cost * 60:.0f} jobs a minute, {(1 - self.costs['idle']) / cost * DAY / 1e3:.0f} thousand a day")
            tell("  PostgreSQL", f"{100 * jobs * self.costs[kind + ' server'] / DAY:.1f} %",
                 f"of one processor; book {jobs * self.costs[kind + ' book'] / 1e6:.0f} MB a day, "
                 f"index {jobs * self.costs['index'] * self.costs[plan + ' readings'] / 1e9:.1f} GB")
            tell("  to the master", f"{jobs * self.costs[plan + ' says'] * 8 / DAY / 1e6:.1f} Mbit/s",
                 f"Buildbot's file {jobs * self.costs[kind + ' file'] / 1e6:.0f} MB a day, "
                 f"log {jobs * self.costs[kind + ' log'] / 1e6:.0f} MB")
            tell("  store, with recordings", f"{jobs * whole / 1e12:.2f} TB a day",
                 f"{2 * jobs * whole * 8 / DAY / 1e6:.0f} Mbit/s, there and back for the proof; "
                 f"without recordings {jobs * bare / 1e9:.0f} GB, {2 * jobs * bare * 8 / DAY / 1e6:.0f} Mbit/s")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of it, in two minutes")
    parser.add_argument("--join", nargs=3, help=argparse.SUPPRESS)
    for name, usual in {"rigs": 200, "machines": 40, "each": 50}.items():
        parser.add_argument(f"--{name}", type=int, default=usual)
    given = parser.parse_args()
    if given.join:
        machines(Path(given.join[0]), given.join[1], int(given.join[2]))
        return 0
    if not Path(PROGRAM).exists():
        print(f"there is no {PROGRAM}: build it, or name one in HAPRIG_PROGRAM", file=sys.stderr)
        return 2
    many = 10 if given.quick else 1
    given.jobs, given.runs, given.builds, given.finished = 60 if given.quick else 240, 20_000 // many, 300_000 // many, 1_000_000 // many
    folder = Path(tempfile.mkdtemp(prefix="haprig-beyond."))
    folder.chmod(0o755)  # The server runs as a user of its own.
    (folder / "sql").mkdir()
    server = Server(folder / "sql")
    beyond = Beyond(server, folder, given)
    try:
        beyond.runs()
        beyond.index()
        beyond.start()
        beyond.rests()
        beyond.carry(given.jobs, "smoke.yaml", "smoke")
        beyond.carry(given.jobs // 6, "nightly.yaml", "night")
        beyond.lab.document["archive"]["store"] = "lab:runs"
        beyond.lab.write()
        beyond.lab.processes["master"].send_signal(signal.SIGHUP)
        until(lambda: "configuration update complete" in beyond.lab.log("master"), 60)
        beyond.carry(given.jobs // 4, "smoke.yaml", "smoke with a store")
        beyond.page(f"{beyond.done()} builds")
        beyond.grows()
        beyond.carry(given.jobs // 4, "smoke.yaml", "smoke with many before")
        beyond.book()
        beyond.day()
    finally:
        beyond.lab.close()
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
