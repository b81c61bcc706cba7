# SPDX-License-Identifier: Apache-2.0
"""A workbench, a browser before it, and what is looked at on each of its pages."""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

from browser import Fault

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))
WIDTHS = [(360, 780), (800, 900), (1280, 900), (2560, 1300)]
failures = []


def check(holds, page, text):
    if not holds:
        failures.append(f"{page}: {text}")
        print(f"  FAILED {text}", flush=True)


def ran(main):
    """Runs the checks of a script as its words ask for; tells what failed, and ends with it."""
    parser = argparse.ArgumentParser(prog=os.path.basename(sys.argv[0]))
    parser.add_argument("out", help="the folder of the pictures")
    parser.add_argument("--browser", default="chromium", choices=["chromium", "firefox"])
    parser.add_argument("--program", help="haprig: what it serves is opened, and not the mock server")
    parser.add_argument("--assets", help="a folder of pages that it serves, and not its own")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    began = time.monotonic()
    print(f"{parser.prog} in {options.browser}, {'the program' if options.program else 'the mock'}:", flush=True)
    try:
        main(options)
    except Fault as fault:
        check(False, parser.prog, fault)
    print(f"{time.monotonic() - began:.0f} s; pictures: {options.out}")
    for failure in failures[:60]:
        print(f"FAILED {failure}")
    sys.exit(1 if failures else 0)


class Served:
    """`haprig serve` in a folder of its own, outside which nothing is touched; `with Served(program) as served:` ends it."""

    def __init__(self, program, assets=None, *more):
        """`more` are further words for `haprig serve`."""
        self.program, self.assets, self.more = program, assets, more
        self.folder = tempfile.mkdtemp(prefix="haprig-work-")
        for name in ("archive", "calibration", "run"):
            os.mkdir(self.path(name))
        os.chmod(self.path("run"), 0o700)
        self.environment = {**os.environ, "XDG_RUNTIME_DIR": self.path("run")}

    @classmethod
    def with_rigs(cls, program, assets=None, *more):
        """Before the simulated rigs, patterns and plans of the repository; the actuator of the first has a profile."""
        served = cls(program, assets, *more)
        shutil.copytree(os.path.join(ROOT, "rigs"), served.path("rigs"))
        shutil.copy(os.path.join(ROOT, "rigs/profiles/sim-coin-1.json"), served.path("calibration/sim-coin-1.json"))
        served.serve("simulated-lra", "simulated-vcm")
        return served

    def serve(self, *rigs, port=None):
        with open(self.path("log"), "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [self.program, "serve", *(word for name in rigs for word in ("--rig", self.path(f"rigs/{name}.yaml"))),
                 "--archive", self.path("archive"), "--plans", self.path("rigs/plans"), "--profiles", self.path("calibration"), "--no-open",
                 *(("--port", str(port)) if port else ()), *(("--assets", self.assets) if self.assets else ()), *self.more],
                env=self.environment, stdout=subprocess.PIPE, stderr=log, text=True)
        self.address = self.process.stdout.readline().strip()
        if "#key=" not in self.address:
            raise Fault(f"the workbench does not start: {self.address}")
        self.base, self.key = self.address.split("#key=")
        self.looking = self.process.stdout.readline().strip().removeprefix("to look only: ")

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def do(self, *words, status=(0,)):
        """Does something at a prompt."""
        result = subprocess.run([self.program, *words], env=self.environment, capture_output=True, text=True)
        if result.returncode not in status:
            raise Fault(f"haprig {' '.join(words)}: {result.returncode} {result.stderr[-2000:]}")

    def ask(self, path, body=None):
        """The answer of the API and its head."""
        request = urllib.request.Request(f"{self.base}api/v1/{path}", body, headers={"Authorization": f"Bearer {self.key}", **(
            {"Content-Type": "application/json"} if body else {})})
        with urllib.request.urlopen(request) as answer:
            return answer, answer.read()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
        subprocess.run([self.program, "stop"], env=self.environment, capture_output=True)
        shutil.rmtree(self.folder, ignore_errors=True)


