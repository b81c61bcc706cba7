# SPDX-License-Identifier: Apache-2.0
"""One PostgreSQL for all tests, and a fleet that is closed whatever happens; what it wrote is shown where a test fails."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from lab import Lab, Server  # noqa: E402


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    folder = Path(tempfile.mkdtemp(prefix="haprig-fleet-sql."))
    made = Server(folder)
    yield made
    made.stop()
    shutil.rmtree(folder)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Any:
    report = yield
    if call.when == "call" and report.failed:
        item.failed = True
    return report


@pytest.fixture
def labs(server: Server, request: Any) -> Iterator[Any]:
    made: list[Lab] = []

    def make(**what: Any) -> Lab:
        made.append(Lab(what.pop("server", server), **what))
        return made[-1]

    yield make
    for lab in made:
        if getattr(request.node, "failed", False):
            for log in sorted(lab.folder.glob("*.log")):
                print(f"--- {log.name}\n{log.read_text(errors='replace')[-6000:]}")
            for rig in lab.rigs:
                print(f"--- {rig}: {[(each['what'], each['job'], each['at']) for each in lab.told(rig)]}")
        lab.close()
