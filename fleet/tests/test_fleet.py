# SPDX-License-Identifier: Apache-2.0
"""A real master, real machines, a real database; a haprig that plays nothing and writes down what it was told."""

from __future__ import annotations

import base64
import http.cookiejar
import json
import re
import shutil
import signal
import tempfile
import time
import urllib.error
import urllib.request
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from lab import Lab, Server, until
from people import cancel, drain, release, reserve, undrain


def pages(lab: Lab, path: str, user: str = "", body: Any = None) -> Any:
    """What the page's interface says of a path, to a user who logs in or to nobody."""
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
    base = f"http://127.0.0.1:{lab.page}/"
    if user:
        word = base64.b64encode(user.encode()).decode()
        opener.open(urllib.request.Request(base + "auth/login", headers={"Authorization": "Basic " + word}))
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base + "api/v2/" + path, data, {"Content-Type": "application/json"})
    with opener.open(request) as answer:
        return json.load(answer)


def begun(lab: Lab, id: str, times: int = 1) -> int:
    """The program of a job that has begun: its number on the machine."""
    rig = lab.row(id)["rig"]
    until(lambda: lab.whats(rig, id).count("start") >= times, 40, f"{id} begins")
    return [each["pid"] for each in lab.told(rig) if each["what"] == "start"][-1]


def alive(pid: int) -> bool:
    try:
        return "--job" in Path(f"/proc/{pid}/cmdline").read_text() and "Z" not in Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False


def once(lab: Lab, id: str) -> None:
    """The job is done, and its rig has played it to its end once."""
    assert lab.whats(lab.row(id)["rig"], id).count("end") == 1


def test_a_job_from_order_to_done(labs: Any) -> None:
    lab = labs(rigs=3).start()
    lab.script("r2", "1")
    lab.script("r3", "3")
    ids = [lab.order(rig) for rig in ("r1", "r2", "r3")]
    rows = [lab.ended(id) for id in ids]
    assert [(row["state"], row["code"], row["attempts"]) for row in rows] == [
        ("done", 0, 1), ("done", 1, 1), ("done", 3, 1)]
    assert [row["said"] for row in rows] == ["played", "played Failed: latency.onset of tap.", "ended with 3"]
    assert all(row["began"] <= row["ended"] for row in rows)
    start = lab.told("r1")[0]
    assert start["arguments"] == [
        "nightly", "--plan", "/plans/nightly.yaml", "--archive", lab.book.server, "--reports", str(lab.folder / "runs"),
        "--rig", str(lab.folder / "rigs/r1"), "--job", ids[0], "--json"]
    assert start["folder"] == str(lab.folder / "work")
    # It is told after it is written down.
    until(lambda: (lab.folder / "told").read_text().count("fault: ") == 1)
    assert (lab.folder / "told").read_text().count("fail: ") == 1
    # The page: its builds have the verdict as result, what was said as summary, the report as link.
    builds = {lab.row(id)["build"].rpartition("#/")[2]: id for id in ids}
    results = {}
    for path, id in builds.items():
        build = pages(lab, path, "ada:secret-of-ada")["builds"][0]
        results[id] = (build["results"], build["state_string"])
        steps = pages(lab, f"builds/{build['buildid']}/steps", "ada:secret-of-ada")["steps"]
        urls = [url for step in steps for url in step["urls"]]
        if id != ids[2]:
            assert [url["name"] for url in urls] == ["report"] and urls[0]["url"].endswith("/report.html")
    assert [results[id][0] for id in ids] == [0, 2, 4]
    assert "latency.onset of tap" in results[ids[1]][1]


