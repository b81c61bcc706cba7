# SPDX-License-Identifier: Apache-2.0
"""Work by hand: the workbench before simulated rigs in a folder of its own, done with as a person would.

What is clicked drives a rig that keeps the pace of a wall clock (`bench`), or one as fast as the machine (`quick`); a third is not
plugged in. Runs, a history with a change in it and a run that died are there before; nothing outside the folder is touched.
"""

import datetime
import json
import os
import random
import shutil
import subprocess
import time

from browser import Fault, make
from place import ROOT, check, frame_times, look, Place, Served

PLAN = """# Long enough to be seen at work and stopped.
name: short
patterns: [../patterns/taps-and-clicks.ahap, ../patterns/swell.ahap]
repeats: 20
seed: 1
limits:
  - {reading: xruns, below: 0}
  - {reading: latency.transport, below: 10 ms}
"""
PATTERNS = ["taps-and-clicks", "swell", "engine-rev", "texture-gravel"]


def history():
    """Nights of `bench` as a table: one reading moved by nine times its scatter, a week ago; others stay."""
    rng, today = random.Random(7), datetime.datetime.now(datetime.timezone.utc).date()
    lines = ["when,pattern,reading,value,unit,uncertainty"]
    for index in range(30):
        day = today - datetime.timedelta(days=30 - index)
        for pattern in ("swell", "steps", "heartbeat-soft"):
            for name, unit, value, spread in (("latency.onset", "ms", 9.12, 0.04), ("latency.transport", "ms", 0.405, 0.002),
                                              ("sharpness.error", "octave", 0.02, 0.006)):
                step = 9 * spread if name == "latency.onset" and index > 21 else 0
                lines.append(f"{day}T02:00:00Z,{pattern},{name},{value + step + rng.gauss(0, spread):.6f},{unit},{0.4 * spread}")
    return "\n".join(lines) + "\n"


