#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""workbench.py OUT [--browser chromium|firefox] [--program HAPRIG [--assets DIR]]: opens the workbench's pages in a browser and says whether
they are what they should be.

The pages stand before workbench_mock.py. Each is opened light and dark and at four widths: nothing scrolls sideways, every text has its
contrast, every control a name, the focus can be seen, nothing is asked of another place. Then the keyboard alone, a link that is cut, a
loss, a dead run, a held drive, thousands of rows, and the time that a frame's script takes. With --program a workbench is started before
simulated rigs instead, and work is done by hand (work.py). Pictures are kept in OUT. Exit code: 0, or 1 where something is not as it should be.
"""

import os
import re
import subprocess
import time

import work
import workbench_mock
from browser import make
from place import CONTRAST, Place, check, check_names, frame_times, look, ran

HERE = os.path.dirname(os.path.abspath(__file__))
PAGES = os.path.join(HERE, "../../Sources/Workbench/Pages")


def check_types():
    result = subprocess.run(["tsc", "-p", os.path.join(HERE, "tsconfig.json")], capture_output=True, text=True)
    check(result.returncode == 0, "types", result.stdout[:2000])
    with open(os.path.join(PAGES, "index.html"), encoding="utf-8") as text:
        page = text.read()
    check(not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=", page), "index.html", "it has inline script or style")
    # The palette is that of the reports.
    with open(os.path.join(HERE, "../../Sources/Reporting/Page/Palette.swift"), encoding="utf-8") as text:
        palette = re.findall(r'name: "([a-z-]+)", light: "(#[0-9a-f]{6})", dark: "(#[0-9a-f]{6})"', text.read())
    with open(os.path.join(PAGES, "workbench.css"), encoding="utf-8") as text:
        sheet = text.read()
    check(len(palette) > 20, "palette", "it cannot be read")
    for name, light, dark in palette:
        own = re.findall(rf"--{name}: (#[0-9a-f]{{6}});", sheet)
        check(own == [light, dark], "palette", f"{name} is {own}, in the reports {light} and {dark}")
    size = sum(os.path.getsize(os.path.join(PAGES, name)) for name in os.listdir(PAGES) if not name.endswith(".d.ts"))
    print(f"types: clean, {size / 1000:.0f} kB of pages")


MODULES = r"""
(async () => {
  const bad = [];
  const same = (name, found, wanted) => {
    if (JSON.stringify(found) !== JSON.stringify(wanted)) bad.push(`${name}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
  };
  const near = (name, found, wanted, by) => { if (!(Math.abs(found - wanted) <= by)) bad.push(`${name}: ${found}, not ${wanted}`); };
  // Numbers are those of the reports.
  const { quantity, significant, duration, clock, bytes, nice } = await import("/assets/format.js");
  same("seconds", quantity(0.0052004, "s", 3e-7), "5.20040 ± 0.00030 ms");
  same("microseconds", quantity(0.000406, "s", 2e-5), "406 ± 20 µs");
  same("tens", quantity(1234.5, "Hz", 130), "1230 ± 130 Hz");
  same("four digits", quantity(9.81234, "m/s2"), "9.812 m/s²");
  same("rounds up", quantity(1, "dB", 0.0999), "1.00 ± 0.10 dB");
  same("nothing", quantity(undefined, "s"), "not measured");
  same("small", significant(1.0081e-7), "1.008e-7");
  same("time", [duration(61.4), duration(0.52), clock(83.25)], ["1 min 01 s", "0.5 s", "1:23.3"]);
  same("sizes", [bytes(830), bytes(83200), bytes(1.53e9)], ["830 bytes", "83 kB", "1.5 GB"]);
  same("steps", [nice(0.21), nice(2), nice(7)], [0.5, 2, 10]);
  // A tone of amplitude 2 on a line stands there with 2; a constant is none.
  const { amplitudes } = await import("/assets/spectrum.js");
  const tone = Float32Array.from({ length: 8192 }, (_, k) => 3 + 2 * Math.sin(2 * Math.PI * 100 * k / 8192));
  const sizes = amplitudes(tone);
  near("tone", sizes[100], 2, 1e-5);
  near("constant", sizes[0], 0, 1e-5);
  near("elsewhere", sizes[200], 0, 1e-5);
  // Bins of any size and place come to the same places; what is told twice is taken once, a gap is not known.
  const { WaveBuffer, firstChannels, channelName } = await import("/assets/waves.js");
  const ramp = (from, to, step) => {
    const bins = Math.floor((to - from) / step), data = new Float32Array(2 * bins);
    for (let k = 0; k < bins; k += 1) {
      data[2 * k] = from + k * step;
      data[2 * k + 1] = from + (k + 1) * step - 1;
    }
    return { header: { rate: 48000, from, to: from + bins * step, framesPerBin: step, channels: [0] }, bins, data: [data] };
  };
  const buffer = new WaveBuffer(64), pair = [0, 0];
  buffer.clear(100);
  buffer.add(ramp(0, 1000, 10));
  buffer.add(ramp(0, 1000, 10));
  same("head", buffer.heads, [10]);
  buffer.range(0, 300, 400, pair);
  same("bin", pair, [300, 399]);
  buffer.add(ramp(937, 2000, 7));
  buffer.range(0, 300, 400, pair);
  same("bin of before", pair, [300, 399]);
  buffer.range(0, 1200, 1300, pair);
  near("unaligned bin", pair[0], 1200, 7);
  near("unaligned bin", pair[1], 1299, 7);
  buffer.add(ramp(3000, 4000, 10));
  buffer.range(0, 2300, 2400, pair);
  same("gap", pair.map(Number.isNaN), [true, true]);
  buffer.add(ramp(9000, 10000, 10));
  buffer.range(0, 9300, 9400, pair);
  same("after a turn of the ring", pair, [9300, 9399]);
  const { restOf } = await import("/assets/waves.js"), triple = [0, 0, 0];
  buffer.extent(0, 1000 / 48000, triple);
  same("extent", triple, [9000, 9999, 9499.5]);
  same("gravity is what a sensor stands at", [restOf(-40, 60, 9.8), restOf(-1, 1, 0.01)], [9.8, 0]);
  const channels = [{ name: "haptic", kind: "drive", side: "drive" }, { name: "audio", kind: "sound", side: "drive" },
    { name: "audio", kind: "sound", side: "capture" }, { name: "reference", kind: "reference", side: "capture" }];
  same("first channels", firstChannels(channels), [0, 2]);
  same("names", [channelName(channels[0], channels), channelName(channels[1], channels)], ["haptic", "audio sent"]);
  // Events: in order, once; a gap is told; verdicts and losses add up.
  const { RunModel } = await import("/assets/run_model.js");
  const model = new RunModel("x");
  const events = [{ n: 0, t: 0, kind: "start", command: "run" }, { n: 1, t: 0.1, kind: "take", pattern: "tap", take: 1, number: 1, total: 2, frame: 0, seconds: 1 },
    { n: 2, t: 1, kind: "reading", reading: { name: "harmony", unit: "1", value: 1 }, verdict: "fail" }, { n: 3, t: 1, kind: "loss", what: "xrun", frame: 5, count: 2, device: "drive" }];
  same("whole", model.take(events), true);
  same("twice", [model.take(events), model.readings.length, model.lost.xrun, model.worst], [true, 1, 2, "fail"]);
  same("gap", [model.take([{ n: 6, t: 2, kind: "idle" }]), model.next], [false, 4]);
  const apart = new RunModel("y");
  apart.take([{ n: 0, t: 0, kind: "take", pattern: "tap", take: 1 }, { n: 1, t: 1, kind: "take", pattern: "tap", take: 2 },
    { n: 2, t: 1.2, kind: "measured", pattern: "tap", take: 1 }]);
  same("measured while the next plays", [apart.current.take, apart.current.ended, apart.stage], [2, false, "playing and recording"]);
  same("later kinds", [model.take([{ n: 4, t: 2, kind: "something" }]), model.next], [true, 5]);
  model.take([{ n: 5, t: 3, kind: "end", outcome: "done", sentence: "Done." }]);
  const again = new RunModel("z");
  again.take([{ n: 0, t: 0, kind: "channels", rate: 1, channels: [] }, { n: 1, t: 0, kind: "take", pattern: "a", take: 1, frame: 0 },
    { n: 2, t: 9, kind: "channels", rate: 1, channels: [] }, { n: 3, t: 9, kind: "take", pattern: "b", take: 1, frame: 0 }]);
  same("frames count anew with new channels", again.takes.map((take) => take.era), [1, 2]);
  same("end", [model.state, model.overall, model.current.ended], ["ended", 1, true]);
  // Waves on the wire.
  const { decodeWaves } = await import("/assets/api.js");
  const head = new TextEncoder().encode('{"rate":1,"from":0,"to":2,"framesPerBin":1,"channels":[0]}'.padEnd(64));
  const raw = new Uint8Array(8 + 64 + 16);
  raw.set([0x48, 0x57, 0x31, 0, 64, 0, 0, 0]);
  raw.set(head, 8);
  new Float32Array(raw.buffer, 72).set([1, 2, 3, NaN]);
  const waves = decodeWaves(raw.buffer);
  same("wire", [waves.bins, waves.data[0][2], Number.isNaN(waves.data[0][3])], [2, 3, true]);
  try { decodeWaves(new ArrayBuffer(16)); bad.push("no waves are taken for some"); } catch { /* As it should be. */ }
  return bad;
})()
"""


def check_modules(place):
    for one in place.browser.evaluate(MODULES):
        check(False, "modules", one)
    print("modules: numbers, spectrum, waves, events, the wire")


def check_keyboard(place):
    browser = place.browser
    for key, title in (("l", "live"), ("r", "runs"), ("c", "compare"), ("h", "history"), ("k", "calibrations"), ("p", "patterns"), ("b", "bench")):
        place.press("g", key)
        place.wait(f"location.hash.startsWith('#/{title}') && document.querySelector('[data-page={title}][aria-current]')", "keys", f"g {key} does not open {title}")
    place.press("?")
    place.wait("document.querySelector('dialog.keys[open]')", "keys", "? does not show the keys")
    contrast = browser.evaluate(CONTRAST)
    check(not contrast["bad"], "keys", f"contrast {contrast['bad']}")
    place.press("Escape")
    place.wait("!document.querySelector('dialog')", "keys", "Esc does not close the keys")
    place.press("g", "r")
    place.wait("document.querySelector('table.window tbody tr')", "keys", "no rows")
    place.press("/")
    place.wait("document.activeElement.type === 'search'", "keys", "/ does not go to the filter")
    for letter in "nightly":
        place.press(letter)
    place.wait("/match/.test(document.querySelector('.page-head [role=status]').textContent)", "keys", "the filter does nothing")
    place.press("Escape", "j", "ArrowDown", "ArrowDown", " ")
    place.wait("document.querySelectorAll('tbody input:checked').length === 1", "keys", "Space does not pick")
    place.press("Enter")
    place.wait("/^#\\/runs\\/./.test(location.hash)", "keys", "Enter does not open a run")
    place.press("3")
    place.wait("document.querySelectorAll('.chart').length > 2", "keys", "3 does not show the takes")
    browser.evaluate("document.querySelector('.plot').focus(); 1")
    place.press("+")
    place.press("u")
    place.wait("location.hash === '#/runs'", "keys", "u does not go back")
    place.press("g", "b", "s")
    place.wait("document.querySelector('dialog[open] form')", "keys", "s does not start anything")
    check_names(browser, "start dialog", whole=False)
    contrast = browser.evaluate(CONTRAST)
    check(not contrast["bad"], "start dialog", f"contrast {contrast['bad']}")
    place.size(360, 780, dark=True)
    for kind in range(5):
        over = browser.evaluate(f"(() => {{ const box = document.querySelector('dialog'); box.querySelectorAll('.segmented button')[{kind}].click();"
                                " return Math.max(box.scrollWidth - box.clientWidth, box.getBoundingClientRect().right - innerWidth); })()")
        check(over <= 0, "start dialog", f"it is {over} px too wide at 360")
    place.size(1280, 900)
    place.press("Escape")
    browser.evaluate("sessionStorage.clear(); document.dispatchEvent(new Event('picked')); 1")
    for complaint in place.complaints():
        check(False, "keys", complaint)
    print("keyboard: all pages, the keys, the filter, the table, a run, a take, the start of work")


def check_history(place):
    """The charts are one stop of Tab, with arrows from one to the next."""
    browser = place.browser
    place.go("#/history", "document.querySelectorAll('.series-card .plot').length > 3")
    total = browser.evaluate("document.querySelectorAll('.series-card').length")
    check(browser.evaluate("document.querySelectorAll('.series-card [tabindex=\"0\"]').length") == 1, "history", "the charts are not one stop of Tab")
    browser.evaluate("document.querySelector('.series-card [tabindex=\"0\"]').focus(); 1")
    at = "Number(document.activeElement.closest('.series-card')?.dataset.index ?? -1)"
    for key, place_ in (("ArrowDown", 1), ("ArrowDown", 2), ("ArrowUp", 1), ("End", total - 1), ("Home", 0)):
        place.press(key)
        check(browser.evaluate(at) == place_, "history", f"{key} goes to the chart {browser.evaluate(at)}, not {place_}")
        check(browser.evaluate("document.activeElement.classList.contains('plot')"), "history", f"{key} leaves the charts")
    seen = browser.evaluate("(() => { const box = document.activeElement.getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight; })()")
    check(seen, "history", "the chart with the focus is out of sight")
    # Readings have their plain names; a search finds them by either.
    for text in ("felt start", "Latency.onset"):
        browser.evaluate(f"(() => {{ const box = document.querySelector('main input[type=search]'); box.value = {text!r}; box.dispatchEvent(new Event('input', {{ bubbles: true }})); return 1; }})()")
        place.wait("(() => { const all = [...document.querySelectorAll('.series-card .plot')].map((one) => one.getAttribute('aria-label')); return all.length > 0 && all.every((one) => one.startsWith('felt start')); })()",
                   "history", f"{text} does not find the felt starts alone")
    for complaint in place.complaints():
        check(False, "history", complaint)
    print(f"history: {total} charts are one stop of Tab")


def check_rows(place):
    browser = place.browser
    place.go("#/runs", "document.querySelectorAll('table.window tbody tr').length > 5")
    browser.evaluate("document.querySelector('.filters .clear').click(); 1")
    time.sleep(0.4)
    total = browser.evaluate("Number(document.querySelector('table.window').getAttribute('aria-rowcount'))")
    rows = browser.evaluate("document.querySelectorAll('table.window tbody tr').length")
    check(rows < 120, "rows", f"{rows} rows stand in the page")
    longest = browser.evaluate("""
(async () => {
  const box = document.querySelector(".window-scroll");
  let longest = 0;
  for (let k = 0; k <= 40; k += 1) {
    box.scrollTop = box.scrollHeight * k / 40;
    const start = performance.now();
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    longest = Math.max(longest, performance.now() - start);
  }
  return longest;
})()""")
    place.wait("document.querySelector(`[aria-rowindex='${document.querySelector('table.window').getAttribute('aria-rowcount')}'] a`)",
               "rows", "the last row does not come")
    print(f"rows: {rows} of {total - 1} stand in the page; two frames of scrolling took {longest:.0f} ms at most")


def check_still(place):
    """Who wants little motion gets at most some pictures a second."""
    place.go("#/live", "document.querySelector('.scope-canvas')")
    place.browser.media(still=True)
    time.sleep(0.5)
    before = place.browser.evaluate("haprigFrameCount()")
    time.sleep(3)
    count = place.browser.evaluate("haprigFrameCount()") - before
    check(count < 12, "motion", f"{count} pictures in 3 s where little motion is wanted")
    place.browser.media()


def check_live(place, out):
    browser = place.browser
    run = browser.evaluate("fetch('/api/v1/live').then((one) => one.json()).then((one) => one.live.find((row) => row.state === 'working').id)")
    place.go(f"#/live/{run}", "document.querySelectorAll('.readings tbody tr').length > 20")
    log = browser.evaluate("document.querySelector('.log-list').lastElementChild.textContent")
    check("0:00.0" in log, "live", f"opened late, the log begins with '{log}'")
    place.wait("document.querySelectorAll('.loss-list li').length > 0", "live", "losses of before are not shown")
    check(browser.evaluate("Number(document.querySelector('.overview').getAttribute('aria-valuemax')) > 40"), "live", "the overview is not of the whole run")
    losses = browser.evaluate("document.querySelector('.counter dd').textContent")
    place.mock("loss")
    place.wait(f"document.querySelector('.counter dd').textContent !== {losses!r}", "live", "a loss is not shown at once", 1.5)
    check(browser.evaluate("/Loss/.test(document.getElementById('shout').textContent)"), "live", "a loss is not told to a screen reader")
    # The window by keys: back to the beginning, and to the newest again.
    browser.evaluate("document.querySelector('.overview').focus(); 1")
    place.press("Home")
    place.wait("/from 0:00.0/.test(document.querySelector('.overview').getAttribute('aria-valuetext'))", "live", "Home does not show the beginning")
    time.sleep(0.5)
    browser.screenshot(os.path.join(out, "workbench-live-beginning.png"))
    place.press("End")
    place.wait("/newest/.test(document.querySelector('.overview').getAttribute('aria-valuetext'))", "live", "End does not follow")
    shown = browser.evaluate("document.querySelector('.log-list').childElementCount")
    place.mock("gone")
    place.wait("document.querySelector('.page.old') && !document.getElementById('warning').hidden", "live", "old data is not marked as old", 4)
    place.wait("!document.querySelector('.stale-words').hidden", "live", "old data does not say how old")
    contrast = browser.evaluate(CONTRAST)
    check(not contrast["bad"], "live, cut off", f"contrast {contrast['bad']}")
    browser.screenshot(os.path.join(out, "workbench-live-cut.png"))
    place.mock("back")
    browser.evaluate("dispatchEvent(new Event('online')); 1")
    place.wait("!document.querySelector('.page.old') && document.getElementById('warning').hidden", "live", "it does not come back", 12)
    time.sleep(1)
    check(browser.evaluate("document.querySelector('.log-list').childElementCount") >= shown, "live", "events are lost by a break")
    check(browser.evaluate("new Set([...document.querySelectorAll('.log-list li')].map((one) => one.textContent)).size"
                           " === document.querySelector('.log-list').childElementCount"), "live", "events are told twice after a break")
    browser.evaluate("location.reload(); 1")
    time.sleep(1)
    place.wait("document.querySelectorAll('.readings tbody tr').length > 20", "live", "reloaded, it does not show the readings")
    place.complaints()
    place.mock("dead")
    place.wait("document.querySelector('.page.old .badge.fail')", "live", "a dead run is not shown as dead", 3)
    browser.screenshot(os.path.join(out, "workbench-live-dead.png"))
    print("live: late, reloaded, cut off and back, a loss, dead")


def check_hold(place, out):
    browser = place.browser
    place.go("#/bench", "document.querySelector('button.primary:not(:disabled)')")
    place.press("s")
    place.wait("document.querySelector('dialog form')", "hold", "no dialog")
    browser.evaluate("[...document.querySelectorAll('dialog .segmented button')].find((one) => one.textContent === 'Play').click(); 1")
    browser.evaluate("document.querySelector('dialog .pick input').click(); 1")
    browser.screenshot(os.path.join(out, "workbench-start-play.png"))
    browser.evaluate("document.querySelector('dialog button[type=submit]').click(); 1")
    place.wait("document.querySelector('.hold')", "hold", "nothing is held")
    time.sleep(2)
    check(browser.evaluate("Boolean(document.querySelector('.hold'))"), "hold", "the drive stopped while the page holds it")
    check(browser.evaluate("document.activeElement.classList.contains('huge')"), "hold", "the Stop has not the focus")
    browser.screenshot(os.path.join(out, "workbench-hold.png"))
    place.press("Escape")
    place.wait("!document.querySelector('.hold')", "hold", "Esc does not stop it", 1)
    jobs = browser.evaluate("fetch('/api/v1/jobs').then((one) => one.json()).then((one) => one.jobs[0].state)")
    check(jobs == "stopped", "hold", f"the job is {jobs}")
    for complaint in place.complaints():
        check(False, "hold", complaint)
    print("hold: held for 2 s by beats, stopped by Esc")


def check_pages(kind, out):
    """Every page before the mock."""
    _, address = workbench_mock.serve()
    with make(kind) as browser:
        place = Place(browser, address)
        place.complaints(expected=["401"])
        runs = browser.evaluate("fetch('/api/v1/runs?limit=5').then((one) => one.json()).then((one) => one.runs.map((run) => run.id))")
        row = "document.querySelector('tbody tr')"
        check_modules(place)
        for name, path, ready in (
                ("bench", "#/bench", "document.querySelector('.rig')"), ("runs", "#/runs", "document.querySelector('.window tbody a')"),
                ("history", "#/history", "document.querySelector('.series-card')"), ("calibrations", "#/calibrations", "document.querySelector('.chart')"),
                ("run", f"#/runs/{runs[0]}", "document.querySelector('iframe')"), ("takes", f"#/runs/{runs[0]}/takes", "document.querySelector('.chart')"),
                ("patterns", f"#/runs/{runs[0]}/patterns", row), ("readings", f"#/runs/{runs[0]}/readings", row), ("files", f"#/runs/{runs[0]}/files", row),
                ("compare", f"#/compare?run={runs[0]}&run={runs[3]}", "document.querySelectorAll('.chart').length > 1"),
                ("live", "#/live", "document.querySelectorAll('.readings tbody tr').length > 3"),
                ("calibration", "#/calibrations/lra-1", "document.querySelector('.chart')")):
            look(place, name, path, ready, out)
        check_keyboard(place)
        check_history(place)
        check_rows(place)
        frame_times(place)
        check_still(place)
        check_hold(place, out)
        check_live(place, out)
    _, empty = workbench_mock.serve(empty=True)
    with make(kind) as browser:
        place = Place(browser, empty)
        place.complaints()
        for name in ("bench", "live", "runs", "compare", "history", "calibrations", "patterns"):
            look(place, f"empty-{name}", f"#/{name}", "document.querySelector('.empty')", out)
    with make(kind) as browser:
        browser.open(empty.split("#")[0])
        time.sleep(1)
        check(browser.evaluate("Boolean(document.querySelector('form.key'))"), "session", "without a key it does not ask for one")
        browser.screenshot(os.path.join(out, "workbench-key.png"))


def main(options):
    if options.program:
        work.check_work(options.browser, options.program, options.out, options.assets)
    else:
        check_types()
        check_pages(options.browser, options.out)


if __name__ == "__main__":
    ran(main)
