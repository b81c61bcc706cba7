# SPDX-License-Identifier: Apache-2.0
"""A fleet for tests: PostgreSQL, masters and machines as processes in a temporary folder, on a socket and loopback."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg

from haprig_fleet.book import Book

HERE = Path(__file__).resolve().parent
TIMING = "look=0.2,backoff=1,keepalive=2,answer=2,begin=5,grace=2,term=1,patience=3"


def programs() -> Path | None:
    """PostgreSQL's programs, the newest of Debian's."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
    return found[-1] if found else None


def until(condition: Callable[[], Any], seconds: float = 30, what: str = "") -> Any:
    """Waits for a condition to hold and gives what it said."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"not within {seconds} s: {what or condition}")


class Server:
    """A PostgreSQL of its own, whose data outlives a kill."""

    def __init__(self, folder: Path, before: list[str] | None = None, listen: str = "") -> None:
        """`before` are words to start it with; `listen` is an address on which it asks for a password too."""
        self.folder, self.programs, self.listen = folder, programs(), listen
        assert self.programs, "there is no server below /usr/lib/postgresql"
        self.as_user = before or []
        if os.getuid() == 0:
            shutil.chown(folder, "postgres")
            self.as_user += ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        subprocess.run(
            [*self.as_user, str(self.programs / "initdb"), "-D", str(folder / "data"), "-U", "rig", "-A", "trust",
             "-E", "UTF8", "--locale=C", "--no-sync"], cwd=folder, check=True, capture_output=True,
        )
        if listen:
            with open(folder / "data/pg_hba.conf", "a") as rules:
                rules.write("host all all all scram-sha-256\n")
        self.databases = 0
        self.process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        with open(self.folder / "server.log", "a") as log:
            self.process = subprocess.Popen(
                [*self.as_user, str(self.programs / "postgres"), "-D", str(self.folder / "data"), "-k",  # type: ignore[operator]
                 str(self.folder), "-c", f"listen_addresses={self.listen}", "-c", "fsync=off"], cwd=self.folder, stdout=log, stderr=log,
            )
        until(self.answers, what="PostgreSQL answers")

    def answers(self) -> bool:
        try:
            psycopg.connect(self.address("postgres")).close()
        except psycopg.OperationalError:
            return False
        return True

    def stop(self, how: int = signal.SIGQUIT) -> None:
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait()
            self.process = None
            # What a killed postmaster leaves behind ends by itself, and must have before another may start.
            time.sleep(0.5 if how == signal.SIGKILL else 0)

    def address(self, database: str) -> str:
        return f"postgresql:///{database}?host={self.folder}&user=rig"

    def database(self) -> str:
        self.databases += 1
        name = f"fleet{self.databases}"
        with psycopg.connect(self.address("postgres"), autocommit=True) as connection:
            connection.execute(f"create database {name}")
        return self.address(name)


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


class Lab:
    """A fleet of machines m1, m2, ... with rigs r1, r2, ... each, its master and its book."""

    def __init__(self, server: Server, machines: int = 1, rigs: int = 1, jobs: int | None = None, **plan: Any) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="haprig-fleet."))
        self.server = server
        self.host, self.page, self.listen = "127.0.0.1", free_port(), free_port()
        self.rigs = {f"r{n + 1}": f"m{n // rigs + 1}" for n in range(machines * rigs)}
        for name in ("passwords", "rigs", "work"):
            (self.folder / name).mkdir()
        self.secrets = {f"m{n + 1}.token": f"token-{n + 1}-0123456789" for n in range(machines)}
        self.secrets["page.users"] = "ada:secret-of-ada"
        for name, text in self.secrets.items():
            path = self.folder / "passwords" / name
            path.write_text(text + "\n")
            path.chmod(0o600)
        usual = {
            "name": "nightly", "do": "nightly", "file": "/plans/nightly.yaml", "arguments": [], "rigs": list(self.rigs),
            "at": [], "days": "all", "limit": 60, "attempts": 5, "reserved": "wait", "catchUp": 43200, "priority": 0,
        }
        self.document: dict[str, Any] = {
            "schema": "haprig.fleet/1", "name": "lab",
            "archive": {"server": server.database(), "folder": str(self.folder / "runs")},
            "master": {"listen": f"127.0.0.1:{self.listen}", "page": f"127.0.0.1:{self.page}",
                       "passwords": str(self.folder / "passwords")},
            "machines": [{"name": f"m{n + 1}", "haprig": str(HERE / "haprig"), "jobs": jobs or rigs,
                          "folder": str(self.folder / "work")} for n in range(machines)],
            "rigs": [{"name": rig, "machine": machine, "file": str(self.folder / "rigs" / rig), "model": "coin"}
                     for rig, machine in self.rigs.items()],
            "plans": [usual | plan],
            "tell": [{"when": ["fail", "fault", "overdue"],
                      "command": ["sh", "-c", f"cat >> {self.folder}/told"]}],
        }
        self.book = Book(self.document["archive"]["server"])
        self.book.connection()
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.asked = 0
        self.timing = TIMING

    def write(self) -> Path:
        path = self.folder / "fleet.json"
        path.write_text(json.dumps(self.document))
        return path

    def before(self, name: str) -> list[str]:
        """Words to start the master or a machine with."""
        return []

    def _start(self, name: str, *arguments: str) -> None:
        with open(self.folder / f"{name}.log", "ab") as log:
            self.processes[name] = subprocess.Popen(
                [*self.before(name), sys.executable, "-m", "haprig_fleet", *arguments, "--timing", self.timing], cwd=HERE.parent,
                stdout=log, stderr=subprocess.STDOUT,
            )

    def start_master(self, name: str = "master", description: Path | None = None) -> None:
        self._start(name, "master", str(description or self.write()), "--folder", str(self.folder / name))

    def start_machine(self, machine: str, listen: int | None = None) -> None:
        token = self.folder / "passwords" / f"{machine}.token"
        self._start(machine, "join", f"{self.host}:{listen or self.listen}", "--machine", machine,
                    "--token-file", str(token), "--folder", str(self.folder / machine))

    def start(self) -> Lab:
        self.start_master()
        for machine in sorted(set(self.rigs.values())):
            self.start_machine(machine)
        return self

    def kill(self, name: str, how: int = signal.SIGKILL) -> None:
        process = self.processes.pop(name)
        process.send_signal(how)
        process.wait()

    def log(self, name: str) -> str:
        path = self.folder / f"{name}.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def script(self, rig: str, *lines: str) -> None:
        (self.folder / "rigs" / f"{rig}.script").write_text("".join(line + "\n" for line in lines))

    def told(self, rig: str) -> list[dict[str, Any]]:
        """What the rig's program wrote: by it the tests judge, not by what the fleet says of itself."""
        path = self.folder / "rigs" / f"{rig}.log"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def whats(self, rig: str, job: str | None = None) -> list[str]:
        return [each["what"] for each in self.told(rig) if job in (None, each["job"])]

    def order(self, rig: str = "r1", **more: Any) -> str:
        self.asked += 1
        id = f"nightly/{rig}/by-ada-{self.asked}"
        task = {"do": "nightly", "file": "/plans/nightly.yaml", "arguments": [], "limit": 60, "attempts": 5,
                "reserved": "wait"} | more
        assert self.book.order(id, "nightly", rig, task)
        return id

    def row(self, id: str) -> dict[str, Any]:
        with psycopg.connect(self.book.server, row_factory=psycopg.rows.dict_row) as connection:
            row = connection.execute("select * from haprig.fleet_jobs where id = %s", [id]).fetchone()
        assert row is not None, id
        return row

    def rows(self, what: str = "true") -> list[dict[str, Any]]:
        with psycopg.connect(self.book.server, row_factory=psycopg.rows.dict_row) as connection:
            return connection.execute(f"select * from haprig.fleet_jobs where {what} order by id").fetchall()

    def ended(self, id: str, seconds: float = 60) -> dict[str, Any]:
        def over() -> dict[str, Any] | None:
            row = self.row(id)
            return row if row["ended"] else None

        return until(over, seconds, f"{id} ended: {self.row(id)}")  # type: ignore[no-any-return]

    def close(self) -> None:
        for name in list(self.processes):
            self.kill(name)
        self.book.close()
        for rig in self.rigs:
            for each in self.told(rig):
                try:
                    if Path(f"/proc/{each['pid']}/cmdline").read_bytes().find(b"--job") >= 0:
                        os.kill(each["pid"], signal.SIGKILL)
                except OSError:
                    pass
        shutil.rmtree(self.folder, ignore_errors=True)
