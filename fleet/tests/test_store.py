# SPDX-License-Identifier: Apache-2.0
"""How runs reach the store: haprig itself on a simulated rig, and rclone into a folder and over the network. What arrived is judged by
`haprig archive verify` on the store."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from lab import HERE, Lab, free_port, until

PROGRAM = os.environ.get("HAPRIG_PROGRAM", str(HERE.parents[1] / ".build/release/haprig"))
RIG = HERE.parents[1] / "rigs/simulated-lra.yaml"
RCLONE = shutil.which("rclone")

pytestmark = [
    pytest.mark.skipif(not Path(PROGRAM).exists(), reason="there is no haprig: build it, or name one in HAPRIG_PROGRAM"),
    pytest.mark.skipif(RCLONE is None, reason="there is no rclone"),
]

# rclone on its way through a network that does what a file says: nothing, flip, half, hang.
WAY = f"""#!/bin/sh
how=$(cat "$WAY") there= does=
for word in "$@"; do case $word in copy) does=copy ;; /*) there=$word ;; esac; done
[ "$does" = copy ] || exec {RCLONE} "$@"
case $how in
  hang) touch "$WAY.hangs"; exec sleep 600 ;;
  half) {RCLONE} "$@"; truncate -s -1000 "$there/report.html"; rm "$there/record.json"; exit 1 ;;
  *flip) {RCLONE} "$@" || exit; file="$there/readings.csv"
    time=$(stat -c %y "$file"); printf X | dd of="$file" bs=1 seek=9 conv=notrunc status=none; touch -d "$time" "$file"
    [ "$how" = flip ] && echo none >"$WAY"; exit 0 ;;
  *) exec {RCLONE} "$@" ;;
esac
"""


class Stored:
    """A fleet of one rig with a store, all of it in folders with a space in their names."""

    def __init__(self, lab: Lab, monkeypatch: Any) -> None:
        self.lab, self.store, self.runs = lab, lab.folder / "lab store", lab.folder / "my runs"
        self.store.mkdir()
        rig, plan = lab.folder / "rigs/r1.yaml", lab.folder / "a plan.yaml"
        rig.write_text(re.sub(r"(?m)^name: .*", "name: r1", RIG.read_text()))
        (lab.folder / "a tap.ahap").write_text(json.dumps({"Version": 1.0, "Pattern": [{"Event": {
            "Time": 0.0, "EventType": "HapticTransient", "EventParameters": []}}]}))
        plan.write_text("name: smoke\npatterns: [a tap.ahap]\nrepeats: 1\nseed: 1\n")
        self.plan, self.way = str(plan), lab.folder / "way"
        (lab.folder / "bin").mkdir()
        (lab.folder / "bin/rclone").write_text(WAY)
        (lab.folder / "bin/rclone").chmod(0o755)
        for name, value in {"PATH": f"{lab.folder}/bin:{os.environ['PATH']}", "WAY": str(self.way),
                            "RCLONE_CONFIG": str(lab.folder / "rclone.conf"), "XDG_RUNTIME_DIR": str(lab.folder / "work")}.items():
            monkeypatch.setenv(name, value)
        monkeypatch.delenv("AWS_CA_BUNDLE", raising=False)
        (lab.folder / "rclone.conf").touch(0o600)
        self.way.write_text("none")
        lab.document["machines"][0]["haprig"] = PROGRAM
        lab.document["rigs"][0]["file"] = str(rig)
        lab.document["archive"] |= {"folder": str(self.runs), "store": str(self.store)}

    def order(self) -> str:
        return self.lab.order("r1", do="run", file=self.plan)

    def plays(self) -> str:
        """What is said of a job, which is done with its verdict whatever the store does."""
        row = self.lab.ended(self.order(), 180)
        assert (row["code"], row["attempts"]) == (0, 1) and "1 take" in row["said"]
        # A store that is away keeps the rig for seconds; this leaves room for a busy machine.
        assert (row["ended"] - row["began"]).total_seconds() < 90
        return str(row["said"])

    def owed(self) -> int:
        return len(list(self.runs.glob(".r1@*.sha256")))

    def holds(self, runs: int) -> None:
        """The store has this many runs, each as its record says, and the machine owes none."""
        ended = subprocess.run([PROGRAM, "archive", "verify", "--archive", str(self.store / "m1"), "--quiet"], capture_output=True, text=True)
        assert ended.returncode == 0, ended
        assert len(list((self.store / "m1").glob("*/record.json"))) == runs and self.owed() == 0
        (self.store / "m1/index.sqlite").unlink(missing_ok=True)


@pytest.fixture
def stored(labs: Any, monkeypatch: Any) -> Stored:
    return Stored(labs(), monkeypatch)


def test_a_run_is_in_the_store_with_its_job(stored: Stored) -> None:
    stored.lab.start()
    assert "store" not in stored.plays()
    stored.holds(1)
    assert "store" not in stored.plays()
    stored.holds(2)


