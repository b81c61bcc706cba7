"""What the browsers that open the pages have in common: commands and events, keys, what is on the page."""

import importlib
import json
import os
import time


class Fault(Exception):
    """What the browser refused, or did not answer in time."""


class Common:
    """A browser with one page in it; `with Browser() as browser:` ends it.

    A browser's own class brings `_send`, `_messages`, `evaluate` and whatever its protocol has another way for.
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
        self.tap(place)

    def fill(self, text):
        """Types a text into what has the focus."""
        for letter in text:
            self.press(letter, text=letter)


def make(kind, **options):
    """Chromium or Firefox."""
    return importlib.import_module(kind).Browser(**options)
