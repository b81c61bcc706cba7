# SPDX-License-Identifier: Apache-2.0
"""Chromium without a window, driven over a pipe by the DevTools protocol: the standard library alone."""

import base64
import json
import os
import subprocess
import tempfile
import time

from browser import Common, Fault

CODES = {"Backspace": 8, "Tab": 9, "Enter": 13, "Shift": 16, "Control": 17, "Alt": 18, "Escape": 27, " ": 32, "PageUp": 33, "PageDown": 34,
         "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Delete": 46}
MODIFIERS = {"Alt": 1, "Control": 2, "Shift": 8}


class Browser(Common):
    """Chromium with one page in it."""

    name = "Chromium"

    def __init__(self, width=1200, height=1000, program="chromium"):
        super().__init__(width)
        self.folder = tempfile.TemporaryDirectory(
            prefix="haprig-browser-", ignore_cleanup_errors=True)
        to_browser, own_out = os.pipe()
        own_in, from_browser = os.pipe()
        # The browser reads commands from descriptor 3 and writes to 4: moved out of the way first.
        high = [os.dup(to_browser), os.dup(from_browser)]

        def place():
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
             "--disable-extensions", "--disable-background-networking", "--no-first-run",
             "--remote-debugging-pipe", f"--user-data-dir={self.folder.name}",
             f"--window-size={width},{height}", "about:blank"],
            preexec_fn=place, close_fds=False, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        for descriptor in (to_browser, from_browser, *high):
            os.close(descriptor)
        self.out, self.incoming, self.rest = own_out, own_in, b""
        os.set_blocking(own_in, False)
        self.session = None
        self.modifiers, self.button, self.touches = 0, "none", {}
        target = next(
            entry for entry in self.call("Target.getTargets")["targetInfos"]
            if entry["type"] == "page")
        self.target = target["targetId"]
        self.session = self.call(
            "Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
            self.call(f"{domain}.enable")

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.incoming)
        self.folder.cleanup()

    def _messages(self, deadline):
        """What the browser says, one message at a time, until the deadline."""
        while True:
            end = self.rest.find(b"\0")
            if end >= 0:
                message, self.rest = self.rest[:end], self.rest[end + 1:]
                yield json.loads(message)
                continue
            try:
                block = os.read(self.incoming, 1 << 20)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    return
                time.sleep(0.002)
                continue
            if not block:
                raise Fault("the browser ended")
            self.rest += block

    def _send(self, message):
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]

    def open(self, path):
        """Opens a file and waits until it is loaded."""
        self.events = [
            event for event in self.events if event.get("method") != "Page.loadEventFired"]
        self.call("Page.navigate", url=self.address(path))
        self.wait("Page.loadEventFired")

    def evaluate(self, expression):
        """The value of an expression on the page, promises waited for."""
        result = self.call(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise Fault(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def do(self, *steps):
        """What hands do with keys and mouse, one step after another; two presses in one call are a double click."""
        clicks = 0
        for kind, of in steps:
            if kind == "pause":
                time.sleep(of)
            elif isinstance(of, str):
                self._key(kind == "down", of)
            else:
                clicks += kind == "down"
                self._mouse(kind, of, clicks)

    def _key(self, is_down, key):
        flag = MODIFIERS.get(key, 0)
        self.modifiers = self.modifiers | flag if is_down else self.modifiers & ~flag
        text = "\r" if key == "Enter" else key if len(key) == 1 and not self.modifiers & 3 else None
        self.call("Input.dispatchKeyEvent", type="keyUp" if not is_down else "keyDown" if text else "rawKeyDown", key=key, code=key,
                  windowsVirtualKeyCode=CODES.get(key, ord(key.upper()) if len(key) == 1 and key.isalnum() else 0), modifiers=self.modifiers,
                  **({"text": text} if is_down and text else {}))

    def _mouse(self, kind, place, clicks):
        if kind == "down":
            self.button = "left"
        self.call("Input.dispatchMouseEvent", type={"move": "mouseMoved", "down": "mousePressed", "up": "mouseReleased"}[kind],
                  x=place[0], y=place[1], button=self.button, buttons=int(self.button == "left" and kind != "up"),
                  clickCount=0 if kind == "move" else max(1, clicks), modifiers=self.modifiers)
        if kind == "up":
            self.button = "none"

    def fingers(self, places):
        """Which fingers are where, by their numbers: new ones come down, those that are missing are lifted."""
        gone = {number: place for number, place in self.touches.items() if number not in places}
        kind, told = ("touchEnd", gone) if gone else ("touchStart" if places.keys() - self.touches else "touchMove", places)
        self.touches = dict(places)
        self.call("Input.dispatchTouchEvent", type=kind, modifiers=self.modifiers, touchPoints=[
            {"x": x, "y": y, "id": number, "radiusX": 4, "radiusY": 4, "force": 1} for number, (x, y) in told.items()])

    def wheel(self, place, x, y):
        """Turns the wheel by this many pixels."""
        self.call("Input.dispatchMouseEvent", type="mouseWheel", x=place[0], y=place[1], deltaX=x, deltaY=y, modifiers=self.modifiers)

    def before(self, script):
        """A script that runs before those of each page."""
        self.call("Page.addScriptToEvaluateOnNewDocument", source=script)

    def choose(self, selector, path):
        """Gives a field for files a file."""
        field = self.call("Runtime.evaluate", expression=f"document.querySelector({json.dumps(selector)})")["result"]["objectId"]
        self.call("DOM.setFileInputFiles", files=[path], objectId=field)

    def media(self, kind="", dark=False, still=False):
        """Shows the page as on a screen or on paper, light or dark, for who wants little motion or not."""
        self.call("Emulation.setEmulatedMedia", media=kind, features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if still else "no-preference"}])

    def size(self, width, height):
        """Gives the page a window of this size."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def close_tab(self):
        """Closes the page; the browser has none any more."""
        self.call("Target.closeTarget", targetId=self.target)

    def nodes(self):
        """What a screen reader is told: role, name and level of a heading, in order."""
        return [{
            "role": node.get("role", {}).get("value"), "name": node.get("name", {}).get("value", "").strip(),
            "level": next((entry["value"]["value"] for entry in node.get("properties", []) if entry["name"] == "level"), 0),
        } for node in self.call("Accessibility.getFullAXTree")["nodes"] if not node["ignored"]]

    def processor_times(self, seconds):
        """What the script of each frame takes of the processor, in ms, by the browser's own trace."""
        page, self.session = self.session, None
        self.events.clear()
        self.call("Tracing.start", categories="-*,devtools.timeline", transferMode="ReportEvents")
        time.sleep(seconds)
        self.call("Tracing.end")
        self.wait("Tracing.tracingComplete")
        events = [one for event in self.events if event.get("method") == "Tracing.dataCollected" for one in event["params"]["value"]]
        self.session = page
        self.events.clear()
        return [one["tdur"] / 1000 for one in events if one["name"] == "FireAnimationFrame" and "tdur" in one]

    def screenshot(self, path, height=None):
        """Keeps a picture of the window, made as high as asked; 0 is the whole page, up to a bound."""
        if height is not None:
            if height == 0:
                size = self.call("Page.getLayoutMetrics")["cssContentSize"]
                height = min(int(size["height"]) + 1, 5000)
            self.call("Emulation.setDeviceMetricsOverride", width=self.width, height=height,
                      deviceScaleFactor=1, mobile=False)
            self.settle()
        data = self.call("Page.captureScreenshot", format="png")["data"]
        if height is not None:
            self.call("Emulation.clearDeviceMetricsOverride")
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def pdf(self, path):
        """Prints the page."""
        data = self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def complaints(self, base="file:"):
        """Errors and warnings of console, scripts and policy, and whatever was asked of another place than this one."""
        found = []
        for event in self.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                details = parameters["exceptionDetails"]
                found.append(details.get("exception", {}).get("description", details["text"]))
            elif method == "Runtime.consoleAPICalled" and parameters["type"] in (
                    "error", "warning", "assert"):
                found.append("console: " + " ".join(
                    str(entry.get("value", entry.get("description"))) for entry in parameters["args"]))
            elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                found.append(f"log: {parameters['entry']['text']} {parameters['entry'].get('url', '')}")
            elif method == "Network.requestWillBeSent":
                url = parameters["request"]["url"]
                if not url.startswith((base, "data:", "about:")):
                    found.append(f"asked for {url[:200]}")
            elif method == "Network.webSocketCreated" and not parameters["url"].startswith(base.replace("http", "ws", 1)):
                found.append(f"asked for {parameters['url']}")
        self.events.clear()
        return found
