# SPDX-License-Identifier: Apache-2.0
"""A machine whose network is cut in the middle of a transaction keeps no lock of the database for longer than half a minute."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psycopg
import pytest

from haprig_fleet.book import Book
from lab import Server
from soak import Database, Network

LOCK = 77
HOLDS = """
import sys, time
from haprig_fleet.book import Book
connection = Book(sys.argv[1]).connection()
connection.execute("select pg_advisory_xact_lock(77)")
print("has it", flush=True)
time.sleep(600)
"""


def test_a_cut_machine_gives_its_locks_back(tmp_path: Path) -> None:
    try:
        network = Network(["m1"])
    except (OSError, RuntimeError) as fault:
        pytest.skip(f"there can be no network namespaces here: {fault}")
    folder = Path(tempfile.mkdtemp(prefix="haprig-cut."))
    server: Server | None = None
    try:
        server = Database(folder, ["ip", "netns", "exec", network.hub], network.address)
        own = server.address("postgres")
        with psycopg.connect(own) as connection:
            connection.execute("alter role rig password 'x'")
        passes = tmp_path / "pgpass"
        passes.write_text("*:*:*:*:x\n")
        passes.chmod(0o600)
        far = f"postgres://rig@{network.address}/postgres?passfile={passes}"
        holder = subprocess.Popen(["ip", "netns", "exec", network.machines["m1"], sys.executable, "-c", HOLDS, far],
                                  stdout=subprocess.PIPE, text=True)
        assert holder.stdout is not None and holder.stdout.readline() == "has it\n"
        connection = Book(own).connection()
        with connection.transaction():
            held = connection.execute("select pg_try_advisory_xact_lock(%s)", [LOCK]).fetchone()
        assert held == (False,)

        network.cut("m1", True)
        begun = time.monotonic()
        with connection.transaction():
            connection.execute("set local lock_timeout = '60s'")
            connection.execute("select pg_advisory_xact_lock(%s)", [LOCK])
        assert 5 < time.monotonic() - begun < 40
        holder.kill()
    finally:
        network.close()
        if server is not None:
            server.stop()
        shutil.rmtree(folder)