def test_secrets_stand_in_files_alone(labs: Any) -> None:
    lab = labs().start()
    id = lab.order()
    lab.script("r1", "0 1")
    begun(lab, id)
    shown = ""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            line = (process / "cmdline").read_bytes()
            if str(lab.folder).encode() in line:
                shown += line.decode() + (process / "environ").read_bytes().decode()
        except OSError:
            pass
    assert "--job" in shown and "haprig_fleet" in shown
    lab.ended(id)
    for path in ("builds", "workers", "builders", "buildsets", "builds/1/properties", "buildrequests", "steps/1/logs",
                 "logs/1/contents", "masters"):
        shown += json.dumps(pages(lab, path, "ada:secret-of-ada"))
    with pytest.raises(urllib.error.HTTPError, match="401"):
        pages(lab, "builds", "ada:guessed")
    with pytest.raises(urllib.error.HTTPError, match="403"):
        pages(lab, "builds")
    with pytest.raises(urllib.error.HTTPError, match="403"):
        pages(lab, "builds/1", "ada:secret-of-ada", {"id": 1, "jsonrpc": "2.0", "method": "rebuild", "params": {}})
    for path in lab.folder.rglob("*"):
        if path.is_file() and path.parent.name != "passwords":
            shown += path.read_bytes().decode(errors="replace")
    for text in ("token-1-0123456789", "secret-of-ada", base64.b64encode(b"ada:secret-of-ada").decode()):
        assert text not in shown
    # Nor does the log have the environment, which may have secrets of others.
    assert "PYTHONPATH" not in json.dumps(pages(lab, "logs/1/contents", "ada:secret-of-ada")) + lab.log("m1")
    assert (lab.folder / "master/state.sqlite").stat().st_mode & 0o077 == 0


def test_a_wrong_token_does_not_join(labs: Any) -> None:
    lab = labs()
    lab.start_master()
    until(lambda: "BuildMaster is running" in lab.log("master"))
    (lab.folder / "passwords/m1.token").write_text("another")
    lab.start_machine("m1")
    until(lambda: "UnauthorizedLogin" in lab.log("m1") + lab.log("master"))
    assert "attached to r1" not in lab.log("master")


def test_held_by_another_is_tried_again_later_and_later(labs: Any) -> None:
    lab = labs().start()
    lab.script("r1", "75", "75", "0")
    row = lab.ended(lab.order())
    assert (row["code"], row["attempts"]) == (0, 3)
    starts = [each["at"] for each in lab.told("r1") if each["what"] == "start"]
    pauses = [later - sooner for sooner, later in zip(starts, starts[1:])]
    assert pauses[0] > 1 and pauses[1] > 2 and pauses[1] < 6
    lab.script("r1", "75", "75", "75")
    row = lab.ended(lab.order(attempts=2))
    assert (row["state"], row["code"], row["attempts"]) == ("done", 75, 2)
    assert "given up after 2 attempts" in row["said"]


def test_a_program_that_dies_is_run_again_and_one_that_hangs_is_killed(labs: Any) -> None:
    lab = labs().start()
    lab.script("r1", "die", "0")
    id = lab.order()
    row = lab.ended(id)
    assert (row["code"], row["attempts"]) == (0, 2)
    lab.script("r1", "hang")
    id = lab.order(limit=1)
    pid = begun(lab, id)
    row = lab.ended(id)
    assert (row["code"], row["said"], row["attempts"]) == (3, "over its limit of 1 s", 1)
    assert not alive(pid)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_machine_dies_in_the_middle_and_comes_back(labs: Any, how: int) -> None:
    lab = labs().start()
    lab.script("r1", "0 30", "0")
    id = lab.order()
    pid = begun(lab, id)
    lab.kill("m1", how)
    until(lambda: not alive(pid), 5, "the kernel tells haprig that its worker is gone")
    assert lab.whats("r1") == ["start", "stopped"]
    until(lambda: lab.row(id)["state"] == "waiting")
    time.sleep(1)
    assert lab.row(id)["state"] == "waiting", "nothing is given while the machine is away"
    lab.start_machine("m1")
    assert lab.ended(id)["attempts"] == 2
    once(lab, id)


def test_a_machine_that_stands_still_is_cut_off_and_taken_back(labs: Any) -> None:
    """As a cut network: the connection stands, nobody answers (buildbot#5745, #3971, #4821)."""
    lab = labs().start()
    lab.script("r1", "0 2", "0")
    id = lab.order()
    begun(lab, id)
    lab.processes["m1"].send_signal(signal.SIGSTOP)
    began = time.monotonic()
    until(lambda: lab.row(id)["state"] == "waiting", 15, "the job comes back")
    assert time.monotonic() - began < 8
    lab.processes["m1"].send_signal(signal.SIGCONT)
    assert lab.ended(id)["code"] == 0
    once(lab, id)


