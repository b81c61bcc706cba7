"""A reactor whose waits nobody's setting of the clock changes."""

from __future__ import annotations

import time
from typing import Any


def steady(reactor: Any) -> None:
    """Twisted counts its waits by the wall clock: set back by an hour, master and machines would do nothing for an hour; set
    forward, every limit would be over. Buildbot writes down what the reactor says as a date, so it begins as one."""
    begun = time.time() - time.monotonic()
    reactor.seconds = lambda: begun + time.monotonic()
