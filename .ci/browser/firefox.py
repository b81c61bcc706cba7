# SPDX-License-Identifier: Apache-2.0
"""Firefox without a window, driven by WebDriver BiDi over a WebSocket: the standard library alone."""

import base64
import json
import os
import socket
import struct
import subprocess
import tempfile
import time

from browser import Common, Fault

KEYS = {"Backspace": "\ue003", "Tab": "\ue004", "Enter": "\ue007", "Shift": "\ue008", "Control": "\ue009", "Alt": "\ue00a", "Escape": "\ue00c",
        "PageUp": "\ue00e", "PageDown": "\ue00f", "End": "\ue010", "Home": "\ue011", "ArrowLeft": "\ue012", "ArrowUp": "\ue013",
        "ArrowRight": "\ue014", "ArrowDown": "\ue015", "Delete": "\ue017"}
# The page's clock as exact as in Chromium; sound goes nowhere, in its own time, also on a machine without a card; nothing is asked of a
# network by the browser itself.
PREFERENCES = {
    "privacy.reduceTimerPrecision": False, "layout.css.prefers-color-scheme.content-override": 1, "ui.prefersReducedMotion": 0,
    "browser.startup.page": 0, "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
    "app.update.enabled": False, "browser.safebrowsing.malware.enabled": False, "browser.safebrowsing.phishing.enabled": False,
    "extensions.update.enabled": False, "browser.sessionstore.resume_from_crash": False, "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False, "browser.tabs.warnOnClose": False, "toolkit.cosmeticAnimations.enabled": False,
    "focusmanager.testmode": True, "ui.key.menuAccessKeyFocuses": False, "media.cubeb.force_mock_context": True,
}
# A policy that was broken is no entry of the log that the protocol tells.
POLICY = """addEventListener("securitypolicyviolation",
  (event) => console.error(`policy: ${event.violatedDirective} refuses ${event.blockedURI} ${event.sample}`))"""
# Roles of the browser's own tree by the names that ARIA has for them.
ROLES = {"pushbutton": "button", "toggle button": "button", "entry": "textbox", "checkbutton": "checkbox", "graphic": "img",
         "internal frame": "Iframe", "date editor": "Date", "password text": "textbox"}
TREE = """
(() => {
  const service = Cc["@mozilla.org/accessibilityService;1"].getService(Ci.nsIAccessibilityService);
  const found = [];
  const walk = (one) => {
    const attribute = (name) => {
      try {
        return one.attributes.getStringProperty(name);
      } catch {
        return "";
      }
    };
    found.push([service.getStringRole(one.role), attribute("xml-roles"), one.name ?? "", Number(attribute("level")) || 0]);
    // What stands in a frame has headings of its own.
    const inner = service.getStringRole(one.role) === "internal frame" ? null : one.firstChild;
    for (let child = inner; child; child = child.nextSibling) walk(child);
  };
  const page = service.getAccessibleFor(window.gBrowser.selectedBrowser)?.firstChild;
  if (page) walk(page);
  return JSON.stringify(found);
})()
"""