def test_a_master_that_stands_still_is_left_and_the_program_stopped(labs: Any) -> None:
    lab = labs().start()
    lab.script("r1", "0 60", "0")
    id = lab.order()
    pid = begun(lab, id)
    lab.processes["master"].send_signal(signal.SIGSTOP)
    until(lambda: not alive(pid), 10, "the machine learns that its master is away, and stops haprig")
    assert lab.whats("r1") == ["start", "stopped"]
    lab.processes["master"].send_signal(signal.SIGCONT)
    assert lab.ended(id)["code"] == 0
    once(lab, id)


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_master_dies_in_the_middle_and_is_started_anew(labs: Any, how: int) -> None:
    lab = labs(rigs=2).start()
    lab.script("r1", "0 30", "0")
    id, other = lab.order("r1"), lab.order("r2")
    pid = begun(lab, id)
    lab.ended(other)
    lab.kill("master", how)
    until(lambda: not alive(pid), 10, "the machine stops what nobody waits for")
    late = lab.order("r2")
    lab.start_master()
    assert lab.ended(id, 60)["attempts"] == 2 and lab.ended(late, 60)["code"] == 0
    for each in (id, other, late):
        once(lab, each)


def test_a_master_dies_again_and_again(labs: Any) -> None:
    lab = labs(rigs=2, attempts=50).start()
    ids = [lab.order(rig, attempts=50) for rig in ("r1", "r2") for _ in range(6)]
    for _ in range(4):
        time.sleep(5)
        lab.kill("master")
        lab.start_master()
    for id in ids:
        assert lab.ended(id, 90)["code"] == 0
        once(lab, id)


def test_the_database_goes_and_comes_back(labs: Any) -> None:
    folder = Path(tempfile.mkdtemp(prefix="haprig-fleet-sql."))
    server = Server(folder)
    try:
        lab = labs(server=server, rigs=2).start()
        lab.script("r1", "0 4")
        id, other = lab.order("r1"), lab.order("r2")
        begun(lab, id)
        lab.ended(other)
        waiting = lab.order("r2")
        for how in (signal.SIGKILL, signal.SIGINT):
            server.stop(how)
            until(lambda: "the database is away" in lab.log("master"))
            time.sleep(2)
            server.start()
        row = lab.ended(id)
        assert (row["code"], row["attempts"]) == (0, 1), "what ended while the database was away is written down"
        assert lab.ended(waiting)["code"] == 0
        for each in (id, other, waiting):
            once(lab, each)
    finally:
        for lab in [lab]:
            lab.close()
        server.stop()
        shutil.rmtree(folder)


def test_a_reserved_rig_waits_or_skips_and_what_runs_goes_on(labs: Any) -> None:
    lab = labs(rigs=2).start()
    lab.script("r1", "0 2")
    running = lab.order("r1")
    begun(lab, running)
    assert reserve(lab.book, "r1", "ada", "bench", 600) and not reserve(lab.book, "r1", "bob", "bench", 60)
    waits, skips, elsewhere = lab.order("r1"), lab.order("r1", reserved="skip"), lab.order("r2")
    assert lab.ended(running)["code"] == 0 and lab.ended(elsewhere)["code"] == 0
    row = lab.ended(skips)
    assert (row["code"], row["said"], row["attempts"]) == (75, "the rig is reserved", 0)
    time.sleep(2)
    assert lab.row(waits)["state"] == "waiting" and lab.whats("r1", waits) == []
    release(lab.book, "r1")
    assert lab.ended(waits)["code"] == 0


def test_a_drained_machine_gets_nothing_more(labs: Any) -> None:
    lab = labs(machines=2).start()
    lab.script("r1", "0 2")
    running = lab.order("r1")
    begun(lab, running)
    drain(lab.book, "m1", "ada", "a new disk")
    waits, elsewhere = lab.order("r1"), lab.order("r2")
    assert lab.ended(running)["code"] == 0 and lab.ended(elsewhere)["code"] == 0
    time.sleep(1)
    assert lab.row(waits)["state"] == "waiting"
    undrain(lab.book, "m1")
    assert lab.ended(waits)["code"] == 0


