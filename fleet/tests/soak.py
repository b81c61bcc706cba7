# SPDX-License-Identifier: Apache-2.0
"""A fleet under faults: machines in network namespaces, with simulated rigs that haprig itself plays on, and a night of jobs in
which a seeded script kills, cuts, slows, fills and sets clocks, and in the middle of which half the machines are given another
haprig. At the end it is counted what the fleet promises.

A rig that is simulated within haprig cannot tell what it is given after haprig's death: it has died too. So the first rig of each
machine is the virtual sound card, and ALSA writes down what its drive is given.

    PYTHONPATH=fleet python fleet/tests/soak.py --jobs 1000 --faults 100 --seed 1

Exit: 0 every promise was kept, or there can be no namespaces here (the line SKIPPED says so); 1 one was broken."""

from __future__ import annotations

import argparse
import fcntl
import json
import os
import random
import re
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from array import array
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from lab import HERE, Lab, Server
from psycopg.rows import dict_row

from haprig_fleet.description import read

PROGRAM = os.environ.get("HAPRIG_PROGRAM", str(HERE.parents[1] / ".build/release/haprig"))
PLUGIN = Path(os.environ.get("HAPRIG_ALSA_PLUGIN", Path(PROGRAM).parent / "libasound_module_pcm_haprig.so"))
RIG = HERE.parents[1] / "rigs/simulated-lra.yaml"
CARD = HERE.parents[1] / "rigs/virtual-card.yaml"
# Of the card: long enough for two processors with twenty rigs.
PERIOD, PERIODS, CHANNELS = 1024, 8, 3
# As much faster than the real ones as two processors with twenty rigs can answer.
TIMING = "look=0.5,backoff=1,keepalive=5,answer=5,begin=15,grace=15,term=5,patience=5"
HOUR = 3600
AIM = 120  # seconds in which a rig works again

TAP = {"Version": 1.0, "Pattern": [{"Event": {"Time": 0.0, "EventType": "HapticTransient", "EventParameters": [
    {"ParameterID": "HapticIntensity", "ParameterValue": 1.0}, {"ParameterID": "HapticSharpness", "ParameterValue": 0.5}]}}]}
# A card that is a rig, whose drive is written down by the number of the process.
ASOUND = """
pcm.{rig}-card {{ type haprig rig "{folder}/rigs/{rig}-card.yaml" state {state} }}
pcm.{rig}-played {{
  type file
  slave {{ pcm {rig}-card }}
  file {{ @func concat strings [ "{folder}/rigs/{rig}.played." {{ @func getenv vars [ DRIVER_PID ] default none }} ] }}
  format raw
}}
pcm.{rig} {{
  type asym
  playback {{ pcm {rig}-played }}
  capture {{ pcm {rig}-card }}
}}
"""
PLAN = """
name: soak
patterns: [tap.ahap]
repeats: 1
seed: 1
recordings: false
limits:
  - {reading: latency.transport, below: 10 ms}
"""


def do(*words: str) -> str:
    """A program of the system that has to succeed."""
    ended = subprocess.run(words, capture_output=True, text=True)
    if ended.returncode:
        raise RuntimeError(f"{' '.join(words)}: {(ended.stderr or ended.stdout).strip()}")
    return ended.stdout


def can(*words: str) -> bool:
    return shutil.which(words[0]) is not None and subprocess.run(words, capture_output=True).returncode == 0


class Network:
    """A namespace with a bridge, where master and database are, and one for each machine, all of them out of reach."""

    def __init__(self, machines: list[str]) -> None:
        self.mark = f"soak{os.getpid()}"
        self.hub, self.address = f"{self.mark}-hub", "10.77.0.254"
        self.machines = {machine: f"{self.mark}-{machine}" for machine in machines}
        self.slow: list[str] = []
        try:
            do("ip", "netns", "add", self.hub)
            do("ip", "-n", self.hub, "link", "set", "lo", "up")
            do("ip", "-n", self.hub, "link", "add", "bridge", "type", "bridge")
            do("ip", "-n", self.hub, "addr", "add", f"{self.address}/24", "dev", "bridge")
            do("ip", "-n", self.hub, "link", "set", "bridge", "up")
            for number, (machine, name) in enumerate(self.machines.items(), 1):
                do("ip", "netns", "add", name)
                do("ip", "-n", self.hub, "link", "add", machine, "type", "veth", "peer", "name", "out", "netns", name)
                do("ip", "-n", self.hub, "link", "set", machine, "master", "bridge", "up")
                do("ip", "-n", name, "addr", "add", f"10.77.0.{number}/24", "dev", "out")
                do("ip", "-n", name, "link", "set", "out", "up")
                do("ip", "-n", name, "link", "set", "lo", "up")
            # Delay and loss where the kernel has netem, else a line of a modem's width with a short queue.
            for words in (["netem", "delay", "300ms", "100ms", "loss", "5%"], ["tbf", "rate", "32kbit", "burst", "3000", "latency", "500ms"]):
                if not self.slow and can("tc", "-n", self.hub, "qdisc", "add", "dev", "bridge", "root", *words):
                    self.slow = words
                    do("tc", "-n", self.hub, "qdisc", "del", "dev", "bridge", "root")
        except BaseException:
            self.close()
            raise

    def _queue(self, how: str, machine: str) -> list[str]:
        return ["tc", "-n", self.hub, "qdisc", how, "dev", machine, "root"]

    def cut(self, machine: str, is_cut: bool) -> None:
        do("ip", "-n", self.hub, "link", "set", machine, "down" if is_cut else "up")

    def slows(self, machine: str, is_slow: bool) -> None:
        do(*self._queue("add" if is_slow else "del", machine), *(self.slow if is_slow else []))

    def close(self) -> None:
        """Whatever runs in the namespaces was begun here: it ends with them."""
        for name in (*self.machines.values(), self.hub):
            found = subprocess.run(["ip", "netns", "pids", name], capture_output=True, text=True).stdout.split()
            for pid in found:
                with suppress(ProcessLookupError):
                    os.kill(int(pid), signal.SIGKILL)
            subprocess.run(["ip", "netns", "del", name], capture_output=True)