CONTRAST = r"""
(() => {
  const parse = (text) => {
    const numbers = text.match(/[\d.]+/g).map(Number);
    return text.startsWith("color(srgb") ? [...numbers.slice(0, 3).map((one) => one * 255), numbers[3] ?? 1]
      : [numbers[0], numbers[1], numbers[2], numbers[3] ?? 1];
  };
  const light = ([r, g, b]) => [r, g, b].map((one) => one / 255)
    .map((one) => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4)
    .reduce((sum, one, k) => sum + one * [0.2126, 0.7152, 0.0722][k], 0);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const found = parse(getComputedStyle(at).backgroundColor);
      if (found[3] === 1) return found;
    }
    return [255, 255, 255, 1];
  };
  const bad = [], root = document.querySelector("dialog[open]") ?? document.body;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let count = 0;
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || element.closest(":disabled, .hidden, option, noscript")) continue;
    if (!element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) continue;
    const style = getComputedStyle(element), [a, b] = [light(parse(style.color)), light(ground(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05), size = parseFloat(style.fontSize);
    const least = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    count += 1;
    if (ratio < least) bad.push(`${ratio.toFixed(2)} for "${walker.currentNode.data.trim().slice(0, 30)}"`);
  }
  return { count, bad: [...new Set(bad)].slice(0, 5) };
})()
"""

FOCUS = """
(() => {
  const now = document.activeElement, before = window.lastFocus;
  window.lastFocus = now;
  const style = getComputedStyle(now);
  return {
    body: now === document.body || now === document.documentElement,
    frame: now.tagName === "IFRAME",
    text: (now.getAttribute("aria-label") || now.textContent || now.id || now.tagName).trim().slice(0, 60),
    forward: !before || before === now || !before.isConnected
      || Boolean(before.compareDocumentPosition(now) & Node.DOCUMENT_POSITION_FOLLOWING),
    seen: now.tagName === "IFRAME" || (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0),
  };
})()
"""


class Place:
    """A browser before a workbench."""

    def __init__(self, browser, address):
        self.browser, self.address, self.base = browser, address, address.split("#")[0]
        # What the browser may say of answers that are wanted to be refusals.
        self.expected = []
        self.browser.open(address)
        self.wait("document.querySelector('#pages a[aria-current]')", "the workbench", "it did not begin")
        check("key=" not in browser.evaluate("location.href"), "session", "the key stays in the address")
        check("haprig-" not in browser.evaluate("document.cookie"), "session", "the cookie can be read by scripts")

    def wait(self, expression, page, text, seconds=8.0):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.browser.evaluate(f"Boolean({expression})"):
                return True
            time.sleep(0.05)
        check(False, page, text)
        return False

    def size(self, width, height, dark=False):
        self.browser.size(width, height)
        self.browser.media(dark=dark)

    def go(self, path, ready="document.querySelector('main h1')"):
        self.browser.front()
        self.browser.evaluate(f"location.hash = {path!r}; 1")
        self.wait(f"location.hash.startsWith({path.split('?')[0]!r}) || {path!r} === '#/live'", path, "it did not open")
        self.wait(ready, path, f"it does not show {ready}")
        self.browser.settle()

    def mock(self, kind):
        urllib.request.urlopen(urllib.request.Request(f"{self.base}mock/{kind}", b"", method="POST")).read()

    def press(self, *keys):
        for key in keys:
            self.browser.press(key)
            time.sleep(0.05)

    def complaints(self, expected=()):
        """What the browser complained of since; what the workbench's own refusals print is told by the page."""
        return [one for one in self.browser.complaints(self.base) if not any(re.search(word, one) for word in [*expected, *self.expected])]


