# SPDX-License-Identifier: Apache-2.0
"""What the browsers that open the pages have in common: commands and events, keys, what is on the page."""

import contextlib
import importlib
import json
import os
import signal
import time


class Fault(Exception):
    """What the browser refused, or did not answer in time."""


class Common:
    """A browser with one page in it; `with Browser() as browser:` ends it.

    A browser's own class brings `_send`, `_messages`, `evaluate`, `do` and whatever its protocol has another way for.

    What hands do is a list of steps for `do`, one after another: `("down", "Shift")` and `("up", "Shift")` are a key's, `("move", (x, y))`,
    `("down", (x, y))` and `("up", (x, y))` a mouse's, `("pause", seconds)` is nobody's. `fingers` and `wheel` are the rest.
    """

    def __init__(self, width):
        self.width = width
        self.count, self.events = 0, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def call(self, method, timeout=60, **parameters):
        """Sends a command and gives its answer; what happens meanwhile is kept in `events`."""
        self.count += 1
        self._send({"id": self.count, "method": method, "params": parameters})
        for answer in self._messages(time.monotonic() + timeout):
            if answer.get("id") != self.count:
                self.events.append(answer)
            elif "error" in answer:
                error = answer["error"]
                raise Fault(f"{method}: {error['message'] if isinstance(error, dict) else answer.get('message', error)}")
            else:
                return answer["result"]
        raise Fault(f"{method}: no answer in {timeout} s")

    def wait(self, method, timeout=60):
        """Waits until something has happened."""
        for event in self.events:
            if event.get("method") == method:
                return event
        for event in self._messages(time.monotonic() + timeout):
            self.events.append(event)
            if event.get("method") == method:
                return event
        raise Fault(f"{method} did not happen in {timeout} s")

    def front(self):
        """Gives the page the focus, where the browser itself may have it."""

    @staticmethod
    def address(path):
        """The address of a file, or the address itself."""
        return path if ":" in path else "file://" + os.path.abspath(path)

    def settle(self):
        """Waits for two pictures, so that what is drawn on view has been drawn."""
        self.evaluate(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame("
            "() => setTimeout(done, 50))))")

    def click(self, selector):
        """Presses the pointer in the middle of an element, as a hand would; a selector, or an expression in brackets."""
        element = selector if selector.startswith("(") else f"document.querySelector({json.dumps(selector)})"
        place = self.evaluate(f"""
(() => {{
  const element = {element};
  if (!element) return null;
  element.scrollIntoView({{ behavior: "instant", block: "center" }});
  const box = element.getBoundingClientRect(), place = [box.left + box.width / 2, box.top + box.height / 2];
  const hit = document.elementFromPoint(...place);
  return hit && (element.contains(hit) || hit.contains(element)) ? place : [...place, hit ? hit.outerHTML.slice(0, 80) : "nothing"];
}})()""")
        if place is None:
            raise Fault(f"there is no {selector} to click")
        if len(place) > 2:
            raise Fault(f"{selector} is covered by {place[2]}")
        # As slowly as a hand.
        self.do(("move", place), ("down", place), ("pause", 0.15), ("up", place), ("pause", 0.15))

    def tap(self, place, count=1):
        """Presses and lets go of the mouse's button, some times in a row."""
        self.do(("move", place), *count * [("down", place), ("up", place)])

    def drag(self, start, *places):
        """Moves the mouse with its button down, through places or in three steps to one."""
        if len(places) == 1:
            places = [[a + share * (b - a) for a, b in zip(start, places[0])] for share in (0.2, 0.6, 1)]
        self.do(("move", start), ("down", start), *(("move", place) for place in places), ("up", places[-1]))

    @contextlib.contextmanager
    def held(self, *keys):
        """Keys that are down meanwhile."""
        self.do(*(("down", key) for key in keys))
        try:
            yield
        finally:
            self.do(*(("up", key) for key in reversed(keys)))

    def press(self, *keys, held=()):
        """Presses and lets go of keys, one after another, while others are held."""
        self.do(*(("down", key) for key in held), *((kind, key) for key in keys for kind in ("down", "up")), *(("up", key) for key in held))

    def kill(self):
        """Takes away the browser and all that it has started, in the middle of what they do."""
        tree, parents = [self.process.pid], {}
        for name in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError), open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as text:
                parents[int(name)] = int(text.read().rpartition(")")[2].split()[1])
        for one in tree:
            tree.extend(child for child, parent in parents.items() if parent == one)
        for one in tree:
            with contextlib.suppress(OSError):
                os.kill(one, signal.SIGKILL)
        self.process.wait()


def make(kind, **options):
    """Chromium or Firefox."""
    return importlib.import_module(kind).Browser(**options)