class Clocks:
    """Wall clocks that can be set for some processes alone, by a library that is loaded before theirs."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.library = folder, folder / "clock.so"
        self.works = can("cc", "-O2", "-shared", "-fPIC", "-o", str(self.library), str(HERE / "clock.c"))

    def before(self, whose: str) -> list[str]:
        path = self.folder / whose
        if not path.exists():
            path.write_bytes(bytes(8))
            path.chmod(0o644)
        return [f"LD_PRELOAD={self.library}", f"SOAK_CLOCK={self.folder / whose}"] if self.works else []

    def step(self, whose: str, seconds: int) -> None:
        with open(self.folder / whose, "r+b") as file:
            ahead = struct.unpack("q", file.read(8))[0] + seconds
            file.seek(0)
            file.write(struct.pack("q", ahead))


class Database(Server):
    def start(self) -> None:
        """A server whose predecessor was killed waits until the last of that one's processes is gone."""
        for attempt in range(20):
            try:
                super().start()
                return
            except AssertionError:
                if attempt == 19 or self.process is None or self.process.poll() is None:
                    raise

    def answers(self) -> bool:
        if self.process is not None and self.process.poll() is not None:
            raise AssertionError("PostgreSQL did not start")
        return super().answers()


@dataclass
class Fault:
    what: str
    target: str
    rigs: list[str]
    begun: float
    until: float
    undo: Callable[[], None]
    ended: float | None = None
    recovered: float | None = None


@dataclass
class Hold:
    rig: str
    since: float
    until: float
    attempts: dict[str, int]  # that the rig's jobs had had when it began: what was given before ends first
    over: float | None = None


