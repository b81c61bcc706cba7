#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check.py PAGES OUT: opens the pages of a folder in a browser and says whether they are what they should be.

For each NAME.html beside a NAME.json (the run's record) the numbers are compared; every page is looked at for
complaints of the browser, for names, headings and landmarks, and walked through by keyboard. Pictures of each
page, light, dark and on paper, are kept in OUT. Exit code: 0, or 1 where something is not as it should be.
"""

import json
import os
import re
import statistics
import sys

from browser import Fault
from chromium import Browser

PREFIXES = {"": 1, "k": 1e3, "m": 1e-3, "µ": 1e-6, "u": 1e-6, "n": 1e-9, "M": 1e6}
UNITS = {"m/s2": "m/s²", "1": "", "count": ""}
failures = []


def check(holds, page, text):
    if not holds:
        failures.append(f"{page}: {text}")
        print(f"  FAILED {text}")


def shown_number(text, unit):
    """What a cell shows in the record's unit: value, uncertainty with half of its last digit or None, and
    half of the value's last digit."""
    match = re.fullmatch(
        r"(?:at most |below )?([-+−]?[0-9.]+(?:e[-+]?[0-9]+)?)(?: ± ([0-9.]+(?:e[-+]?[0-9]+)?))?(?: (.+))?", text)
    if not match:
        return None
    value, uncertainty, symbol = match.groups()
    own = UNITS.get(unit, unit)
    symbol = symbol or ""
    factor = None
    for prefix, size in PREFIXES.items():
        if symbol == prefix + own or (prefix == "" and symbol == own):
            factor = size
    if factor is None:
        return None

    def read(word):
        word = word.replace("−", "-")
        digits, _, power = word.partition("e")
        places = len(digits.partition(".")[2])
        return float(word) * factor, 0.5 * 10 ** (int(power or 0) - places + tens) * factor

    # An uncertainty of 130 has two digits too: it and the value end at the tens.
    tens = max(0, len(uncertainty) - 2) if uncertainty and uncertainty.isdigit() else 0
    number, half = read(value)
    return number, read(uncertainty) if uncertainty else None, half


# What is folded is read where it stands as text: to lay out thousands of rows takes longer than to check them.
TABLES = """
[...document.querySelectorAll("main > section")].flatMap((section) => [
  ...section.querySelectorAll("table.readings"),
  ...[...section.querySelectorAll("noscript.folded")].flatMap((folded) => [
    ...new DOMParser().parseFromString(folded.textContent, "text/html")
      .querySelectorAll("table.readings")]),
].map((table) => ({
  section: section.querySelector("h2").textContent,
  rows: [...table.tBodies[0].rows].map((row) => Object.fromEntries([...row.cells].map((cell, index) =>
    [table.tHead.rows[0].cells[index].textContent, (cell.querySelector("a") || cell).textContent]))),
})))
"""


# The names that people read, by those of the record.
TITLES = """
Object.fromEntries([...document.querySelectorAll("dt[id^='means-']")]
  .map((term) => [term.id.slice(6), term.firstChild.textContent]))
"""

OF_RIG = {"latency.electrical", "latency.transport", "latency.rise", "drift", "noise.floor"}


def scatters(record):
    """How the same reading scatters over the takes: of the rig over all, else over those of its pattern."""
    groups = {}

    def key(reading):
        of_rig = reading["name"].removeprefix("control.") in OF_RIG
        return (reading["name"], reading.get("channel"),
                None if of_rig else reading.get("pattern"), None if of_rig else reading.get("event"))
    for reading in record["readings"]:
        if "repeat" in reading and "value" in reading:
            groups.setdefault(key(reading), []).append(reading["value"])
    return lambda reading: (
        statistics.stdev(groups[key(reading)])
        if "repeat" in reading and len(groups.get(key(reading), [])) > 1 else 0)


def compare_numbers(browser, page, record):
    """Every reading of the record stands in its table, once and in order, with its own numbers; its uncertainty
    is no less than what it scatters."""
    tables = browser.evaluate(TABLES)
    titles = browser.evaluate(TITLES)
    scatter = scatters(record)
    expected = {}

    def plain(note):
        return re.sub(r"[a-z]+(?:\.[A-Za-z]+)+", lambda name: titles.get(name[0], name[0]), note)
    for reading in record["readings"]:
        of_run = "pattern" not in reading or reading["name"].startswith("control.")
        place = "Readings of the run" if of_run else reading["pattern"]
        expected.setdefault(place, ([], []))["event" in reading].append(reading)
    found = {}
    for table in tables:
        found.setdefault(table["section"], []).extend(table["rows"])
    count = 0
    for section, (of_takes, of_events) in expected.items():
        rows, readings = found.get(section, []), of_takes + of_events
        check(len(rows) == len(readings), page, f"{section}: {len(rows)} rows, {len(readings)} readings")
        for row, reading in zip(rows, readings):
            own = reading["name"].removeprefix("control.")
            name = ("control: " if own != reading["name"] else "") + titles[own]
            check(row["Reading"].startswith(name), page, f"{section}: {row['Reading']} where {name} belongs")
            cell = row.get("Value", "")
            if "value" not in reading:
                check(cell == "", page, f"{section}: {name} shows {cell} and was not measured")
                check("not measured" in row["Verdict"], page, f"{section}: {name} does not say so")
                check(row.get("Note") == plain(reading["note"]), page, f"{section}: {name} has no reason")
                continue
            shown = shown_number(cell, reading["unit"])
            count += 1
            check(shown is not None, page, f"{section}: {name} shows '{cell}'")
            if shown is None:
                continue
            value, uncertainty, half = shown
            # What is less than anybody's step is told by that step.
            slack = value if cell.startswith("below ") else half * 1.0001 + 1e-12 * abs(value)
            check(abs(value - reading["value"]) <= slack, page,
                  f"{section}: {name} shows {cell}, the record says {reading['value']}")
            # What lies below a billionth of the unit that is shown is not told.
            stated = max(reading["uncertainty"], scatter(reading)) if "uncertainty" in reading else 0
            if stated > 1e-9:
                # One that is less than the value's last digit is shown as one of it.
                check(uncertainty is not None and (
                    abs(uncertainty[0] - stated) <= uncertainty[1] * 1.0001
                    or stated < uncertainty[0] <= 2 * half * 1.0001), page,
                      f"{section}: {name} shows {cell}, the record says ± {stated}")
            check(row.get("n", "") == str(reading.get("n", "")), page, f"{section}: {name}: n {row.get('n')}")
            check(row.get("Limit", "") == reading.get("limit", ""), page, f"{section}: {name}: limit")
            check(reading.get("verdict", "") in row["Verdict"], page, f"{section}: {name}: verdict")
    badge = browser.evaluate("document.querySelector('.badge.large').textContent")
    check(badge.endswith(" " + record["verdict"]), page, f"the verdict is shown as '{badge}'")
    print(f"  {count} numbers are those of the record")


def check_folds(browser, page):
    """A folded pattern has its tables once it is opened."""
    folded = "[...document.querySelectorAll('details.body')].filter((body) => !body.open)[0]"
    if not browser.evaluate(f"Boolean({folded})"):
        return
    browser.evaluate(f"window.fold = {folded}; fold.open = true; 1")
    for _ in range(100):
        browser.settle()
        if browser.evaluate("fold.querySelectorAll('table.readings').length"):
            break
    check(browser.evaluate("fold.querySelectorAll('table.readings tbody tr').length") > 0, page,
          "a pattern that was opened has no readings")
    browser.evaluate("fold.open = false; 1")


def check_names(browser, page):
    """What a screen reader is told: landmarks, headings without a step left out, a name for every picture."""
    nodes = browser.nodes()
    roles = [node["role"] for node in nodes]
    for landmark in ("banner", "main"):
        check(roles.count(landmark) == 1, page, f"{roles.count(landmark)} landmarks '{landmark}'")
    levels = [node["level"] for node in nodes if node["role"] == "heading"]
    check(levels[:1] == [1] and levels.count(1) == 1, page, f"headings begin with {levels[:3]}")
    steps = [(a, b) for a, b in zip(levels, levels[1:]) if b > a + 1]
    check(not steps, page, f"headings leave out a step: {steps[:3]}")
    for kind in ("image", "img", "button", "link", "table", "region", "group", "DisclosureTriangle"):
        nameless = sum(1 for node in nodes if node["role"] == kind and not node["name"])
        # A list of facts and a figure are groups by nature.
        check(nameless == 0 or kind == "group", page, f"{nameless} of role {kind} have no name")


FOCUS = """
(() => {
  const now = document.activeElement, before = window.lastFocus;
  window.lastFocus = now;
  const style = getComputedStyle(now);
  return {
    body: now === document.body,
    text: (now.getAttribute("aria-label") || now.textContent).trim().slice(0, 60),
    forward: !before || before === now
      || Boolean(before.compareDocumentPosition(now) & Node.DOCUMENT_POSITION_FOLLOWING),
    seen: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0,
  };
})()
"""


def walk(browser, page, limit=400):
    """Tab goes forward through the page, each stop can be seen, and it comes out at the end."""
    browser.evaluate("window.lastFocus = null; document.activeElement.blur(); scrollTo({top: 0, behavior: 'instant'}); 1")
    stops = []
    for _ in range(limit):
        browser.press("Tab")
        stop = browser.evaluate(FOCUS)
        if stop["body"]:
            break
        stops.append(stop)
        check(stop["forward"], page, f"Tab went back to '{stop['text']}'")
        check(stop["seen"], page, f"the focus on '{stop['text']}' cannot be seen")
    check(stops and stops[0]["text"].startswith("Skip to"), page, "the first stop is not the skip link")
    # What has very many stops is left by its end key; a trap stays on one.
    check(len({stop["text"] for stop in stops}) > 2, page, "Tab is trapped")
    print(f"  {len(stops)} stops of Tab, all forward")


CHART = """
(() => {
  const chart = document.querySelector(".chart");
  chart.scrollIntoView({behavior: "instant", block: "start"});
  const plots = chart.querySelector(".plots").getBoundingClientRect();
  return {
    from: Number(chart.dataset.from), to: Number(chart.dataset.to),
    labels: [...chart.querySelectorAll(".dygraph-axis-label-x")].map((label) => label.textContent),
    box: [plots.left, plots.top, plots.width, plots.height],
    canvases: chart.querySelectorAll("canvas").length,
  };
})()
"""


def check_zoom(browser, page):
    """Buttons, keys and the pointer change the time axis of all panels."""
    browser.evaluate("(document.querySelector('details.body:not([open])') || {}).open = true;"
                     " document.querySelector('figure.take').scrollIntoView(); 1")
    for _ in range(40):
        browser.settle()
        if browser.evaluate("document.querySelectorAll('.chart').length"):
            break
    whole = browser.evaluate(CHART)
    length = whole["to"] - whole["from"]
    check(whole["canvases"] >= 6, page, f"{whole['canvases']} canvases in the first chart")
    browser.evaluate("document.querySelector('.chart .tools button').click(); 1")
    browser.settle()
    half = browser.evaluate(CHART)
    check(abs((half["to"] - half["from"]) / length - 0.5) < 1e-6, page, "a button does not zoom to half")
    check(half["labels"] != whole["labels"], page, "zoom does not change the axis")
    browser.evaluate("document.querySelector('.chart').focus(); 1")
    browser.press("ArrowRight")
    browser.settle()
    later = browser.evaluate(CHART)
    check(later["from"] > half["from"], page, "an arrow key does not move the window")
    browser.press("0")
    browser.settle()
    check(abs(browser.evaluate(CHART)["to"] - whole["to"]) < 1e-9, page, "0 does not show all")
    left, top, width, _ = browser.evaluate(CHART)["box"]
    browser.drag([left + 0.3 * width, top + 60], [left + 0.5 * width, top + 60])
    browser.settle()
    dragged = browser.evaluate(CHART)
    share = (dragged["to"] - dragged["from"]) / length
    check(0.15 < share < 0.27, page, f"a drag over a fifth of the plot shows {share:.3f} of the time")
    ranges = browser.evaluate(
        "[...document.querySelectorAll('.chart')[0].querySelectorAll('.plot-area')].length")
    print(f"  zoom: {whole['labels'][:3]}... to {dragged['labels'][:3]}..., {ranges} panels")
    browser.press("0")


def check_link(browser, page):
    """The link of a worst event opens its picture and zooms to the event."""
    link = "document.querySelector('#result a.subject[href*=\"-event-\"]')"
    if not browser.evaluate(f"Boolean({link})"):
        return
    browser.evaluate(f"{link}.click(); 1")
    browser.settle()
    browser.settle()
    shown = browser.evaluate("""
(() => {
  const [, name, event] = location.hash.match(/^#(.+)-event-([0-9]+)$/);
  const figure = document.querySelector(`figure[data-name="${name}"]`);
  const chart = figure.querySelector(".chart"), box = figure.getBoundingClientRect();
  return {
    event, top: box.top, from: Number(chart.dataset.from), to: Number(chart.dataset.to),
    words: chart.querySelector(".readout").textContent,
    data: JSON.parse(figure.querySelector(":scope > script").textContent),
  };
})()""")
    data = shown["data"]
    start = next(entry[1] for entry in data["events"] if str(entry[0]) == shown["event"])
    check(shown["from"] <= start <= shown["to"], page, "the link of an event does not zoom to it")
    check(shown["to"] - shown["from"] < 0.95 * (data["span"][1] - data["span"][0]), page,
          "the link of an event shows the whole take")
    check(shown["words"].startswith(f"event {shown['event']} "), page,
          f"the link of an event says '{shown['words']}'")
    check(abs(shown["top"]) < 200, page, f"the picture of a linked event is at {shown['top']:.0f}")


def check_find(browser, page):
    """Words find series: rows without them go, folded groups with them open, and all comes back."""
    if not browser.evaluate("Boolean(document.querySelector('.find input'))"):
        return
    counted = """
(() => {
  const shown = (node) => node.checkVisibility();
  const rows = [...document.querySelectorAll("#series tr[id]")];
  return {
    rows: rows.filter(shown).map((row) => row.textContent), all: rows.length,
    words: document.querySelector(".find output").textContent,
  };
})()"""
    before = browser.evaluate(counted)
    ask = "const field = document.querySelector('.find input'); field.value = %r; field.dispatchEvent(new Event('input')); 1"
    # What heads the last row, in capitals, and its group.
    words = browser.evaluate("""
(() => {
  const row = [...document.querySelectorAll("#series tr[id]")].at(-1);
  const group = row.closest("details").querySelector("summary").textContent.split(":")[0];
  return [row.querySelector("th").firstChild.textContent, group];
})()""")
    browser.evaluate("{ %s }" % (ask % " ".join(words).upper()))
    browser.settle()
    found = browser.evaluate(counted)
    check(0 < len(found["rows"]) < before["all"], page, f"{len(found['rows'])} rows are found")
    check(all(words[0] in row for row in found["rows"]), page, "a row is found that has not the word")
    check(found["words"] == f"{len(found['rows'])} of {before['all']} series", page, f"it says '{found['words']}'")
    browser.evaluate("{ %s }" % (ask % ""))
    browser.settle()
    after = browser.evaluate(counted)
    check(after["rows"] == before["rows"] and not after["words"], page, "without words not all is as it was")
    print(f"  find: {len(found['rows'])} of {before['all']} series")


def keep_pictures(browser, name, out):
    browser.evaluate("scrollTo({top: 0, behavior: 'instant'}); 1")
    browser.media()
    browser.screenshot(os.path.join(out, f"{name}-light.png"), height=0)
    browser.media(dark=True)
    browser.settle()
    browser.screenshot(os.path.join(out, f"{name}-dark.png"), height=0)
    browser.media("print")
    browser.pdf(os.path.join(out, f"{name}.pdf"))
    browser.screenshot(os.path.join(out, f"{name}-print.png"), height=0)
    browser.media()


def loading_time(browser, path):
    """The median of five, in milliseconds: until all is loaded, until something was painted, and the
    processor's time of the page's thread, which another program's load does not move."""
    times = []
    browser.call("Performance.enable", timeDomain="threadTicks")

    def used():
        metrics = browser.call("Performance.getMetrics")["metrics"]
        return next(entry["value"] for entry in metrics if entry["name"] == "TaskDuration")
    for _ in range(5):
        browser.open("about:blank")
        before = used()
        browser.open(path)
        browser.settle()
        after = used()
        times.append(browser.evaluate(
            "[performance.getEntriesByType('navigation')[0].loadEventEnd,"
            " (performance.getEntriesByName('first-contentful-paint')[0] || {}).startTime || 0]")
            + [1000 * (after - before if after >= before else after)])
    return [sorted(column)[2] for column in zip(*times)]


def main(pages, out):
    os.makedirs(out, exist_ok=True)
    with Browser() as browser:
        for file in sorted(os.listdir(pages)):
            name, extension = os.path.splitext(file)
            if extension != ".html":
                continue
            path = os.path.join(pages, file)
            print(f"{name}: {os.path.getsize(path) / 1e6:.2f} MB")
            browser.media()
            loaded, painted, used = loading_time(browser, path)
            print(f"  loaded in {loaded:.0f} ms, first painted at {painted:.0f} ms, {used:.0f} ms of "
                  "the processor")
            check(used < 1000, name, f"loading takes {used:.0f} ms of the processor, and may take 1000")
            record = os.path.splitext(path)[0] + ".json"
            if os.path.exists(record):
                with open(record, encoding="utf-8") as text:
                    compare_numbers(browser, name, json.load(text))
            check_folds(browser, name)
            check_names(browser, name)
            if browser.evaluate("Boolean(window.Dygraph) && document.querySelector('figure.take') !== null"):
                check_zoom(browser, name)
                check_link(browser, name)
            # Tab begins where the last pointer was: a fresh page begins at its top.
            browser.open(path)
            walk(browser, name)
            check_find(browser, name)
            if not name.startswith("large"):
                keep_pictures(browser, name, out)
            for complaint in browser.complaints():
                check(False, name, complaint)
    print(f"pictures: {out}")
    for failure in failures[:40]:
        print(f"FAILED {failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:3]))
    except Fault as fault:
        print(f"FAILED {fault}")
        sys.exit(1)
