# SPDX-License-Identifier: Apache-2.0
"""The steps of a build: haprig on the rig's machine and what it said, then what it made into the store."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from typing import Any

from buildbot.process.buildstep import BuildStep
from buildbot.process.remotecommand import RemoteShellCommand
from buildbot.process.results import CANCELLED, EXCEPTION, FAILURE, RETRY, SUCCESS, WARNINGS
from buildbot.util.twisted import async_to_deferred
from twisted.python.failure import Failure

from haprig_fleet.clerk import PROPERTY, Outcome
from haprig_fleet.description import Archive, Machine, Rig

HELD = 75
LOST = "its machine was lost"
INTERRUPTED = (129, 130, 143, -1)  # -1 is what a worker says of a program that a signal ended


def told(text: str) -> tuple[str, str, str, str]:
    """Verdict, what to say in one line, the run's folder and the hashes of its files, of what haprig printed as JSON."""
    try:
        document: Any = json.loads(text)
        record = document.get("run") if "readings" in document.get("run", {}) else document
        summary = record.get("summary") or record
        if isinstance(summary, str):
            summary = {"sentence": summary}
        names = [f"{each['name']} of {each['pattern']}" if each.get("pattern") else str(each["name"])
                 for key in ("readings", "goals", "findings") for each in record.get(key, [])
                 if each.get("verdict") in ("fail", "drifted")]
        said = [summary.get("sentence", ""), *document.get("sentences", [])[:1]]
        if failed := list(dict.fromkeys(names)):
            said.append(f"Failed: {', '.join(failed[:5])}" + (f" and {len(failed) - 5} more." if failed[5:] else "."))
        header = record.get("header", {})
        sums = "".join(f"{each['sha256']}  {each['name']}\n" for each in header.get("files", []))
        return summary.get("verdict", ""), " ".join(each for each in said if each)[:500], header.get("folder", ""), sums
    except (ValueError, AttributeError, TypeError, KeyError):
        return "", "", "", ""


class _Command(RemoteShellCommand):
    """Keeps standard output, half a megabyte of JSON, out of the log, and whole: Buildbot cuts lines after 4096 characters."""

    def split_line(self, stream: str, text: str) -> str | None:
        return text if stream == "stdout" else super().split_line(stream, text)

    async def add_stdout_lines(self, data: str, is_flushed: bool) -> None:
        self.stdout += data


class Store(BuildStep):
    """Copies the rig's runs that the store has not got, and proves there what their records say (decision 053)."""

    name, alwaysRun, flunkOnFailure, warnOnWarnings = "store", True, False, False
    seconds = 300.0  # for which it keeps the rig
    rclone = ("rclone", "--quiet", "--ask-password=false", "--contimeout=10s", "--timeout=60s", "--retries=1", "--low-level-retries=3")

    def __init__(self, rig: Rig, machine: Machine, archive: Archive) -> None:
        super().__init__()
        self.rig, self.machine, self.archive, self.fault, self.printed = rig, machine, archive, "", ""

    def owed(self, run: str) -> str:
        """The file that is there until the store has the run: the hashes of its files as sha256sum writes them."""
        return f"{self.archive.folder}/.{self.rig.name}@{run}.sha256"

    def command(self, *words: str, limit: float = 60, **more: Any) -> RemoteShellCommand:
        return RemoteShellCommand(self.machine.folder, ["setpriv", "--pdeathsig", "TERM", "--", *words], timeout=None, maxTime=limit,
                                  sigtermTime=5, logEnviron=False, collectStdout=True, collectStderr=True, **more)

    async def _does(self, *words: str) -> bool:
        left = self.end - self.master.reactor.seconds()
        command, self.fault = self.command(*words, limit=max(left, 1)), LOST
        await self.runCommand(command)
        self.printed = command.stdout
        # Without dates, and without what follows a ? in addresses: signatures.
        said = re.sub(r"\?\S*|\d{4}/\d\d/\d\d [\d:]{8} ", "", " ".join(command.stderr.split()))[:300]
        late = left < 1 or command.remote_failure_reason == "timeout"
        self.fault = "" if command.rc == 0 else f"not within {self.seconds:g} s" if late else said or f"{words[0]} ended with {command.rc}"
        return bool(command.rc == 0)

    async def _copies(self) -> None:
        """Stops at the first fault, the newest run first: a store that is away is asked once."""
        folder, store = self.archive.folder, self.archive.store.rstrip("/")
        # Where a folder is not mounted, rclone would make it on the machine's own disk.
        if store.startswith("/") and not await self._does("test", "-d", store):
            self.fault = f"there is no folder {store}"
        elif await self._does("find", folder, "-maxdepth", "1", "-name", f".{self.rig.name}@*.sha256", "-printf", "%f\n"):
            for run in sorted(re.findall(r"@(.*)\.sha256\n", self.printed), reverse=True):
                here, there, owed = f"{folder}/{run}", f"{store}/{self.machine.name}/{run}", self.owed(run)
                for anew in ([], ["--ignore-times"]):
                    copied = await self._does(*self.rclone, "copy", here, there, "--exclude=/pruned.json", *anew)
                    if not copied or (
                            await self._does(*self.rclone, "checksum", "sha256", owed, there, "--download", "--exclude=/record.json")
                            and await self._does(*self.rclone, "check", here, there, "--download", "--include=/record.json")):
                        break
                if self.fault or not await self._does("rm", owed):
                    self.fault = f"{run}: {self.fault}"
                    return

    @async_to_deferred
    async def run(self) -> int:
        self.end = self.master.reactor.seconds() + self.seconds
        try:
            await self._copies()
        finally:
            if self.fault:
                outcome = self.getProperty(PROPERTY)
                self.fault = f"Not in the store yet: {self.fault}"
                self.setProperty(PROPERTY, outcome | {"said": f"{outcome['said']} {self.fault}"}, "haprig")
        return WARNINGS if self.fault else SUCCESS

    def getResultSummary(self) -> dict[str, str]:
        return {"step": self.fault, "build": self.fault} if self.fault else {"step": "in the store"}