class WebSocket:
    """The client's end of a WebSocket: texts in whole."""

    def __init__(self, host, port, path, fields=""):
        """`fields`: more of the request's head, each ended as in HTTP."""
        self.socket = socket.create_connection((host, port), 20)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall((f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                             f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n{fields}\r\n").encode())
        self.rest, self.parts = bytearray(), bytearray()
        while b"\r\n\r\n" not in self.rest:
            self._more(None)
        head, _, rest = bytes(self.rest).partition(b"\r\n\r\n")
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise Fault(f"no socket: {head.decode(errors='replace')}")
        self.rest = bytearray(rest)

    def _more(self, deadline):
        """Reads what there is; false where there was nothing until the deadline."""
        self.socket.settimeout(20 if deadline is None else max(0.002, deadline - time.monotonic()))
        try:
            block = self.socket.recv(1 << 20)
        except TimeoutError:
            return False
        if not block:
            raise Fault("the browser ended")
        self.rest += block
        return True

    def send(self, text, opcode=1):
        data, mask = text.encode(), os.urandom(4)
        size = len(data)
        head = bytes([0x80 | opcode]) + (
            bytes([0x80 | size]) if size < 126 else struct.pack(">BH", 0xFE, size) if size < 65536
            else struct.pack(">BQ", 0xFF, size))
        self.socket.settimeout(20)
        self.socket.sendall(head + mask + bytes(value ^ mask[index & 3] for index, value in enumerate(data)))

    def _frame(self):
        """The next frame where it is there: its first byte and what it holds."""
        if len(self.rest) < 2:
            return None
        size, start = self.rest[1] & 127, 2
        if size > 125:
            start = 4 if size == 126 else 10
            if len(self.rest) < start:
                return None
            size = int.from_bytes(self.rest[2:start], "big")
        if len(self.rest) < start + size:
            return None
        first, data = self.rest[0], bytes(self.rest[start:start + size])
        del self.rest[:start + size]
        return first, data

    def texts(self, deadline):
        """What comes, one text at a time, until the deadline."""
        while True:
            frame = self._frame()
            if frame is None:
                if not self._more(deadline) and time.monotonic() > deadline:
                    return
                continue
            first, data = frame
            if first & 15 == 8:
                raise Fault("the browser closed the socket")
            if first & 15 == 9:
                self.send(data.decode("latin-1"), 10)
            elif first & 15 < 3:
                self.parts += data
                if first & 0x80:
                    text, self.parts = self.parts.decode(), bytearray()
                    yield text

    def close(self):
        self.socket.close()


def value_of(one):
    """A value of the protocol as Python has it."""
    kind, value = one["type"], one.get("value")
    if kind in ("array", "set", "nodelist", "htmlcollection"):
        return [value_of(entry) for entry in value or []]
    if kind in ("object", "map"):
        return {key if isinstance(key, str) else value_of(key): value_of(entry) for key, entry in value or []}
    if kind == "number" and isinstance(value, str):
        return float(value.replace("Infinity", "inf"))
    return value


class Browser(Common):
    """Firefox with one page in it."""

    name = "Firefox"

    def __init__(self, width=1200, height=1000, program="firefox-esr"):
        super().__init__(width)
        self.folder = tempfile.TemporaryDirectory(prefix="haprig-browser-", ignore_cleanup_errors=True)
        profile = os.path.join(self.folder.name, "profile")
        os.mkdir(profile)
        with open(os.path.join(profile, "user.js"), "w", encoding="utf-8") as text:
            text.writelines(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items())
        self.process = subprocess.Popen(
            [program, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port=0",
             "--remote-allow-system-access", f"--width={width}", f"--height={height}", "about:blank"],
            env={**os.environ, "HOME": self.folder.name, "MOZ_CRASHREPORTER_DISABLE": "1"},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        told, end = os.path.join(profile, "WebDriverBiDiServer.json"), time.monotonic() + 60
        place = None
        while place is None:
            try:
                with open(told, encoding="utf-8") as text:
                    place = json.load(text)
            except (OSError, ValueError):
                if time.monotonic() > end or self.process.poll() is not None:
                    raise Fault("Firefox does not start") from None
                time.sleep(0.05)
        self.at, self.touches = None, {}
        self.socket = WebSocket(place["ws_host"], place["ws_port"], "/session")
        self.call("session.new", capabilities={})
        self.context = self.call("browsingContext.getTree")["contexts"][0]["context"]
        self.call("session.subscribe", events=[
            "log.entryAdded", "network.beforeRequestSent", "network.responseCompleted"])
        self.before(POLICY)
        self.size(width, height)
        self.front()

    def end(self):
        self.socket.close()
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()

    def _messages(self, deadline):
        for text in self.socket.texts(deadline):
            yield json.loads(text)

    def _send(self, message):
        self.socket.send(json.dumps(message))

    def open(self, path):
        """Opens a file and waits until it is loaded."""
        self.call("browsingContext.navigate", context=self.context, url=self.address(path), wait="complete")

    def evaluate(self, expression, context=None):
        """The value of an expression on the page, promises waited for."""
        result = self.call("script.evaluate", expression=expression, target={"context": context or self.context},
                           awaitPromise=True, resultOwnership="none")
        if result["type"] == "exception":
            raise Fault(result["exceptionDetails"]["text"])
        return value_of(result["result"])

    def _inside(self, expression):
        """The value of an expression in the browser itself."""
        window = self.call("browsingContext.getTree", **{"moz:scope": "chrome"})["contexts"][0]["context"]
        return self.evaluate(expression, window)

    def _act(self, *sources):
        self.call("input.performActions", context=self.context, actions=[
            {"type": kind, "id": name, "actions": actions, **({"parameters": {"pointerType": name.split()[0]}} if kind == "pointer" else {})}
            for kind, name, actions in sources])

    def do(self, *steps):
        """What hands do with keys and mouse, one step after another; two presses in one call are a double click."""
        keys, mouse = [], []
        for kind, of in steps:
            if kind == "pause":
                mouse.append({"type": "pause", "duration": round(1000 * of)})
            elif isinstance(of, str):
                keys.append({"type": "keyDown" if kind == "down" else "keyUp", "value": KEYS.get(of, of)})
            else:
                place = {"x": round(of[0]), "y": round(of[1])}
                # Even a move to the same place would make two clicks of a double click.
                if place != self.at:
                    mouse.append({"type": "pointerMove", **place})
                if kind != "move":
                    mouse.append({"type": "pointerDown" if kind == "down" else "pointerUp", "button": 0})
                self.at = place
            # What one hand does, the other waits for.
            short, long = sorted((keys, mouse), key=len)
            short.extend([{"type": "pause"}] * (len(long) - len(short)))
        self._act(("key", "keys", keys), ("pointer", "mouse", mouse))

    def fingers(self, places):
        """Which fingers are where, by their numbers: new ones come down, those that are missing are lifted."""
        moves = {}
        for number in self.touches.keys() | places.keys():
            x, y = places.get(number, self.touches.get(number))
            moves[number] = [{"type": "pointerMove", "x": round(x), "y": round(y)},
                             {"type": "pause"} if number in self.touches and number in places
                             else {"type": "pointerDown" if number in places else "pointerUp", "button": 0}]
        self.touches = dict(places)
        self._act(*(("pointer", f"touch {number}", actions) for number, actions in moves.items()))

    def wheel(self, place, x, y):
        """Turns the wheel by this many pixels."""
        self._act(("wheel", "wheel", [{"type": "scroll", "x": round(place[0]), "y": round(place[1]), "deltaX": x, "deltaY": y}]))

    def before(self, script):
        """A script that runs before those of each page."""
        self.call("script.addPreloadScript", functionDeclaration=f"() => {{ {script} }}")

    def choose(self, selector, path):
        """Gives a field for files a file."""
        field = self.call("script.evaluate", expression=f"document.querySelector({json.dumps(selector)})", target={"context": self.context},
                          awaitPromise=False)["result"]["sharedId"]
        self.call("input.setFiles", context=self.context, element={"sharedId": field}, files=[path])

    def media(self, kind="", dark=False, still=False):
        """Shows the page light or dark, for who wants little motion or not; Chromium alone shows it as on paper."""
        assert not kind
        self._inside(f"Services.prefs.setIntPref('layout.css.prefers-color-scheme.content-override', {0 if dark else 1});"
                     f" Services.prefs.setIntPref('ui.prefersReducedMotion', {1 if still else 0}); 1")
        wanted = f"matchMedia('(prefers-color-scheme: dark)').matches === {json.dumps(dark)}" \
                 f" && matchMedia('(prefers-reduced-motion: reduce)').matches === {json.dumps(still)}"
        end = time.monotonic() + 5
        while not self.evaluate(wanted):
            if time.monotonic() > end:
                raise Fault("the colour scheme does not change")
            time.sleep(0.02)

    def size(self, width, height):
        """Gives the page a window of this size."""
        self.call("browsingContext.setViewport", context=self.context, viewport={"width": width, "height": height},
                  devicePixelRatio=1)

    def front(self):
        """Gives the page the focus, which the bar of addresses has at first, and whenever Tab has left the page."""
        self._inside("window.gBrowser.selectedBrowser.focus(); 1")

    def close_tab(self):
        """Closes the page; the browser has none any more."""
        self.call("browsingContext.create", type="tab", background=True)
        self.call("browsingContext.close", context=self.context)

    def nodes(self):
        """What a screen reader is told: role, name and level of a heading, in order."""
        end, before = time.monotonic() + 20, []
        while True:
            found = json.loads(self._inside(TREE))
            # The tree of a page grows for some time after it was first asked for.
            if len(found) > 12 and len(found) == len(before) or time.monotonic() > end:
                break
            before = found
            time.sleep(0.1)
        return [{"role": own.split(" ")[0] if own and role in ("landmark", "region", "grouping", "section", "dialog") else ROLES.get(role, role),
                 "name": name.strip(), "level": level} for role, own, name, level in found]

    def screenshot(self, path, height=None):
        """Keeps a picture of the window, or of the whole page where the height is 0."""
        data = self.call("browsingContext.captureScreenshot", context=self.context,
                         origin="document" if height == 0 else "viewport")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def complaints(self, base="file:"):
        """Errors and warnings of console, scripts and policy, and whatever was asked of another place than this one."""
        found = []
        for event in self.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "log.entryAdded" and parameters["level"] in ("error", "warn"):
                found.append(f"{parameters['type']}: {parameters.get('text')}")
            elif method == "network.responseCompleted" and parameters["response"]["status"] >= 400:
                found.append(f"log: answered {parameters['response']['status']} {parameters['request']['url']}")
            elif method == "network.beforeRequestSent" and parameters.get("context") == self.context:
                url = parameters["request"]["url"]
                if not url.startswith((base, base.replace("http", "ws", 1), "data:", "about:")):
                    found.append(f"asked for {url[:200]}")
        self.events.clear()
        return found