def check_names(browser, page, whole=True):
    nodes = browser.nodes()
    roles = [node["role"] for node in nodes]
    for landmark in ("banner", "main", "navigation") if whole else ():
        check(roles.count(landmark) >= 1, page, f"no landmark '{landmark}'")
    levels = [node["level"] for node in nodes if node["role"] == "heading"]
    check(levels.count(1) == 1 or not whole, page, f"{levels.count(1)} headings of the first level")
    steps = [pair for pair in zip(levels, levels[1:]) if pair[1] > pair[0] + 1]
    check(not steps, page, f"headings leave out a step: {steps[:3]}")
    for kind in ("button", "link", "textbox", "searchbox", "combobox", "checkbox", "spinbutton", "slider", "image", "img", "progressbar",
                 "region", "dialog", "Iframe", "Date"):
        nameless = [node for node in nodes if node["role"] == kind and not node["name"]]
        check(not nameless, page, f"{len(nameless)} of role {kind} have no name")
    tables = browser.evaluate("[...document.querySelectorAll('table')].filter((one) => !one.tHead || [...one.tHead.rows[0].cells]"
                              ".some((cell) => cell.tagName !== 'TH' || !cell.scope || !cell.textContent.trim())).length")
    check(tables == 0, page, f"{tables} tables have a column without a header")


def walk(place, page, limit=260):
    browser = place.browser
    browser.front()
    browser.evaluate("window.lastFocus = null; document.activeElement.blur(); scrollTo(0, 0); document.getElementById('skip').focus(); 1")
    stops = [browser.evaluate(FOCUS)]
    for _ in range(limit):
        browser.press("Tab")
        stop = browser.evaluate(FOCUS)
        if stop["body"] or stop["frame"] or stop["text"] == "Skip to the page":
            break
        stops.append(stop)
        check(stop["forward"], page, f"Tab went back to '{stop['text']}'")
        check(stop["seen"], page, f"the focus on '{stop['text']}' cannot be seen")
    check(len({stop["text"] for stop in stops}) > 6, page, "Tab is trapped")
    return len(stops)


def look(place, name, path, ready, out):
    """A page at each width, light and dark."""
    browser = place.browser
    texts = stops = 0
    for width, height in WIDTHS:
        for dark in (False, True):
            place.size(width, height, dark)
            if (width, dark) == (WIDTHS[0][0], False):
                place.go(path, ready)
            browser.settle()
            time.sleep(0.15)
            over = browser.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            label = f"{name} {width} {'dark' if dark else 'light'}"
            check(over <= 0, label, f"it scrolls sideways by {over} px")
            contrast = browser.evaluate(CONTRAST)
            texts += contrast["count"]
            for one in contrast["bad"]:
                check(False, label, f"contrast of {one}")
            browser.screenshot(os.path.join(out, f"workbench-{name}-{width}-{'dark' if dark else 'light'}.png"))
    place.size(1280, 900)
    browser.settle()
    check_names(browser, name)
    stops = walk(place, name)
    for complaint in place.complaints():
        check(False, name, complaint)
    print(f"{name}: {texts} texts have their contrast, {stops} stops of Tab")


def frame_times(place, path="#/live", seconds=10):
    """Median and 99th of the script of a frame, in ms, with a live run of 4 channels before it."""
    place.size(1280, 900)
    place.go(path, "document.querySelectorAll('.channels button').length > 3 && haprigFrames().length > 30")
    place.browser.evaluate("[...document.querySelectorAll('.channels button')].forEach((one, index) => { if ((one.getAttribute('aria-pressed') === 'true') !== index < 4) one.click(); }); 1")
    check(place.browser.evaluate("document.querySelectorAll('.channels [aria-pressed=true]').length") == 4, "frames", "not four channels")
    time.sleep(3)
    before = place.browser.evaluate("haprigFrameCount()")
    start = time.monotonic()
    time.sleep(seconds)
    count = place.browser.evaluate("haprigFrameCount()") - before
    spent = time.monotonic() - start
    times = sorted(place.browser.evaluate(f"haprigFrames({count})"))
    median, late = times[len(times) // 2], times[int(len(times) * 0.99)]
    print(f"frames: {count / spent:.1f} a second, script {median:.2f} ms in the median, {late:.2f} ms at the 99th of {len(times)}")
    if not hasattr(place.browser, "processor_times"):
        return
    # The processor's time of a frame is not moved by what else runs on the machine.
    used = sorted(place.browser.processor_times(seconds))
    late = used[int(len(used) * 0.99)]
    print(f"frames: {used[len(used) // 2]:.2f} ms of the processor in the median, {late:.2f} ms at the 99th of {len(used)}, "
          f"{used[-1]:.2f} ms at most")
    check(late < 6, "frames", f"the script of a frame takes {late:.1f} ms of the processor")