class Haprig(BuildStep):
    name = "haprig"
    flunkOnFailure = haltOnFailure = warnOnWarnings = True

    def __init__(self, rig: Rig, machine: Machine, archive: Archive, term: float) -> None:
        super().__init__()
        self.rig, self.machine, self.archive, self.term = rig, machine, archive, term
        self.stopped_by = self.said = ""

    def interrupt(self, reason: Any) -> Any:
        # Buildbot stops the step of a machine that it lost as well, with a failure in place of words.
        self.stopped_by = self.stopped_by or (LOST if isinstance(reason, Failure) else str(reason))
        return super().interrupt(reason)

    def arguments(self, task: dict[str, Any]) -> list[str]:
        archive = ["--archive", self.archive.server, "--reports", self.archive.folder]
        runs = {"nightly": ["--plan", task["file"], *archive], "run": [task["file"], *archive], "calibrate": archive, "check": []}
        # The kernel ends haprig with SIGTERM, drive at zero, when the worker dies: also by SIGKILL.
        job = ["--job", self.getProperty("job")] if task["do"] in ("nightly", "run") else []
        return ["setpriv", "--pdeathsig", "TERM", "--", self.machine.haprig, task["do"], *runs[task["do"]], "--rig", self.rig.file,
                *task["arguments"], *job, "--json"]

    @async_to_deferred
    async def run(self) -> int:
        task = self.getProperty("task")
        command = _Command(self.machine.folder, self.arguments(task), timeout=None, maxTime=task["limit"], sigtermTime=self.term,
                           logEnviron=False, collectStderr=True)
        command.useLog(await self.addLog("stdio"), True)
        await self.runCommand(command)
        verdict, said, folder, sums = told(command.stdout)
        complaints = [line.removeprefix("haprig: ") for line in command.stderr.splitlines() if line.startswith("haprig: ")]
        said = said or "".join(complaints[-1:])[:500]
        if folder:
            self.addURL("report", f"file://{self.archive.folder}/{folder}/report.html")
        if self.archive.store and sums and not self.stopped:
            # Before the outcome is written down: no run is done that the store is not owed.
            store = Store(self.rig, self.machine, self.archive)
            lists = store.command("dd", f"of={store.owed(folder)}", "conv=fsync", "status=none", initialStdin=sums)
            await self.runCommand(lists)
            said += "" if lists.rc == 0 else " Not in the store: the list of its hashes could not be written."
            self.build.addStepsAfterCurrentStep([store])
        code, passed = command.rc, SUCCESS if verdict in ("", "pass") else WARNINGS
        if command.remote_failure_reason == "timeout":
            return self._over(3, f"over its limit of {task['limit']:g} s", EXCEPTION)
        if self.stopped and not self.stopped_by.startswith(("clerk:", "Master Shutdown", LOST)):
            # A person, on the page; what the clerk or a lost machine ends comes back.
            return self._over(143, f"stopped: {self.stopped_by}", CANCELLED)
        if code in (HELD, *INTERRUPTED) or self.stopped:
            usual = "held by another" if code == HELD else LOST if self.stopped_by == LOST else "interrupted"
            return self._over(None if code == -1 else code, said or usual, RETRY)
        return self._over(code, said or f"ended with {code}", {0: passed, 1: FAILURE}.get(code, EXCEPTION))

    def _over(self, code: int | None, said: str, result: int) -> int:
        self.said = said
        self.setProperty(PROPERTY, asdict(Outcome(code, said, result == RETRY)), "haprig")
        return result

    def getResultSummary(self) -> dict[str, str]:
        return {"step": self.said, "build": self.said} if self.said else super().getResultSummary()