class Soak(Lab):
    """The lab of the tests, each machine in a namespace of its own with its own name, runtime folder and disk."""

    def __init__(self, count: int, faults: int, seed: int, machines: int, each: int) -> None:
        self.count, self.faults, self.each = count, faults, each
        self.made: list[Fault] = []
        self.holds: list[Hold] = []
        self.told_secrets: set[str] = set()
        self.connection: psycopg.Connection[Any] | None = None
        self.open: dict[str, str] = {}  # jobs that are not over, and their rigs
        self.codes: dict[str, int] = {}
        self.records: dict[tuple[str, str], list[Path]] = {}
        self.ordered = 0
        self.gone: dict[int, float] = {}  # when a haprig without a line of its end was first seen to be gone
        self.upgraded: dict[str, float] = {}  # machines, and when they were given the other haprig
        self.cards: dict[str, str] = {}  # rigs that are a card, and under which name
        self.drives: Counter[str] = Counter()
        self.loud: list[str] = []
        self.chance = random.Random(seed)
        names = [f"m{n + 1}" for n in range(machines)]
        self.network = Network(names)
        self.mounted: list[Path] = []
        self.processes = {}
        self.base = Path(tempfile.mkdtemp(prefix="haprig-soak-sql."))
        self.base.chmod(0o755)
        try:
            self.clocks = Clocks(self.base)
            inside = ["ip", "netns", "exec", self.network.hub]
            data = self.base / "sql"
            data.mkdir()
            server = Database(data, [*inside, "env", *self.clocks.before("database")], self.network.address)
            super().__init__(server, machines=machines, rigs=each)
            self.host, self.timing = self.network.address, TIMING
            self._describe(names)
        except BaseException:
            self.close()
            raise

    def _describe(self, names: list[str]) -> None:
        self.runs = self.folder / "runs"
        self.runs.mkdir()
        for name in names:
            for part in ("runs", "runtime"):
                (self.folder / name / part).mkdir(parents=True, mode=0o700)
            disk = self.folder / name / "runs"
            do("mount", "-t", "tmpfs", "-o", "size=2g", "soak", str(disk))
            self.mounted.append(disk)
        word = f"{self.chance.getrandbits(64):x}"
        with psycopg.connect(self.book.server) as connection:
            connection.execute(f"alter role rig password '{word}'")
        passes = self.folder / "passwords/pgpass"
        passes.write_text(f"*:*:*:*:{word}\n")
        passes.chmod(0o600)
        self.secrets["pgpass"] = word
        self.remote = (f"postgres://rig@{self.network.address}/fleet1?passfile={passes}&connect_timeout=5")
        self.versions = [do(PROGRAM, "--version").strip(), ""]
        self.versions[1] = self.versions[0][:-1] + str((int(self.versions[0][-1]) + 1) % 10)
        self.programs = [PROGRAM, str(self.folder / "haprig-next")]
        first, second = (each.encode() for each in self.versions)
        Path(self.programs[1]).write_bytes(Path(PROGRAM).read_bytes().replace(first, second))
        Path(self.programs[1]).chmod(0o755)
        if (said := do(self.programs[1], "--version").strip()) != self.versions[1]:
            raise RuntimeError(f"the other haprig says that it is {said}, and not {self.versions[1]}")
        for name in names:
            self._install(name, self.programs[0])
        if PLUGIN.exists():
            self.cards = {next(iter(self.rigs_of(name))): "" for name in names}
        else:
            print(f"left out: what a drive is given, since there is no {PLUGIN}")
        configuration = f'pcm_type.haprig {{ lib "{PLUGIN}" }}\n'
        for rig in self.rigs:
            described = (CARD if rig in self.cards else RIG).read_text()
            own = re.sub(r"clock: virtual", "clock: real", re.sub(r"(?m)^name: .*", f"name: {rig}", described))
            if rig in self.cards:
                self.cards[rig] = f"{self.network.mark}-{rig}"
                configuration += ASOUND.format(rig=rig, folder=self.folder, state=self.cards[rig])
                (self.folder / f"rigs/{rig}-card.yaml").write_text(own)
                # The rig of the job knows nothing of the simulation: what it has is a PCM of ALSA's, of a kind that may convert.
                own = re.sub(r"(?m)^  pcm: .*\n  period: .*", f"  pcm: {rig}\n  period: {PERIOD}\n  periods: {PERIODS}\n  resample: true",
                             re.sub(r"(?ms)^simulation:.*", "", own))
            (self.folder / f"rigs/{rig}.yaml").write_text(own)
        (self.folder / "asound.conf").write_text(configuration)
        (self.folder / "plan.yaml").write_text(PLAN)
        (self.folder / "tap.ahap").write_text(json.dumps(TAP))
        lines = [
            "name: soak", f'archive: {{server: "{self.remote}", folder: {self.runs}}}',
            f'master: {{listen: "{self.network.address}:{self.listen}", page: "127.0.0.1:{self.page}", '
            f'passwords: {self.folder}/passwords}}',
            "machines:", *(f"  {name}: {{haprig: {HERE}/driver, jobs: {self.each}, folder: {self.folder}/work}}" for name in names),
            "rigs:", *(f"  {rig}: {{machine: {machine}, file: {self.folder}/rigs/{rig}.yaml, model: coin}}"
                       for rig, machine in self.rigs.items()),
            "plans:", f"  soak: {{do: run, file: {self.folder}/plan.yaml, rigs: all, limit: 60 s, attempts: 5}}",
        ]
        text = "\n".join(lines) + "\n"
        (self.folder / "fleet.yaml").write_text(text)
        # What people ask comes over the socket of the database.
        (self.folder / "people.yaml").write_text(text.replace(self.remote, f"postgres:///fleet1?host={self.server.folder}&user=rig"))
        (self.folder / "fleet.json").write_text(do(PROGRAM, "fleet", "check", str(self.folder / "fleet.yaml"), "--json"))
        self.task = read(self.folder / "fleet.json").plans[0].task()

    def write(self) -> Path:
        return self.folder / "fleet.json"

    def before(self, name: str) -> list[str]:
        if name not in self.network.machines:
            return ["ip", "netns", "exec", self.network.hub, "env", *self.clocks.before(name)]
        return self.inside(name)

    def inside(self, machine: str) -> list[str]:
        """Words to start something on a machine with: its network, its name, its disk, its clock."""
        script = f"hostname {machine} && mount --bind {self.folder / machine}/runs {self.runs} && exec \"$@\""
        return ["ip", "netns", "exec", self.network.machines[machine], "unshare", "--mount", "--uts", "sh", "-c", script, "sh",
                "env", f"XDG_RUNTIME_DIR={self.folder / machine}/runtime", f"HAPRIG_PROGRAM={self.folder / machine}/haprig",
                f"ALSA_CONFIG_PATH=/usr/share/alsa/alsa.conf:{self.folder}/asound.conf", *self.clocks.before(machine)]

    def _install(self, machine: str, program: str) -> None:
        """As a package does it: what runs goes on with what it began with."""
        new = self.folder / machine / "haprig.new"
        new.symlink_to(program)
        new.replace(self.folder / machine / "haprig")

    def upgrade(self) -> None:
        for machine in list(self.network.machines)[::2]:
            self._install(machine, self.programs[1])
            self.upgraded[machine] = time.monotonic()

    # What goes on

    def ask(self, statement: str, *values: Any) -> list[dict[str, Any]] | None:
        """What the book says; None while the database is away."""
        try:
            if self.connection is None or self.connection.closed:
                self.connection = psycopg.connect(self.book.server, row_factory=dict_row, autocommit=True, options="-c search_path=haprig")
            return self.connection.execute(statement, values).fetchall()
        except psycopg.OperationalError:
            if self.connection is not None:
                self.connection.close()
            return None

    def order_more(self) -> None:
        """Each rig has three jobs to do, until all are ordered: one that was quick gets more."""
        while self.ordered < self.count:
            owed = Counter(self.open.values())
            rig = min(self.rigs, key=lambda each: owed[each])
            if owed[rig] >= 3:
                return
            id = f"soak/{rig}/{self.ordered + 1}"
            try:
                self.book.order(id, "soak", rig, self.task)
            except psycopg.OperationalError:
                return
            self.open[id] = rig
            self.ordered += 1

    def look(self) -> None:
        """Sees what has ended since, and what recovered by it."""
        rows = self.ask("select id, code from haprig.fleet_jobs where ended is not null and id = any(%s)", list(self.open))
        now = time.monotonic()
        for row in rows or []:
            rig = self.open.pop(row["id"])
            self.codes[row["id"]] = row["code"]
            if row["code"] in (0, 1):
                for fault in self.made:
                    if fault.ended is not None and fault.recovered is None and rig in fault.rigs:
                        fault.recovered = now
        for rig in self.rigs:
            for pid in self.running(rig):
                if not Path(f"/proc/{pid}").exists():
                    self.gone.setdefault(pid, now)
        for rig in self.cards:
            self.look_at_drive(rig)

    def look_at_drive(self, rig: str) -> None:
        """What the drive was given last, of each haprig that is over, and that nobody has the card who could give it more."""
        told = self.told(rig)
        ends = {each["child"]: each for each in told if each["what"] == "end"}
        boot = time.time() - time.monotonic()
        for file in (self.folder / "rigs").glob(f"{rig}.played.*"):
            pid = int(file.suffix[1:])
            end = ends.get(pid)
            if end is None and pid not in self.gone:
                continue
            frames = array("f", file.read_bytes()[: file.stat().st_size // (4 * CHANNELS) * 4 * CHANNELS])
            last = next((place for place in range(len(frames) - 1, -1, -1) if frames[place]), -1) // CHANNELS
            silent = len(frames) // CHANNELS - 1 - last
            job = next(each["job"] for each in told if each["pid"] == pid)
            if end is None or end["code"] < 0:
                # It could not help it: the card that it had is closed, and what was not played yet is gone.
                self.drives["killed while it played" if frames and silent < PERIOD else "killed"] += 1
                if file.stat().st_mtime > boot + (end["at"] if end else self.gone[pid]) + 0.5:
                    self.loud.append(f"the drive of {rig} was given something after the death of the haprig of {job}")
            else:
                self.drives["stopped" if end["code"] > 3 else "ended"] += 1
                if last >= 0 and silent < PERIOD:
                    self.loud.append(f"the drive of {rig} was not at zero when {job} ended with {end['code']}: {silent} frames of silence")
            file.unlink()
        state = Path(f"/dev/shm/haprig-{os.getuid()}-{self.cards[rig]}")
        if not self.running(rig) and self.is_held(state) and not self.running(rig):
            self.loud.append(f"somebody has the card of {rig} while no haprig runs there")

    @staticmethod
    def is_held(state: Path) -> bool:
        """Who has the card's playback holds a lock on the first byte of its state."""
        try:
            with open(state, "r+b") as file:
                asked = struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, 0, 1, 0)
                kind: int = struct.unpack("hhqqi", fcntl.fcntl(file, fcntl.F_OFD_GETLK, asked))[0]
                return kind != fcntl.F_UNLCK
        except FileNotFoundError:
            return False

    def running(self, rig: str) -> list[int]:
        """The haprigs of a rig that began and have told no end."""
        told = self.told(rig)
        over = {each["child"] for each in told if each["what"] == "end"} | set(self.gone)
        return [each["pid"] for each in told if each["what"] == "begin" and each["pid"] not in over]

    def rigs_of(self, machine: str) -> list[str]:
        return [rig for rig, its in self.rigs.items() if its == machine]

    # Faults

    def kinds(self) -> list[str]:
        kinds = ["haprig", "worker", "master", "database", "cut", "slow", "disk", "clock"]
        left_out = {"slow": not self.network.slow, "clock": not self.clocks.works}
        for kind in kinds:
            if left_out.get(kind):
                print(f"left out: {kind}, which this machine has no means for")
        return [kind for kind in kinds if not left_out.get(kind)]

    def begin_fault(self, kind: str) -> bool:
        """Begins a fault of a kind on whoever the chance says; False where it is under one already."""
        chance, now = self.chance, time.monotonic()
        machine = chance.choice(list(self.network.machines))
        rigs, target, lasts = self.rigs_of(machine), machine, chance.uniform(5, 20)
        undo: Callable[[], None] = lambda: None
        if kind in ("master", "database"):
            rigs, target = list(self.rigs), kind
        if kind == "clock":
            target = chance.choice([machine, machine, "master", "database"])
            rigs = rigs if target == machine else list(self.rigs)
        if any(fault.ended is None and fault.target == target for fault in self.made):
            return False
        if kind == "haprig":
            target = chance.choice(list(self.rigs))
            rigs, lasts = [target], 0
            if not (found := self.running(target)):
                return False
            try:
                os.kill(found[-1], signal.SIGKILL)
            except ProcessLookupError:
                return False
        elif kind == "worker":
            lasts = chance.uniform(0.5, 6)
            self.kill(machine)
            undo = lambda: self.start_machine(machine)  # noqa: E731
        elif kind == "master":
            lasts = chance.uniform(0.5, 10)
            self.kill("master")
            undo = self.start_master
        elif kind == "database":
            lasts = chance.uniform(0.5, 15)
            self.server.stop(signal.SIGKILL)
            undo = self.server.start
        elif kind == "cut":
            lasts = chance.uniform(5, 40)
            self.network.cut(machine, True)
            undo = lambda: self.network.cut(machine, False)  # noqa: E731
        elif kind == "slow":
            self.network.slows(machine, True)
            undo = lambda: self.network.slows(machine, False)  # noqa: E731
        elif kind == "disk":
            disk = self.folder / machine / "runs"
            room = os.statvfs(disk)
            do("mount", "-o", f"remount,size={(room.f_blocks - room.f_bfree) * room.f_frsize // 1024 + 16}k", str(disk))
            undo = lambda: self._empty(disk)  # noqa: E731
        else:
            # The book's times are the database's: set back, what is due waits until they come again. So it goes forward, for good.
            step = HOUR * (1 if target == "database" else chance.choice([1, -1]))
            self.clocks.step(target, step)
            if target == "database":
                lasts = 0
                for hold in self.holds:
                    hold.over = hold.over or now
            else:
                undo = lambda: self.clocks.step(target, -step)  # noqa: E731
        self.made.append(Fault(kind, target, rigs, now, now + lasts, undo))
        return True

    @staticmethod
    def _empty(disk: Path) -> None:
        do("mount", "-o", "remount,size=2g", str(disk))

    def end_faults(self, all: bool = False) -> None:
        for fault in self.made:
            if fault.ended is None and (all or time.monotonic() >= fault.until):
                fault.undo()
                fault.ended = time.monotonic()

    # Reservations

    def people(self, *words: str) -> int:
        return subprocess.run([PROGRAM, "fleet", *words, "--fleet", str(self.folder / "people.yaml")], capture_output=True).returncode

    def reserve(self) -> None:
        rig = self.chance.choice(list(self.rigs))
        if any(hold.rig == rig and hold.over is None for hold in self.holds):
            return
        asked = time.monotonic()
        if self.people("reserve", rig, "--for", "60 s", "--why", "a look", "--no-wait") == 0:
            hold = Hold(rig, time.monotonic(), asked + 60, {})
            rows = self.ask("select id, attempts from haprig.fleet_jobs where rig = %s", rig)
            if rows is not None:
                hold.attempts = {row["id"]: row["attempts"] for row in rows}
                self.holds.append(hold)

    def end_holds(self) -> None:
        for hold in self.holds:
            if hold.over is None and time.monotonic() >= hold.until:
                hold.over = hold.until
            elif hold.over is None and self.chance.random() < 0.02:
                hold.over = time.monotonic()
                self.people("release", hold.rig)

    def run(self, minutes: float) -> None:
        kinds = self.kinds()
        script: list[str] = []
        while len(script) < self.faults:
            script += self.chance.sample(kinds, len(kinds))
        del script[self.faults:]
        self.start()
        end, told = time.monotonic() + 60 * minutes, time.monotonic()
        while time.monotonic() < end:
            self.order_more()
            self.look()
            self.end_faults()
            self.end_holds()
            active = sum(fault.ended is None for fault in self.made)
            if not self.upgraded and 2 * len(self.codes) >= self.count:
                self.upgrade()
            due = len(self.codes) * (self.faults + 1) >= self.count * (len(self.made) + 1)
            if script and due and active < 3 and self.begin_fault(script[-1]):
                script.pop()
            if self.chance.random() < 0.02 and len(self.codes) < self.count:
                self.reserve()
            if time.monotonic() - told > 15:
                told = time.monotonic()
                self.look_for_secrets()
                now = ", ".join(f"{fault.what} {fault.target}" for fault in self.made if fault.ended is None)
                print(f"  {len(self.codes)} of {self.count} jobs, {len(self.made)} of {self.faults} faults; now {now or 'none'}", flush=True)
            if len(self.codes) == self.count and not active and not script:
                break
            time.sleep(0.2)
        self.end_faults(all=True)

    def look_for_secrets(self) -> None:
        """In what every user of a machine sees of its processes, and in the environment that they hand on."""
        for path in (*Path("/proc").glob("[0-9]*/cmdline"), *Path("/proc").glob("[0-9]*/environ")):
            try:
                text = path.read_text(errors="replace")
            except OSError:
                continue
            if any(word.rpartition(":")[2] in text for word in self.secrets.values()):
                self.told_secrets.add(f"{path.name} of a process")

    # What was promised

    def intervals(self, rig: str) -> list[tuple[float, float, int | None, str]]:
        """From when to when a haprig ran on the rig, its exit code where it told one, and its job."""
        told = self.told(rig)
        ends = {each["child"]: each for each in told if each["what"] == "end"}
        found = []
        for each in told:
            if each["what"] == "begin":
                end = ends.get(each["pid"])
                at = end["at"] if end else self.gone.get(each["pid"], float("inf"))
                found.append((each["at"], at, end["code"] if end else None, each["job"]))
        return sorted(found, key=lambda run: run[0])

    def check(self) -> list[str]:
        return [*self.check_book(), *self.check_archive(), *self.check_drivers(), *self.check_drives(), *self.check_holds(),
                *self.check_recovery(), *self.check_secrets()]

    def check_book(self) -> list[str]:
        broken = []
        rows = self.ask("""select j.id, state, code, said, attempts,
            (select count(*) from haprig.fleet_events e where e.job = j.id and what = 'made') as made,
            (select count(*) from haprig.fleet_events e where e.job = j.id and what = 'given') as given,
            (select count(*) from haprig.fleet_events e where e.job = j.id and what like 'ended with%%') as ended
            from haprig.fleet_jobs j order by j.made""") or []
        if len(rows) != self.count:
            broken.append(f"{len(rows)} jobs are in the book of {self.count} that were ordered")
        for row in rows:
            given_up = (row["said"] or "").startswith("given up after")
            if row["state"] != "done" or row["made"] != 1 or row["given"] != row["attempts"] or row["ended"] + given_up != 1:
                broken.append(f"{row['id']} is not done exactly once: {row}")
            elif row["code"] not in (0, 1) and not given_up and not (row["code"] == 3 and self.was_full(row["id"])):
                broken.append(f"{row['id']} ended with {row['code']}, which no fault explains: {row['said']}")
        self.codes = {row["id"]: row["code"] for row in rows}
        print(f"codes: {dict(Counter(row['code'] for row in rows))}; attempts: {dict(sorted(Counter(row['attempts'] for row in rows).items()))}")
        for row in rows:
            if row["code"] not in (0, 1):
                print(f"  {row['id']} ended with {row['code']}: {row['said']}")
        return broken

    def was_full(self, id: str) -> bool:
        """Whether the disk was full when the job ran last: that is a fault of the machine, and the job is done with it."""
        rig = id.split("/")[1]
        runs = [run for run in self.intervals(rig) if run[3] == id]
        return any(fault.what == "disk" and rig in fault.rigs and fault.begun < run[1] and run[0] < (fault.ended or run[1])
                   for fault in self.made for run in runs[-1:])

    def check_archive(self) -> list[str]:
        """The history indexes first what machines could not bring to the database."""
        broken, counted = [], {}
        for rig, machine in self.rigs.items():
            if not any(code in (0, 1) and id.split("/")[1] == rig for id, code in self.codes.items()):
                continue
            # By the haprig that the machine has not: each reads what the other wrote.
            ended = self.archive(machine, self.programs[machine not in self.upgraded], "history", "--rig", rig, "--json")
            if ended.returncode:
                broken.append(f"there is no history of {rig}: {ended.stderr.strip()[-300:]}")
                continue
            history = json.loads(ended.stdout)
            series = [each for each in history["series"] if each["reading"] == "latency.electrical"]
            counted[rig] = sum(night["count"] for each in series for night in each["nights"])
        rows = self.ask("""select names.text as rig, job.text as job, version.text as version, runs.folder, runs.started, runs.status from runs
            join names on names.id = runs.rig
            join environments e on e.run = runs.id and e.key = (select id from names where text = 'job')
            join names job on job.id = e.value
            join environments v on v.run = runs.id and v.key = (select id from names where text = 'haprig')
            join names version on version.id = v.value order by runs.started, runs.folder""")
        complete: dict[str, list[str]] = {}
        for row in rows or []:
            if row["status"] == 0:
                complete.setdefault(row["job"], []).append(row["folder"])
        for id, code in self.codes.items():
            if code in (0, 1) and id not in complete:
                broken.append(f"{id} ended with {code} and has no complete run in the archive")
        doubled = {job: folders for job, folders in complete.items() if len(folders) > 1}
        print(f"archive: {len(rows or [])} runs, {sum(row['status'] != 0 for row in rows or [])} of them not complete, "
              f"{len(complete)} jobs with a complete run, {len(doubled)} with more than one")
        for job, folders in doubled.items():
            print(f"  {job}: {', '.join(folders)}; the first counts")
        for rig, number in counted.items():
            # A run that failed may lack the reading.
            jobs = [job for job in complete if job.split("/")[1] == rig]
            if not sum(self.codes.get(job) != 1 for job in jobs) <= number <= len(jobs):
                broken.append(f"the history of {rig} counts {number} runs of {len(jobs)} jobs")
        for row in rows or []:
            record = self.folder / self.rigs[row["rig"]] / "runs" / row["folder"] / "record.json"
            self.records.setdefault((row["rig"], row["job"]), []).append(record)
        return broken + self._check_records(rows or []) + self._check_versions(rows or [])

    def archive(self, machine: str, program: str, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*self.inside(machine), program, *words, "--archive", self.remote, "--reports", str(self.runs)],
                              capture_output=True, text=True)

    def _check_versions(self, rows: list[dict[str, Any]]) -> list[str]:
        """Each record has the version of the haprig that its machine had, and both haprigs read the records of both."""
        broken, written = [], Counter(row["version"] for row in rows)
        print(f"versions: {dict(written)}; {', '.join(self.upgraded)} had {self.versions[1]} from the middle on")
        if set(written) != set(self.versions):
            broken.append(f"the archive has records of {sorted(written)}, and not of {self.versions}")
        for row in rows:
            since = self.upgraded.get(self.rigs[row["rig"]], float("inf"))
            # Between the line of its beginning and the program itself a moment passes.
            if not any(row["version"] == self.versions[begun + late > since] for begun, _, _, job in self.intervals(row["rig"])
                       for late in (0, 0.5) if job == row["job"]):
                broken.append(f"{row['folder']} of {row['job']} says that {row['version']} made it")
        for machine in self.network.machines:
            for program in self.programs:
                told = self.archive(machine, program, "archive", "list", "--limit", "100000", "--json")
                listed = {each["id"]: each["software"] for each in json.loads(told.stdout)} if told.returncode == 0 else {}
                if any(row["version"] not in listed.get(row["folder"], "") for row in rows):
                    broken.append(f"{Path(program).name} on {machine} lists {len(listed)} runs of {len(rows)}: {told.stderr.strip()[-300:]}")
                told = self.archive(machine, program, "archive", "verify", "--quiet")
                if told.returncode:
                    broken.append(f"{Path(program).name} on {machine} verifies: {(told.stdout + told.stderr).strip()[-600:]}")
        return broken

    def _check_records(self, rows: list[dict[str, Any]]) -> list[str]:
        """A record says that its rig was driven while a haprig of its job ran; its machine's clock may be an hour off."""
        broken, boot = [], time.time() - time.monotonic()
        for row in rows:
            if not any(job == row["job"] and -2 <= (row["started"] - begun - boot + HOUR / 2) % HOUR - HOUR / 2 <= end - begun + 1
                       for begun, end, _, job in self.intervals(row["rig"])):
                broken.append(f"{row['folder']} of {row['job']} was recorded while no haprig of this job ran on {row['rig']}")
        return broken

    def written(self, rig: str, job: str) -> list[float]:
        """When the records of a job were written, by the kernel's clock, which nobody sets."""
        boot = time.time() - time.monotonic()
        return [path.stat().st_mtime - boot for path in self.records.get((rig, job), [])]

    def check_drivers(self) -> list[str]:
        broken, number, refused = [], 0, 0
        for rig in self.rigs:
            # One that ends with 75 was refused the rig; one that has made a run drives no more, however long the archive takes.
            drove = [(begun, min([end, *(at for at in self.written(rig, job) if begun < at < end)]), code, job)
                     for begun, end, code, job in self.intervals(rig) if code != 75]
            number += len(drove)
            refused += len(self.intervals(rig)) - len(drove)
            for at, one in enumerate(drove):
                broken += [f"two drivers on {rig}: {one} and {other}" for other in drove[at + 1:] if other[0] < one[1]]
        print(f"drivers: {number} haprigs drove, {refused} found their rig held")
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if b"--job" in words and str(self.folder).encode() in words:
                broken.append(f"process {folder.name} is left: {words.replace(bytes(1), b' ').decode()}")
        return broken

    def check_drives(self) -> list[str]:
        """That every drive is at zero once its haprig is over: of the cards, which tell."""
        for rig in self.cards:
            self.look_at_drive(rig)
        print(f"drives of {len(self.cards)} cards: {dict(self.drives)}")
        return [*dict.fromkeys(self.loud), *(["no drive was ever given anything"] if self.cards and not self.drives else [])]

    def check_holds(self) -> list[str]:
        broken = []
        for hold in self.holds:
            over = hold.over or float("inf")
            begins: Counter[str] = Counter()
            for begun, _, _, job in self.intervals(hold.rig):
                begins[job] += 1
                if hold.since < begun < over and begins[job] > hold.attempts.get(job, 0):
                    broken.append(f"{job} began on {hold.rig} {begun - hold.since:.2f} s after it was reserved")
        print(f"holds: {len(self.holds)}")
        return broken if self.holds else ["no rig was ever reserved"]

    def check_recovery(self) -> list[str]:
        broken = []
        for what in dict.fromkeys(fault.what for fault in self.made):
            of = [fault for fault in self.made if fault.what == what]
            took = [fault.recovered - fault.ended for fault in of if fault.recovered is not None and fault.ended is not None]
            told = f"median {statistics.median(took):.1f} s, largest {max(took):.1f} s" if took else "none seen"
            print(f"recovery from {what}: {told}, of {len(took)}; {len(of) - len(took)} were followed by no job on their rigs")
            if took and max(took) > AIM:
                broken.append(f"recovery from {what} took {max(took):.0f} s")
        return broken

    def check_secrets(self) -> list[str]:
        """In logs, records, pages and the master's own database; the folder of passwords alone has them."""
        for word in self.secrets.values():
            found = subprocess.run(["grep", "-rlF", "--exclude-dir=passwords", "-e", word.rpartition(":")[2], str(self.folder)],
                                   capture_output=True, text=True).stdout.splitlines()
            self.told_secrets |= {str(Path(path).relative_to(self.folder)) for path in found}
        return [f"a secret stands in {each}" for each in sorted(self.told_secrets)]

    def close(self) -> None:
        """Whatever state it is in."""
        self.network.close()
        for process in (*self.processes.values(), getattr(getattr(self, "server", None), "process", None)):
            if process is not None:
                process.wait()
        for disk in self.mounted:
            subprocess.run(["umount", "-l", str(disk)], capture_output=True)
        for folder in (self.base, getattr(self, "folder", None)):
            if folder is not None:
                shutil.rmtree(folder, ignore_errors=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, usual, says in (("jobs", 1000, "how many"), ("faults", 100, "how many"), ("seed", 1, "of what happens, and to whom"),
                              ("machines", 4, "how many"), ("rigs", 5, "of each machine")):
        parser.add_argument(f"--{name}", type=int, default=usual, help=f"{says} (%(default)s)")
    parser.add_argument("--minutes", type=float, default=60, help="after which it is broken off (%(default)s)")
    parser.add_argument("--keep", type=Path, help="a folder that logs are copied to")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if not Path(PROGRAM).exists():
        print(f"SKIPPED the fleet under faults: there is no {PROGRAM}")
        return 0
    try:
        Network([]).close()
    except (OSError, RuntimeError) as fault:
        print(f"SKIPPED the fleet under faults: there can be no network namespaces here ({fault})")
        return 0
    begun = time.monotonic()
    soak = Soak(given.jobs, given.faults, given.seed, given.machines, given.rigs)
    try:
        soak.run(given.minutes)
        print(f"{given.jobs} jobs on {given.machines} machines with {given.rigs} rigs each, {len(soak.made)} faults, seed {given.seed}: "
              f"{time.monotonic() - begun:.0f} s", flush=True)
        broken = soak.check()
        if len(soak.made) < given.faults:
            broken.append(f"{given.faults - len(soak.made)} faults were left when the time was over")
        if given.keep:
            shutil.copytree(soak.folder, given.keep, dirs_exist_ok=True, ignore=lambda folder, names: [
                name for name in names if name in ("runs", "runtime", "passwords")])
    finally:
        soak.close()
    for each in broken[:30]:
        print(f"BROKEN {each}")
    print(f"{len(broken)} promises broken, seed {given.seed}" if broken else "every promise was kept")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