def test_a_job_is_cancelled_before_and_while_it_runs(labs: Any) -> None:
    lab = labs().start()
    lab.script("r1", "0 60")
    running, waiting, last = lab.order(), lab.order(), lab.order()
    pid = begun(lab, running)
    until(lambda: lab.row(running)["buildset"])
    assert cancel(lab.book, running, "ada") and cancel(lab.book, waiting, "ada")
    assert lab.ended(running)["state"] == "cancelled" and not alive(pid)
    assert lab.whats("r1", running) == ["start", "stopped"]
    assert lab.ended(last)["code"] == 0 and lab.whats("r1", waiting) == []


def test_a_job_that_is_stopped_on_the_page_is_not_run_again(labs: Any) -> None:
    lab = labs().start()
    lab.script("r1", "0 60")
    id = lab.order()
    begun(lab, id)
    until(lambda: lab.row(id)["build"])
    pages(lab, "builds/1", "ada:secret-of-ada",
          {"id": 1, "jsonrpc": "2.0", "method": "stop", "params": {"reason": "smoke"}})
    row = lab.ended(id)
    assert (row["state"], row["code"], row["attempts"]) == ("done", 143, 1) and "smoke" in row["said"]
    assert lab.whats("r1", id) == ["start", "stopped"]


def test_a_build_that_nobody_ends_is_ended(labs: Any) -> None:
    """The machine stands still and no sign is asked of it: asked to stop, then given up, lock and all."""
    lab = labs()
    lab.timing += ",keepalive=300"
    lab.start()
    lab.script("r1", "0 1", "0")
    id = lab.order(limit=1)
    begun(lab, id)
    lab.processes["m1"].send_signal(signal.SIGSTOP)
    until(lambda: lab.row(id)["state"] == "waiting", 20, "the build is ended")
    assert "is stuck and is ended" in lab.log("master")
    lab.processes["m1"].send_signal(signal.SIGCONT)
    assert lab.ended(id, 60)["code"] == 0
    once(lab, id)


def test_the_description_is_read_again_on_sighup(labs: Any) -> None:
    lab = labs().start()
    assert lab.ended(lab.order())["code"] == 0
    good = lab.write().read_text()
    (lab.folder / "fleet.json").write_text("{}")
    lab.processes["master"].send_signal(signal.SIGHUP)
    until(lambda: "fleet.schema is missing" in lab.log("master"))
    assert lab.ended(lab.order())["code"] == 0, "a description that is wrong leaves the master as it was"
    lab.document["rigs"].append(lab.document["rigs"][0] | {"name": "r9", "file": str(lab.folder / "rigs/r9")})
    lab.document["machines"][0]["jobs"] = 2
    lab.rigs["r9"] = "m1"
    assert lab.write().read_text() != good
    lab.script("r1", "0 5")
    running = lab.order("r1")
    pid = begun(lab, running)
    lab.processes["master"].send_signal(signal.SIGHUP)
    assert lab.ended(lab.order("r9"))["code"] == 0
    assert alive(pid), "what runs goes on"
    assert lab.ended(running)["attempts"] == 1


def test_a_folder_has_one_master_and_loose_secrets_are_refused(labs: Any) -> None:
    lab = labs().start()
    until(lambda: "keeps the book" in lab.log("master"))
    first = lab.processes.pop("master")
    lab.start_master()
    assert lab.processes.pop("master").wait(30) == 2
    assert "is the folder of a master that runs" in lab.log("master")
    lab.processes["master"] = first
    (lab.folder / "passwords/m1.token").chmod(0o640)
    lab.kill("m1")
    lab.start_machine("m1")
    assert lab.processes.pop("m1").wait(30) == 2 and "chmod 600" in lab.log("m1")


def test_missed_nights_are_made_once(labs: Any) -> None:
    now = datetime.now(timezone.utc)
    if now.hour < 1:
        pytest.skip("the night's time would be yesterday's")
    due = now - timedelta(minutes=30)
    lab = labs(rigs=2, at=[f"{due:%H:%M}"], catchUp=3600).start()
    ids = [f"nightly/{rig}/{due:%Y-%m-%d}" for rig in ("r1", "r2")]
    until(lambda: len(lab.rows("ended is not null")) == 2)
    lab.kill("master")
    lab.start_master()
    until(lambda: lab.log("master").count("keeps the book") == 2)
    time.sleep(2)
    assert [row["id"] for row in lab.rows()] == ids
    for id in ids:
        assert lab.row(id)["code"] == 0
        once(lab, id)


