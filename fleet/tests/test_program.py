# SPDX-License-Identifier: Apache-2.0
"""What people do with `haprig fleet`, against a book of its own: what the program writes is what the clerk reads."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from lab import Server

from haprig_fleet.book import Book

PROGRAM = os.environ.get("HAPRIG_PROGRAM", str(Path(__file__).resolve().parents[2] / ".build/release/haprig"))

pytestmark = pytest.mark.skipif(not Path(PROGRAM).exists(), reason="there is no haprig: build it, or name one in HAPRIG_PROGRAM")

FLEET = """
name: lab
archive: {{server: "{server}", folder: {folder}/runs}}
master: {{passwords: {folder}/passwords}}
machines: {{bench-1: {{}}, bench-2: {{}}}}
rigs:
  r1: {{machine: bench-1, file: /rigs/r1.yaml, model: coin}}
  r2: {{machine: bench-1, file: /rigs/r2.yaml, model: coin}}
  r3: {{machine: bench-2, file: /rigs/r3.yaml, model: slim}}
plans:
  smoke: {{do: run, file: /plans/smoke.yaml, rigs: all, limit: 60 s, attempts: 3, priority: 7}}
  look: {{do: check, rigs: [r3]}}
"""


class People:
    """The program, with the fleet's file of a folder."""

    def __init__(self, server: str, folder: Path) -> None:
        self.book = Book(server)
        self.file = folder / "fleet.yaml"
        self.file.write_text(FLEET.format(server=server, folder=folder))

    def haprig(self, *words: str, code: int = 0) -> str:
        named = [] if words[0] == "check" else ["--fleet", str(self.file)]
        ended = subprocess.run([PROGRAM, "fleet", *words, *named], capture_output=True, text=True, timeout=60)
        assert ended.returncode == code, (words, ended)
        return ended.stdout + ended.stderr

    def status(self) -> Any:
        return json.loads(self.haprig("status", "--json"))


@pytest.fixture
def people(server: Server, tmp_path: Path) -> People:
    made = People(server.database(), tmp_path)
    assert "no book of a fleet yet" in made.haprig("status", code=2)
    made.book.connection()
    return made


def test_what_check_prints_is_what_the_master_reads(people: People) -> None:
    from haprig_fleet.description import parse

    fleet = parse(json.loads(people.haprig("check", str(people.file), "--json")))
    plans = {plan.name: plan for plan in fleet.plans}
    assert json.loads(json.dumps(plans["smoke"].task())) == {
        "do": "run", "file": "/plans/smoke.yaml", "arguments": [], "limit": 60.0, "attempts": 3, "reserved": "wait"}
    assert plans["look"].rigs == ("r3",) and [rig.machine for rig in fleet.rigs] == ["bench-1", "bench-1", "bench-2"]


def test_what_is_ordered_is_given_and_its_worst_code_told(people: People) -> None:
    ids = people.haprig("run", "smoke", "--model", "coin", "--detach").split()
    assert [id.split("/")[1] for id in ids] == ["r1", "r2"]
    ready = people.book.ready()
    assert sorted(job.id for job in ready) == sorted(ids)
    assert {(job.priority, job.task["limit"], job.task["file"]) for job in ready} == {(7, 60, "/plans/smoke.yaml")}
    follow = subprocess.Popen([PROGRAM, "fleet", "run", "look", "--fleet", str(people.file)], stdout=subprocess.PIPE, text=True)
    assert follow.stdout is not None
    look = follow.stdout.readline().strip()
    assert people.book.give(look, "r3") and people.book.carries(look, 1) and people.book.finish(look, 1, 1, "a limit failed")
    assert follow.wait(20) == 1
    assert people.haprig("run", "smoke", "--rig", "r9", code=2).count("no rig 'r9'") == 1
    assert "did you mean 'smoke'" in people.haprig("run", "smoek", code=2)


def test_cancelled_jobs_are_over_and_their_followers_told(people: People) -> None:
    waiting, given = people.haprig("run", "smoke", "--model", "coin", "--detach").split()
    assert people.book.give(given, "r2") and people.book.carries(given, 1)
    people.haprig("cancel", waiting, given)
    rigs = {row["rig"]: row for row in people.status()["rigs"]}
    assert rigs["r1"]["state"] == "free" and rigs["r1"]["last"]["state"] == "cancelled"
    # It has its rig until the clerk has stopped it.
    assert rigs["r2"]["state"] == "running"
    assert people.book.finish(given, 1, 143, "stopped")
    assert "was over already" in people.haprig("cancel", waiting)
    people.haprig("cancel", "no/such/job", code=2)


def test_a_reserved_rig_is_given_to_nobody_and_reserved_once(people: People) -> None:
    people.haprig("run", "smoke", "--rig", "r1", "--detach")
    people.haprig("reserve", "r1", "--for", "2 h", "--why", "new mount", "--by", "anna")
    assert "anna (new mount)" in people.haprig("reserve", "r1", "--for", "1 min", "--why", "me too", code=75)
    assert people.book.ready() == []
    row = people.status()["rigs"][0]
    assert row["state"] == "reserved" and row["waiting"] == 1 and row["reserved"]["who"] == "anna"
    people.haprig("release", "r1")
    people.haprig("release", "r1", code=2)
    assert len(people.book.ready()) == 1
    for wrong in ("2 weeks", "h", "0 s", "-1 h"):
        people.haprig("reserve", "r1", "--for", wrong, "--why", "x", code=2)


def test_a_job_that_runs_ends_before_the_rig_is_anybodys(people: People) -> None:
    (job,) = people.haprig("run", "smoke", "--rig", "r1", "--detach").split()
    assert people.book.give(job, "r1") and people.book.carries(job, 1)
    reserve = subprocess.Popen(
        [PROGRAM, "fleet", "reserve", "r1", "--for", "1 h", "--why", "x", "--fleet", str(people.file)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert reserve.stderr is not None and "ends first" in reserve.stderr.readline()
    assert reserve.poll() is None
    assert people.book.finish(job, 1, 0, "passed")
    out, _ = reserve.communicate(timeout=20)
    assert reserve.returncode == 0 and "r1 is yours" in out


def test_machines_are_drained_and_a_master_is_seen(people: People) -> None:
    people.haprig("drain", "bench-1", "--why", "dust")
    assert "was drained already" in people.haprig("drain", "bench-1", "--why", "dust")
    assert people.book.drained() == ["bench-1"]
    assert [row["state"] for row in people.status()["rigs"]] == ["drained", "drained", "free"]
    people.haprig("undrain", "bench-1")
    people.haprig("undrain", "bench-1", code=2)
    people.haprig("drain", "bench-9", "--why", "x", code=2)
    assert people.status()["hasClerk"] is False
    assert people.book.become_clerk()
    assert people.status()["hasClerk"] is True
