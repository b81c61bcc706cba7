# SPDX-License-Identifier: Apache-2.0
"""What is read of haprig.fleet/1, and when nights are due."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from buildbot.process.buildstep import BuildStep, create_step_from_step_or_factory
from twisted.internet.error import ConnectionLost
from twisted.python.failure import Failure

from haprig_fleet.clerk import nights
from haprig_fleet.description import Wrong, parse
from haprig_fleet.master import endpoint, secret, users
from haprig_fleet.step import Haprig, told

EXAMPLE: dict[str, Any] = {
    "schema": "haprig.fleet/1", "name": "lab",
    "archive": {"server": "postgresql:///haprig?host=/run/postgresql&user=fleet", "folder": "/var/lib/haprig/runs"},
    "master": {"listen": "127.0.0.1:9989", "page": "127.0.0.1:8010", "passwords": "/etc/haprig/fleet"},
    "machines": [{"name": "bench-1", "haprig": "/usr/bin/haprig", "jobs": 2, "folder": "/var/lib/haprig/work"}],
    "rigs": [{"name": "lra-1", "machine": "bench-1", "file": "/etc/haprig/rigs/lra-1.yaml", "model": "coinZ-170"}],
    "plans": [{"name": "nightly", "do": "nightly", "file": "/etc/haprig/plans/nightly.yaml", "arguments": [],
               "rigs": ["lra-1"], "at": ["02:00"], "days": ["mon", "tue"], "limit": 7200, "attempts": 5,
               "reserved": "wait", "catchUp": 43200, "priority": 0}],
    "tell": [{"when": ["fail", "fault", "overdue"], "command": ["/usr/bin/mail", "ada"]}],
}


def changed(path: str, value: Any) -> dict[str, Any]:
    document = json.loads(json.dumps(EXAMPLE))
    *way, last = [int(part) if part.isdecimal() else part for part in path.split(".")]
    place: Any = document
    for part in way:
        place = place[part]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return document


def test_the_example_is_read() -> None:
    fleet = parse(EXAMPLE)
    assert fleet.machine("lra-1") == fleet.machines[0] and fleet.machine("lra-2") is None
    assert fleet.plans[0].task()["limit"] == 7200 and fleet.plans[0].days == ("mon", "tue")
    assert parse(changed("plans.0.days", "all")).plans[0].days == "all"


@pytest.mark.parametrize(("path", "value", "says"), [
    ("schema", "haprig.fleet/2", "fleet.schema must be haprig.fleet/1"),
    ("rigs.0.machine", "bench-2", "lra-1: there is no machine"),
    ("rigs.0.name", "a/b", "letters"),
    ("plans.0.rigs", ["lra-2"], "there is no rig 'lra-2'"),
    ("plans.0.at", ["25:00"], "a time such as"),
    ("plans.0.days", ["monday"], r"days\[0\] must be mon or"),
    ("plans.0.do", "shell", "must be nightly or"),
    ("plans.0.file", None, "file is missing"),
    ("plans.0.limit", 0, "above 0"),
    ("plans.0.attempts", True, "must be int"),
    ("machines.0.jobs", "2", "must be int"),
    ("machines.0.haprig", None, r"machines\[0\]\.haprig is missing"),
    ("archive.server", "postgresql://fleet:geheim@db/haprig", "has a password"),
    ("archive.server", "postgresql:///haprig?password=geheim", "has a password"),
    ("archive.store", ":s3,secret_access_key=geheim:runs", "archive.store must be"), ("archive.store", "--drive=x:y", "archive.store must be"),
    ("plans", "none", "must be a list"), ("master", 3, "must be Master"),
    ("tell.0.when", ["rain"], "must be fail or"),
])
def test_what_is_wrong_is_said_with_its_place(path: str, value: Any, says: str) -> None:
    with pytest.raises(Wrong, match=says):
        parse(changed(path, value))


def test_nights_are_due_once_a_time_back_to_the_catch_up() -> None:
    document = changed("plans.0.at", ["02:00", "14:00"])
    document["plans"][0]["days"] = ["mon", "tue"]
    plan = parse(document).plans[0]

    def names(day: int, hour: int) -> list[str]:
        return [name for name, _ in nights(plan, datetime(2026, 1, day, hour, 30, tzinfo=timezone.utc))]

    assert names(5, 1) == []  # Monday before two; Sunday's times are none of the plan's
    assert names(5, 2) == ["2026-01-05"]
    assert names(5, 14) == ["2026-01-05.2"]  # that of two o'clock is more than twelve hours ago
    assert names(6, 1) == ["2026-01-05.2"]
    assert names(7, 1) == ["2026-01-06.2"] and names(7, 9) == []


def test_secrets_that_others_can_read_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "page.users"
    path.write_text("ada:geheim\nbob:auch:geheim\n")
    path.chmod(0o644)
    with pytest.raises(Wrong, match="chmod 600"):
        secret(path)
    path.chmod(0o600)
    assert users(path) == {"ada": "geheim", "bob": "auch:geheim"}
    assert endpoint("127.0.0.1:80") == "tcp:80:interface=127.0.0.1"
    assert endpoint("[::1]:80") == r"tcp:80:interface=\:\:1"


@pytest.mark.parametrize(("document", "expected"), [
    ({"summary": {"verdict": "fail", "sentence": "One is off."}, "header": {"folder": "f"},
      "readings": [{"name": "a", "verdict": "fail", "pattern": "tap"}, {"name": "b", "verdict": "pass"}]},
     ("fail", "One is off. Failed: a of tap.", "f")),
    ({"verdict": "fail", "sentence": "Misses.", "goals": [{"name": f"g{n}", "verdict": "fail"} for n in range(7)]},
     ("fail", "Misses. Failed: g0, g1, g2, g3, g4 and 2 more.", "")),
    ({"hasDrifted": True, "summary": "Has drifted.", "findings": [{"name": "gain", "verdict": "drifted"}]},
     ("", "Has drifted. Failed: gain.", "")),
    ([1], ("", "", "")), ({"readings": 3}, ("", "", "")),
])
def test_what_haprig_says_is_one_line(document: Any, expected: tuple[str, str, str]) -> None:
    assert told(json.dumps(document)) == (*expected, "")
    assert told("no rig") == ("", "", "", "")


def test_the_hashes_of_a_run_are_a_list_that_sha256sum_reads() -> None:
    files = [{"name": "inputs/a b.ahap", "bytes": 2, "sha256": "0f"}, {"name": "report.html", "bytes": 3, "sha256": "a0"}]
    assert told(json.dumps({"run": {"readings": [], "header": {"files": files}}}))[3] == "0f  inputs/a b.ahap\na0  report.html\n"


@pytest.mark.parametrize("reason, code, again", [(Failure(ConnectionLost()), None, True), ("ada wants the bench", 143, False)])
def test_a_machine_that_is_lost_before_haprig_began_is_nobodys_stop(
        monkeypatch: pytest.MonkeyPatch, reason: Any, code: int | None, again: bool) -> None:
    async def gives(*_: Any) -> Any:
        return SimpleNamespace(getName=lambda: "stdio")

    fleet, kept = parse(EXAMPLE), {"task": parse(EXAMPLE).plans[0].task(), "job": "nightly/lra-1/1"}
    step = create_step_from_step_or_factory(Haprig(fleet.rigs[0], fleet.machines[0], fleet.archive, 1))
    monkeypatch.setattr(BuildStep, "interrupt", lambda step, _reason: setattr(step, "stopped", True))
    for name, value in {"getProperty": kept.get, "setProperty": lambda name, value, _source: kept.update({name: value}),
                        "addLog": gives, "runCommand": gives}.items():
        monkeypatch.setattr(step, name, value)
    step.interrupt(reason)
    step.run()
    assert (kept["haprig"]["code"], kept["haprig"]["again"]) == (code, again)
