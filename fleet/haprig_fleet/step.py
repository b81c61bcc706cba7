"""The one step of a build: haprig on the rig's machine, and what it said."""

from __future__ import annotations

import json
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


def told(text: str) -> tuple[str, str, str]:
    """Verdict, what to say in one line, and the run's folder, of what haprig printed as JSON."""
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
        return summary.get("verdict", ""), " ".join(each for each in said if each)[:500], record.get("header", {}).get("folder", "")
    except (ValueError, AttributeError, TypeError, KeyError):
        return "", "", ""


class _Command(RemoteShellCommand):
    """Keeps standard output, half a megabyte of JSON, out of the log, and whole: Buildbot cuts lines after 4096 characters."""

    def split_line(self, stream: str, text: str) -> str | None:
        return text if stream == "stdout" else super().split_line(stream, text)

    async def add_stdout_lines(self, data: str, is_flushed: bool) -> None:
        self.stdout += data


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
        runs = {"nightly": ["--plan", task["file"], "--archive", self.archive.server, "--reports", self.archive.folder],
                "run": [task["file"], "--archive", self.archive.server, "--out", self.archive.folder],
                "calibrate": ["--reports", self.archive.folder], "check": []}
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
        verdict, said, folder = told(command.stdout)
        complaints = [line.removeprefix("haprig: ") for line in command.stderr.splitlines() if line.startswith("haprig: ")]
        said = said or "".join(complaints[-1:])[:500]
        if folder:
            self.addURL("report", f"file://{self.archive.folder}/{folder}/report.html")
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