def test_a_store_that_was_away_gets_what_it_is_owed(stored: Stored) -> None:
    stored.store.rmdir()
    stored.lab.start()
    for runs in (1, 2):
        assert stored.plays().endswith(f"Not in the store yet: there is no folder {stored.store}")
        assert stored.owed() == runs and not stored.store.exists()
    stored.store.mkdir()
    assert "store" not in stored.plays()
    stored.holds(3)


def test_a_changed_byte_on_the_way_is_found_and_copied_again(stored: Stored) -> None:
    stored.lab.start()
    stored.way.write_text("flip")
    assert "store" not in stored.plays()
    assert stored.way.read_text() == "none\n"
    stored.holds(1)
    stored.way.write_text("always flip")
    assert re.search(r"Not in the store yet: \d{8}-.*readings.csv: files differ", stored.plays())
    stored.way.write_text("none")
    assert "store" not in stored.plays()
    stored.holds(3)


def test_a_half_copied_run_is_completed(stored: Stored) -> None:
    stored.lab.start()
    stored.way.write_text("half")
    assert "Not in the store yet: " in stored.plays() and stored.owed() == 1
    stored.way.write_text("none")
    stored.plays()
    stored.holds(2)


def test_a_machine_that_dies_while_it_copies_has_its_verdict(stored: Stored) -> None:
    stored.lab.start()
    stored.way.write_text("hang")
    id = stored.order()
    until((hangs := Path(f"{stored.way}.hangs")).exists, 180)
    stored.lab.kill("m1")
    row = stored.lab.ended(id, 60)
    assert (row["code"], row["attempts"]) == (0, 1) and "Not in the store yet: " in row["said"] and hangs.exists()
    stored.way.write_text("none")
    stored.lab.start_machine("m1")
    assert "store" not in stored.plays()
    stored.holds(2)


def test_a_full_store_is_told(stored: Stored) -> None:
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(stored.store)], capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        stored.lab.start()
        assert re.search("no space left on device|remaining disk space", stored.plays()) and stored.owed() == 1
        subprocess.run(["mount", "-o", "remount,size=100m", str(stored.store)], check=True)
        assert "store" not in stored.plays()
        stored.holds(2)
    finally:
        subprocess.run(["umount", "--lazy", str(stored.store)], check=True)


@pytest.mark.parametrize("kind", ["webdav", "sftp", "s3"])
def test_a_store_over_the_network_is_reached_without_showing_a_secret(stored: Stored, kind: str) -> None:
    assert RCLONE
    if subprocess.run([RCLONE, "serve", kind, "--help"], capture_output=True, text=True).stdout.find(f"serve {kind}") < 0:
        pytest.skip(f"this rclone does not serve {kind}")
    lab, port, secret = stored.lab, free_port(), "geheim-0123456789"
    hidden = subprocess.run([RCLONE, "obscure", "-"], input=secret, capture_output=True, text=True, check=True).stdout.strip()
    at = f"http://127.0.0.1:{port}"
    (lab.folder / "rclone.conf").write_text({
        "webdav": f"[lab]\ntype = webdav\nurl = {at}\nvendor = other\nuser = ada\npass = {hidden}\n",
        "sftp": f"[lab]\ntype = sftp\nhost = 127.0.0.1\nport = {port}\nuser = ada\npass = {hidden}\n",
        "s3": f"[lab]\ntype = s3\nprovider = Rclone\nendpoint = {at}\naccess_key_id = ada\nsecret_access_key = {secret}\n",
    }[kind])
    # Not in arguments here either: the server takes them from its environment.
    words = {"RCLONE_USER": "ada", "RCLONE_PASS": secret, "RCLONE_AUTH_KEY": f"ada,{secret}"}

    def serve() -> subprocess.Popen[bytes]:
        return subprocess.Popen([str(RCLONE), "serve", kind, "--addr", f"127.0.0.1:{port}", str(stored.store)],
                                env=os.environ | words, stderr=subprocess.DEVNULL)

    lab.document["archive"]["store"] = "lab:a shelf"
    serves = serve()
    try:
        lab.start()
        assert "store" not in stored.plays()
        serves.kill()
        serves.wait()
        said = stored.plays()
        assert "Not in the store yet: " in said and "refused" in said and stored.owed() == 1
        serves = serve()
        assert "store" not in stored.plays()
        stored.store /= "a shelf"
        stored.holds(3)
    finally:
        serves.kill()
        serves.wait()
    for path in lab.folder.rglob("*"):
        if path.is_file() and path.name != "rclone.conf":
            assert secret.encode() not in (text := path.read_bytes()) and hidden.encode() not in text, path


def test_a_machine_without_rclone_says_so(stored: Stored, monkeypatch: Any) -> None:
    (stored.lab.folder / "bin/rclone").unlink()
    for name in ("setpriv", "dd", "test", "find"):
        (stored.lab.folder / "bin" / name).symlink_to(str(shutil.which(name)))
    monkeypatch.setenv("PATH", str(stored.lab.folder / "bin"))
    stored.lab.start()
    assert "Not in the store yet: " in (said := stored.plays()) and "failed to execute rclone" in said