def test_a_rig_whose_machine_is_away_is_told_as_overdue_once(labs: Any) -> None:
    lab = labs()
    lab.start_master()
    lab.order(limit=1)
    until(lambda: (lab.folder / "told").exists(), 40)
    time.sleep(8)
    assert (lab.folder / "told").read_text().count("overdue: ") == 1


def test_of_two_masters_one_writes(labs: Any) -> None:
    lab = labs()
    lab.start()
    until(lambda: "keeps the book" in lab.log("master"))
    other = labs()
    document = json.loads(lab.write().read_text())
    document["master"] |= {"listen": f"127.0.0.1:{other.listen}", "page": f"127.0.0.1:{other.page}"}
    (lab.folder / "second.json").write_text(json.dumps(document))
    lab.start_master("second", lab.folder / "second.json")
    until(lambda: "leaves the book to another" in lab.log("second"))
    ids = [lab.order() for _ in range(3)]
    for id in ids:
        lab.ended(id)
    assert "added buildset" not in lab.log("second")
    # The first one dies with a job in its hands, and the machine joins the second.
    lab.script("r1", "0 60", "0")
    id = lab.order()
    begun(lab, id)
    lab.kill("master")
    lab.kill("m1")
    lab.start_machine("m1", other.listen)
    row = lab.ended(id, 40)
    assert row["attempts"] == 2 and f":{other.page}/" in row["build"]
    for each in (*ids, id):
        once(lab, each)


def test_a_machine_has_no_more_jobs_than_it_may(labs: Any) -> None:
    lab = labs(rigs=3, jobs=1).start()
    for rig in lab.rigs:
        lab.script(rig, "0 0.5", "0 0.5")
    ids = [lab.order(rig) for rig in lab.rigs for _ in range(2)]
    for id in ids:
        lab.ended(id, 60)
    told = sorted((each["at"], each["what"]) for rig in lab.rigs for each in lab.told(rig))
    assert [what for _, what in told] == ["start", "end"] * 6


def test_one_faulty_rig_does_not_take_its_neighbours_along(labs: Any) -> None:
    """Buildbot would rest the machine for 10, 20, 40 ... s after each fault."""
    lab = labs(rigs=2).start()
    lab.script("r1", *["3"] * 3)
    first = [lab.order("r1") for _ in range(3)]
    for id in first:
        assert lab.ended(id)["code"] == 3
    began = time.monotonic()
    assert lab.ended(lab.order("r2"))["code"] == 0
    assert time.monotonic() - began < 5


def test_a_master_with_a_thousand_jobs_pending_starts_quickly(labs: Any) -> None:
    lab = labs(machines=2, rigs=5)
    for n in range(1000):
        lab.order(f"r{n % 10 + 1}")
    began = time.monotonic()
    lab.start()
    until(lambda: lab.rows("state = 'done'"), 40)
    seconds = time.monotonic() - began
    ready = time.monotonic()
    until(lambda: len(lab.rows("state = 'done'")) >= 40, 120)
    rate = 40 / (time.monotonic() - ready)
    pending = pages(lab, "buildrequests?complete=false", "ada:secret-of-ada")["buildrequests"]
    print(f"\n1000 jobs pending: first done {seconds:.1f} s after the start, then {rate:.1f} a second, "
          f"{len(pending)} requests in Buildbot")
    assert seconds < 30 and len(pending) <= 10
    lab.kill("master")
    began = time.monotonic()
    done = len(lab.rows("state = 'done'"))
    lab.start_master()
    until(lambda: len(lab.rows("state = 'done'")) > done + 5, 60)
    print(f"after a kill: {time.monotonic() - began:.1f} s")
    assert time.monotonic() - began < 40
    for row in lab.rows("state = 'done'"):
        assert re.fullmatch(r"played|told again", row["said"])
        once(lab, row["id"])
