#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""killed.py OUT --program HAPRIG [--browser chromium|firefox] [--assets DIR]: kills browser and server while somebody edits; says what is lost.

HAPRIG_KILLS times (20) a scripted person edits a pattern by keys, saves now and then, or types in its source, before `haprig serve`, and the
browser with all its processes is killed at a random moment. A new one opens the pattern: what the page had an answer to is there, what is
not was done in the last half a second, and the file has a text that was saved, whole. Then the server is killed under the page, a quarter
as often: the page says so, and goes on with the same when it is started again at the same place.
Exit code: 0, or 1 where something is not as it should be.
"""

import contextlib
import json
import os
import random
import threading
import time

from authoring import Person
from browser import Fault, make
from place import Served, check, ran

NAME, LONGEST = "kept", 0.5
TEXT = json.dumps({"Version": 1.0, "Metadata": {"Description": "Typed: "}, "Pattern": [
    {"Event": {"Time": time_, "EventType": "HapticTransient", "EventParameters": [
        {"ParameterID": "HapticIntensity", "ParameterValue": 0.5}, {"ParameterID": "HapticSharpness", "ParameterValue": 0.5}]}}
    for time_ in (0, 0.5, 1)]}, indent=2) + "\n"
# What a key does to the tap in the middle: each time another edit, as long as it stays within its range.
KEYS = {"ArrowLeft": ("time", -0.01), "ArrowRight": ("time", 0.01), "w": ("intensity", 0.05), "s": ("intensity", -0.05),
        "d": ("sharpness", 0.05), "a": ("sharpness", -0.05)}
# What the page had an answer to is told at once.
ANSWERS = """
const ask = window.fetch;
window.fetch = async (...all) => {
  const answer = await ask(...all);
  if (all[1]?.method === "POST" && /\\/patterns\\//.test(all[0]) && answer.ok) {
    const { version, text = [] } = await answer.clone().json();
    console.debug("answered", JSON.stringify({ version, text }));
  }
  return answer;
};
"""


class Round:
    """What a person does until something is killed, and what must be there after it."""

    def __init__(self, person, served, rng):
        self.person, self.browser, self.served, self.rng = person, person.browser, served, rng
        self.before, self.saved = served.document(), served.file()
        self.is_typing = rng.random() < 0.3
        # When something was done, and what.
        self.done, self.killed = [], None
        self.browser.events.clear()
        if self.is_typing:
            # Behind what was typed before.
            at = self.before["text"].index('"', self.before["text"].index("Typed: "))
            self.browser.evaluate(f"""(() => {{
  const box = document.querySelector(".CodeMirror")?.CodeMirror, plain = document.querySelector(".source-text");
  (box ?? plain).focus();
  if (box) box.setCursor(box.posFromIndex({at}));
  else plain.setSelectionRange({at}, {at});
  return 1;
}})()""")
        else:
            self.browser.evaluate("document.querySelector('.event-list').focus(); 1")
            self.browser.press("Home", "ArrowDown")

    def state(self, count):
        """The tap in the middle after some of what was done."""
        now = {**self.before["entries"][1]}
        for _, key in self.done[:count]:
            if key in KEYS:
                now[KEYS[key][0]] += KEYS[key][1]
        return now

    def act(self):
        if self.is_typing:
            key = self.rng.choice("abcdefgh")
        elif self.rng.random() < 0.1:
            key = "save"
        else:
            now = self.state(len(self.done))
            key = self.rng.choice([key for key, (what, by) in KEYS.items() if 0.2 < now[what] + by < 0.8])
        self.done.append((time.monotonic(), key))
        self.browser.press("s" if key == "save" else key, held=["Control"] if key == "save" else [])
        time.sleep(self.rng.uniform(0, 0.12))

    def kill(self, what):
        self.killed = time.monotonic()
        what()

    def judge(self, label):
        """Whether what is there now is what must be; how much was answered, how much of that is gone, how much else, and its age."""
        with contextlib.suppress(Fault, OSError):
            self.browser.wait("whatever was told before the end", 0.2)
        answers = [json.loads(one["params"]["args"][1]["value"]) for one in self.browser.events
                   if one.get("params", {}).get("args") and one["params"]["args"][0].get("value") == "answered"]
        texts = [self.before["text"]]
        for one in answers:
            text = texts[-1]
            for edit in sorted(one["text"], key=lambda edit: -edit["from"]):
                text = text[:edit["from"]] + edit["insert"] + text[edit["to"]:]
            texts.append(text)
        now, file = self.served.document(), self.served.file()
        there = [count for count in range(len(self.done) + 1) if self.is_there(now, count)]
        check(bool(there), label, f"what is there was not done: {now['text']}")
        answered = len(texts[-1]) - len(texts[0]) if self.is_typing else len(answers)
        # Of what was being asked for more may be there: what was typed in one go, or one edit.
        count = max([one for one in there if one >= answered and (self.is_typing or one <= answered + 1)] or there, default=0)
        gone = max(0, answered - count)
        check(not gone, label, f"{gone} of what was answered is not there")
        check(count != answered or now["text"] == texts[-1], label, "the text is not that which was answered")
        check(file in (self.saved, now["text"], *texts), label, f"the file has a text that was never there: {file}")
        last = max((count for count, (_, key) in enumerate(self.done[:len(answers)]) if key == "save"), default=None)
        check(self.is_typing or last is None or file in texts[last:] + [now["text"]], label, "what was saved is not in the file")
        lost = self.done[count:]
        age = self.killed - lost[0][0] if lost else 0
        check(age < LONGEST, label, f"{len(lost)} {'letters' if self.is_typing else 'edits'} are lost, the first was done {age:.2f} s before")
        return len(answers), gone, len(lost), age

    def is_there(self, now, count):
        if self.is_typing:
            at = self.before["text"].index('"', self.before["text"].index("Typed: "))
            return now["text"] == self.before["text"][:at] + "".join(key for _, key in self.done[:count]) + self.before["text"][at:]
        wanted, entry = self.state(count), now["entries"][1]
        return all(abs(entry[key] - wanted[key]) < 1e-6 for key in ("time", "intensity", "sharpness"))


class Kept(Served):
    """The server with the pattern, its file, and what it says of it."""

    def document(self):
        return json.loads(self.ask(f"patterns/{NAME}")[1])

    def file(self):
        with open(self.path(f"rigs/patterns/{NAME}.ahap"), encoding="utf-8") as text:
            return text.read()


def opened(kind, served):
    """A person in a new browser, before the pattern."""
    browser = make(kind)
    browser.before(ANSWERS)
    person = Person(browser, served.address)
    person.edit(NAME)
    return person


def shown(person, served, label):
    """The page shows what the server has, and says whether it is saved."""
    now = served.document()
    text = "(document.querySelector('.CodeMirror')?.CodeMirror.getValue() ?? document.querySelector('.source-text')?.value)"
    person.wait(f"{text} === {json.dumps(now['text'])}", label, "the page has another text")
    state = "saved" if now["saved"] else "not saved"
    person.wait(f"document.querySelector('.editor-state').textContent === '{state}'", label, "the page does not say whether it is saved")


def tell(what, found):
    answers, gone, lost, ages = zip(*found)
    print(f"{what}: killed {len(found)} times in {sum(answers)} answered edits and saves, of which {sum(gone)} are lost; {sum(lost)} more were not "
          f"yet answered, {max(lost)} at most, the oldest done {1000 * max(ages):.0f} ms before", flush=True)


def browser_killed(kind, served, rng, rounds):
    found = []
    person = opened(kind, served)
    for number in range(rounds):
        label = f"browser {number}"
        one = Round(person, served, rng)
        killer = threading.Timer(rng.uniform(0.02, 2.5), one.kill, [person.browser.kill])
        killer.start()
        with contextlib.suppress(Fault, OSError):
            while True:
                one.act()
        killer.join()
        found.append(one.judge(label))
        person.browser.end()
        person = opened(kind, served)
        shown(person, served, label)
    person.browser.end()
    tell("browser", found)


def server_killed(kind, served, rng, rounds):
    found, port = [], int(served.base.rsplit(":", 1)[1].strip("/"))
    with make(kind) as browser:
        browser.before(ANSWERS)
        person = Person(browser, served.address)
        for number in range(rounds):
            label = f"server {number}"
            person.edit(NAME)
            shown(person, served, label)
            one = Round(person, served, rng)
            killer = threading.Timer(rng.uniform(0.02, 2), one.kill, [served.process.kill])
            killer.start()
            while one.killed is None:
                one.act()
            served.process.wait()
            one.done = [(moment, key) for moment, key in one.done if moment < one.killed]
            person.wait("!document.getElementById('warning').hidden && document.getElementById('link').textContent === 'cut off'", label,
                        "the page does not say that it is cut off")
            # What is done now is refused, and says so.
            person.browser.evaluate("document.querySelector('.event-list').focus(); 1")
            browser.press("w")
            person.wait("/does not answer/.test(document.querySelector('.toast')?.textContent)", label, "an edit without a server is not refused")
            served.serve("simulated-lra", port=port)
            # A server that was started anew has another key.
            person.wait("document.querySelector('form.key input')", label, "it does not ask for the key", 20)
            found.append(one.judge(label))
            browser.evaluate("document.querySelector('form.key input').focus(); 1")
            browser.press(*served.address, "Enter")
            person.wait("document.querySelector('.timeline') && document.querySelector('.source .CodeMirror, .source-text')", label,
                        "it does not come back", 12)
            shown(person, served, label)
            person.complaints()
    tell("server", found)


def main(options):
    if not options.program:
        raise Fault("there is nothing to kill: --program says what")
    seed = int(os.environ.get("HAPRIG_SEED", time.time() % 1e6))
    rounds, rng = int(os.environ.get("HAPRIG_KILLS", "20")), random.Random(seed)
    print(f"seed {seed}", flush=True)
    with Kept.with_rigs(options.program, options.assets) as served:
        served.ask("patterns", json.dumps({"name": NAME, "text": TEXT}).encode())
        browser_killed(options.browser, served, rng, rounds)
        server_killed(options.browser, served, rng, max(1, rounds // 4))


if __name__ == "__main__":
    ran(main)