class Bench(Served):
    """Three rigs, and what was done on them before."""

    def __init__(self, program, assets=None, fresh=False):
        super().__init__(program, assets)
        os.makedirs(self.path("rigs/plans"))
        os.mkdir(self.path("rigs/patterns"))
        for name in PATTERNS:
            shutil.copy(os.path.join(ROOT, f"rigs/patterns/{name}.ahap"), self.path("rigs/patterns"))
        with open(os.path.join(ROOT, "rigs/simulated-lra.yaml"), encoding="utf-8") as text:
            rig = text.read()
        for name, clock, actuator in (("bench", "real", "lra-1"), ("quick", "virtual", "lra-2")):
            self.write(f"rigs/{name}.yaml", rig.replace("name: simulated-lra", f"name: {name}").replace("clock: virtual", f"clock: {clock}")
                       .replace("id: sim-coin-1", f"id: {actuator}"))
        shutil.copy(os.path.join(ROOT, "rigs/usb-board.yaml"), self.path("rigs"))
        self.write("rigs/plans/short.yaml", PLAN)
        self.runs = []
        if not fresh:
            self.write("nights.csv", history())
            self.do("archive", "import", self.path("nights.csv"), "--rig", "bench", "--plan", "nightly", "--actuator", "lra-1",
                    "--archive", self.path("archive"), "--quiet")
            for _ in range(2):
                self.do("run", *(self.path(f"rigs/patterns/{name}.ahap") for name in PATTERNS[:2]), "--rig", self.path("rigs/quick.yaml"),
                        "--repeats", "3", "--archive", self.path("archive"), "--quiet", status=(0, 1))
            self.runs = sorted(name for name in os.listdir(self.path("archive")) if "-quick" in name)
            self.nights = sorted(name for name in os.listdir(self.path("archive")) if "-nightly" in name)
            self.do("baseline", "pin", self.runs[0], "--why", "measured in the lab", "--archive", self.path("archive"))
            died = subprocess.Popen([program, "run", self.path("rigs/plans/short.yaml"), "--rig", self.path("rigs/bench.yaml"), "--archive",
                                     self.path("archive"), "--quiet"], env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(5)
            died.kill()
            died.wait()
        self.serve("bench", "quick", "usb-board")

    def job(self):
        """The job that was started last."""
        return max(json.loads(self.ask("jobs")[1])["jobs"], key=lambda job: job["id"], default=None)

    def ended(self, page, job, seconds, states, began=None):
        """Waits until a job has ended, and in which way; how long it took in s."""
        began = began or time.monotonic()
        while time.monotonic() - began < seconds:
            now = json.loads(self.ask(f"jobs/{job['id']}")[1])
            if now["state"] != "running":
                check(now["state"] in states, page, f"the job is {now['state']} ({now.get('status')}): {now.get('said')}")
                return time.monotonic() - began
            time.sleep(0.02)
        check(False, page, f"the job has not ended in {seconds} s")
        return seconds


def start(place, bench, rig, kind, before=""):
    """Starts work in the dialog of a rig, by the pointer, and gives the job."""
    browser, was = place.browser, bench.job()
    place.go("#/bench", f"document.querySelector('[data-key=start-{rig}]:not(:disabled)')")
    browser.click(f"[data-key=start-{rig}]")
    place.wait("document.querySelector('dialog form')", kind, "no dialog")
    browser.click(f"dialog [data-key=Work-{kind}]")
    if before:
        browser.evaluate(before)
    browser.click("dialog button[type=submit]")
    place.wait("!document.querySelector('dialog')", kind, "the dialog stays", 10)
    for _ in range(100):
        job = bench.job()
        if job and (was is None or job["id"] != was["id"]):
            return job
        time.sleep(0.05)
    raise Fault(f"{kind} was not started")


def picture(place, out, name):
    time.sleep(0.3)
    place.browser.screenshot(os.path.join(out, f"work-{name}.png"))


def check_run(place, bench, out):
    """A run is started, watched, stopped, and opened."""
    browser = place.browser
    job = start(place, bench, "bench", "run")
    place.wait("location.hash.startsWith('#/live/')", "run", "the live page does not open", 10)
    frame_times(place, f"#/live/{browser.evaluate('location.hash.slice(7)')}", 10)
    place.wait("document.querySelectorAll('.readings tbody tr').length > 3", "run", "no readings come", 20)
    picture(place, out, "live")
    browser.click("button.stop.big")
    bench.ended("run", job, 10, ("stopped",))
    place.wait("document.querySelector('.stage a')", "run", "a run that was stopped cannot be opened", 10)
    picture(place, out, "stopped")
    browser.click(".stage a")
    place.wait("/^#\\/runs\\/./.test(location.hash) && document.querySelector('iframe')", "run", "the run does not open", 10)
    picture(place, out, "stopped-run")


def check_score(place, bench, out):
    """A run is scored again, and its page is that of the new score."""
    browser = place.browser
    place.go(f"#/runs/{bench.runs[1]}", "document.querySelector('[data-key=score]') && document.querySelector('iframe')")
    browser.evaluate("window.shownReport = document.querySelector('iframe'); 1")
    browser.click("[data-key=score]")
    place.wait("document.querySelector('.toast.good')", "score", "nothing is said", 5)
    place.wait("/^Scored again/.test(document.querySelector('.toast span')?.textContent)", "score", "its end is not told", 60)
    place.wait("document.querySelector('iframe') && document.querySelector('iframe') !== window.shownReport", "score", "the report is the old one")
    bench.ended("score", bench.job(), 1, ("done", "failed"))
    picture(place, out, "scored")


def check_sound(place, bench, out):
    """A response is played as sound."""
    browser, run = place.browser, bench.runs[1]
    place.go(f"#/runs/{run}/takes", "document.querySelector('[aria-label^=Play]')")
    takes = json.loads(bench.ask(f"runs/{run}/takes")[1])["takes"]
    channel = next(index for index, one in enumerate(takes[0]["channels"]) if one["kind"] == "response")
    head, sound = bench.ask(f"runs/{run}/sound?pattern={takes[0]['pattern']}&take=1&channel={channel}")
    check(head.status == 200 and head.headers["Content-Type"] == "audio/wav", "sound", f"{head.status} {head.headers['Content-Type']}")
    frames = takes[0]["seconds"] * takes[0]["rate"]
    check(abs(len(sound) - 44 - 2 * frames) < 8 and int(head.headers["Content-Length"]) == len(sound) and sound[:4] == b"RIFF", "sound",
          f"{len(sound)} bytes for {frames:.0f} frames")
    name = takes[0]["channels"][channel]["name"]
    browser.click(f"[aria-label='Play {name} as sound']")
    place.wait(f"/^Playing {name}/.test(document.querySelector('[role=status].note').textContent)", "sound", "it does not play", 6)
    check(browser.evaluate(f"document.querySelector(\"[aria-label='Play {name} as sound']\").getAttribute('aria-pressed')") == "true", "sound", "the button does not say so")
    picture(place, out, "sound")
    place.wait("document.querySelector('[role=status].note').textContent === ''", "sound", "it does not come to its end", takes[0]["seconds"] + 5)
    browser.click(f"[aria-label='Play {name} as sound']")
    place.wait(f"/^Playing {name}/.test(document.querySelector('[role=status].note').textContent)", "sound", "it does not play again", 6)
    browser.click(f"[aria-label='Play {name} as sound']")
    place.wait("document.querySelector('[role=status].note').textContent === ''", "sound", "it does not stop", 2)
    # A browser that has no output never says so: the page does.
    browser.evaluate("AudioContext.prototype.resume = () => new Promise(() => {}); 1")
    browser.click(f"[aria-label='Play {name} as sound']")
    place.wait("/no sound output/.test(document.querySelector('[role=status].note').textContent)", "sound", "it does not say that there is no output", 5)
    browser.evaluate("location.reload(); 1")
    time.sleep(1)


def check_baseline(place, bench, out):
    """A run is compared with its baseline."""
    browser = place.browser
    place.go(f"#/runs/{bench.runs[1]}", "document.querySelector('[href*=baseline]')")
    browser.click("[href*=baseline]")
    place.wait("document.querySelector('.sentence.strong') && document.querySelectorAll('.chart').length > 0", "baseline", "no comparison", 15)
    check(browser.evaluate("/baseline/.test(document.querySelector('main table').textContent)"), "baseline", "no side is called the baseline")
    browser.settle()
    browser.screenshot(os.path.join(out, "work-baseline.png"))


def check_accept(place, bench, out):
    """A change is accepted with a reason."""
    browser = place.browser
    place.go("#/history?rig=bench&plan=nightly", "document.querySelector('.incident.open button')")
    picture(place, out, "history")
    browser.click(".incident.open a.button")
    place.wait("document.querySelector('.sentence.strong')", "accept", "before and after are not compared", 10)
    picture(place, out, "before-and-after")
    place.go("#/history?rig=bench&plan=nightly", "document.querySelector('.incident.open button')")
    browser.click(".incident.open button")
    place.wait("document.activeElement.tagName === 'TEXTAREA'", "accept", "the reason has not the focus")
    browser.press(*"a new amplifier, by its data sheet")
    picture(place, out, "accept")
    browser.click("dialog button[type=submit]")
    place.wait("document.querySelector('.page-history h1') && !document.querySelector('.incident.open') && !document.querySelector('dialog')"
               " && /new amplifier/.test(document.querySelector('.page-history').textContent)", "accept", "it is not accepted", 10)
    decisions = os.listdir(bench.path("archive/baselines"))
    check(len(decisions) > 1, "accept", f"the archive has the decisions {decisions}")
    picture(place, out, "accepted")


def check_calibration(place, bench, out):
    """A calibration is started and stopped; another comes to its end, with a profile."""
    browser = place.browser
    # The Stop in the list of all work, which tells its progress all the time.
    job = start(place, bench, "bench", "run")
    place.wait("location.hash.startsWith('#/live/')", "list", "the live page does not open", 10)
    place.go("#/bench", "document.querySelector('[data-key^=stop-2]')")
    time.sleep(1)
    browser.click("[data-key^=stop-2]")
    bench.ended("list", job, 10, ("stopped",))
    job = start(place, bench, "bench", "calibrate")
    place.wait("location.hash.startsWith('#/live/')", "calibrate", "the live page does not open", 10)
    place.wait("/of/.test(document.querySelector('.stage')?.textContent) && haprigFrames().length > 30", "calibrate", "it does not say what it does", 15)
    time.sleep(3)
    picture(place, out, "calibrating")
    browser.click("button.stop.big")
    bench.ended("calibrate", job, 10, ("stopped",))
    picture(place, out, "calibration-stopped")
    job = start(place, bench, "quick", "calibrate")
    seconds = bench.ended("calibrate", job, 200, ("done", "failed"))
    place.wait("document.querySelector('.page-head .badge:not(.active)')", "calibrate", "its end is not told", 5)
    picture(place, out, "calibrated-live")
    place.go("#/calibrations", "document.querySelector('.chart')")
    picture(place, out, "calibrations")
    for kind in ("check", "latency"):
        job = start(place, bench, "quick", kind)
        bench.ended(kind, job, 60, ("done",))
        place.wait("document.querySelector('.readings pre.said')", kind, "what it found is not told", 8)
        # What ends at once has a box of its own.
        browser.evaluate("document.querySelector('dialog')?.close(); 1")
        picture(place, out, f"{kind}-live")
        place.go("#/bench", "[...document.querySelectorAll('tbody tr')].some((row) => row.textContent.includes('haprig " + kind + "'))")
        browser.evaluate("document.querySelector('#work-title').scrollIntoView(); 1")
        picture(place, out, f"{kind}-bench")
    return seconds


PICK_ALL = "document.querySelectorAll('dialog .pick input').forEach((one) => one.click()); 1"


def check_unplugged(place, bench, out):
    """Work on a board that is not there ends with a sentence."""
    job = start(place, bench, "usb-board", "run")
    bench.ended("unplugged", job, 10, ("failed",))
    place.wait("/plug it in/.test(document.querySelector('.toast.bad')?.textContent)", "unplugged", "nobody says that it is not there", 5)
    picture(place, out, "unplugged")


def check_held(place, bench, out):
    """A drive is held by its page: Esc ends it, and so does a page that goes away in whatever way."""
    browser, times = place.browser, []
    job = start(place, bench, "bench", "play", PICK_ALL)
    place.wait("document.querySelector('.hold')", "held", "nothing is held")
    time.sleep(2)
    check(json.loads(bench.ask(f"jobs/{job['id']}")[1])["state"] == "running", "held", "the drive stopped while its page beats")
    picture(place, out, "held")
    browser.press("Escape")
    times.append(bench.ended("held", job, 3, ("stopped", "failed")))
    place.wait("!document.querySelector('.hold')", "held", "the bar stays", 1)
    # Whatever else is told at that moment, the Stop can be hit.
    job = start(place, bench, "bench", "play", PICK_ALL)
    place.wait("document.querySelector('.hold')", "held", "nothing is held")
    browser.evaluate("import('/assets/dom.js').then(({ toast }) => toast('A sentence that somebody wants to be read just now. '.repeat(3), 'bad'))")
    for width, height in ((360, 780), (1280, 900)):
        place.size(width, height)
        browser.settle()
        free = browser.evaluate("(() => { const box = document.querySelector('.huge').getBoundingClientRect(); return [[0.1, 0.2], [0.5, 0.5], [0.9, 0.8]]"
                                ".every(([x, y]) => document.elementFromPoint(box.left + x * box.width, box.top + y * box.height)?.closest('.huge')); })()")
        check(free, "held", f"something lies over the Stop at {width}")
        browser.screenshot(os.path.join(out, f"work-held-{width}.png"))
    browser.click("button.huge")
    times.append(bench.ended("held", job, 3, ("stopped", "failed")))
    for way in ("closed", "killed"):
        with make(browser.name.lower()) as other:
            page = Place(other, bench.address)
            job = start(page, bench, "bench", "play", PICK_ALL)
            page.wait("document.querySelector('.hold')", "held", "nothing is held")
            time.sleep(1)
            check(json.loads(bench.ask(f"jobs/{job['id']}")[1])["state"] == "running", "held", "the drive stopped while its page beats")
            began = time.monotonic()
            if way == "closed":
                other.close_tab()
            else:
                other.kill()
            times.append(bench.ended("held", job, 5, ("stopped", "failed"), began))
    print(f"held: the drive has ended {', '.join(f'{one:.2f}' for one in times)} s after Esc, the Stop, a closed tab, a killed browser")


def check_work(kind, program, out, assets=None):
    """All of it, in one browser."""
    with Bench(program, assets) as bench, make(kind) as browser:
        place = Place(browser, bench.address)
        place.complaints(expected=["401"])
        place.size(1280, 900)
        # The folder of ended work may be gone before the page has asked for the last of it.
        place.expected = ["404.*/live/"]
        dead = next(row["id"] for row in json.loads(bench.ask("live")[1])["live"] if row["state"] == "dead")
        run, row = f"#/runs/{bench.runs[1]}", "document.querySelector('tbody tr')"
        for name, path, ready in (("dead", f"#/live/{dead}", "document.querySelector('.page.old .badge.fail')"),
                                  ("live-list", "#/live", "document.querySelector('.cards')"),
                                  ("bench", "#/bench", "document.querySelectorAll('.rig').length === 3"),
                                  ("run", run, "document.querySelector('iframe')"), ("takes", f"{run}/takes", "document.querySelector('.chart')"),
                                  ("patterns", f"{run}/patterns", row), ("readings", f"{run}/readings", row), ("files", f"{run}/files", row),
                                  ("compare", f"#/compare?run={bench.runs[0]}&run={bench.runs[1]}", "document.querySelector('.chart')"),
                                  ("imported", f"#/runs/{bench.nights[-1]}", "document.querySelector('iframe')"),
                                  ("imported-takes", f"#/runs/{bench.nights[-1]}/takes", "document.querySelector('.empty')"),
                                  ("imported-patterns", f"#/runs/{bench.nights[-1]}/patterns", "document.querySelector('.empty, tbody tr')"),
                                  ("history", "#/history", "document.querySelector('.series-card')")):
            look(place, f"work-{name}", path, ready, out)
        for one in (check_run, check_score, check_sound, check_baseline, check_accept, check_calibration, check_unplugged, check_held):
            one(place, bench, out)
            for complaint in place.complaints():
                check(False, one.__name__, complaint)
        print("work: a run, a stop, a score, a sound, a baseline, an acceptance, calibrations, a check, a latency, a held drive")
    # What a stranger sees: nothing yet, and a board that is not plugged in.
    with Bench(program, assets, fresh=True) as bench, make(kind) as browser:
        place = Place(browser, bench.address)
        place.complaints(expected=["401"])
        place.expected = ["40[04]", "422"]
        for name in ("bench", "live", "runs", "compare", "history", "calibrations"):
            look(place, f"fresh-{name}", f"#/{name}", "document.querySelector('.empty, .rig')", out)
        # And with the first run that there is.
        bench.do("run", bench.path("rigs/patterns/swell.ahap"), "--rig", bench.path("rigs/quick.yaml"), "--archive", bench.path("archive"),
                 "--quiet", status=(0, 1))
        first = json.loads(bench.ask("runs")[1])["runs"][0]["id"]
        for name, path in (("bench", "#/bench"), ("runs", "#/runs"), ("history", "#/history"), ("compare", f"#/compare?run={first}&baseline=1"),
                           ("alone", f"#/compare?run={first}"), ("nowhere", "#/runs/no-such-run"), ("gone", "#/live/no-such-work")):
            look(place, f"one-{name}", path, "document.querySelector('.empty, .rig, .window tbody a, .series-card')", out)
