#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""fleet.py OUT [--browser chromium|firefox] [--program HAPRIG [--assets DIR]]: looks after a fleet from the workbench's page.

With --program the page stands before `haprig serve` and a book in a PostgreSQL of its own, which is filled by `haprig fleet` and, where only an
engine could, by SQL. Jobs are seen in every state, orders are given by hand, the database falls silent and goes away, and 200 rigs are looked
through. Without --program the page stands before workbench_mock.py, which has no fleet. Pictures are kept in OUT.
Exit code: 0, or 1 where something is not as it should be, or there is no PostgreSQL (a line SKIPPED says so, and the code is 0).
"""

import contextlib
import glob
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error

import workbench_mock
from browser import Fault, make
from place import ROOT, check, CONTRAST, look, Place, ran, Served

PAGE = "document.querySelector('.page')"
ROWS = ".fleet-group .fleet-rows li"
FLEET = """
name: lab
archive: {{server: "{server}", folder: {folder}/runs}}
master: {{passwords: {folder}/passwords}}
machines: {{bench-1: {{}}, bench-2: {{}}, bench-3: {{}}, spare: {{}}}}
rigs:
  simulated-lra: {{machine: bench-1, file: /rigs/simulated-lra.yaml, model: coinZ-170}}
  lra-2: {{machine: bench-1, file: /rigs/lra-2.yaml, model: coinZ-170}}
  simulated-vcm: {{machine: bench-2, file: /rigs/simulated-vcm.yaml, model: voice-coil-9}}
  vcm-2: {{machine: bench-2, file: /rigs/vcm-2.yaml, model: voice-coil-9}}
  erm-1: {{machine: bench-2, file: /rigs/erm-1.yaml}}
  lra-3: {{machine: bench-3, file: /rigs/lra-3.yaml, model: coinZ-170}}
plans:
  nightly: {{do: nightly, file: /etc/haprig/plans/nightly.yaml, rigs: all, at: 02:00, days: [mon, tue, wed, thu, fri], limit: 60 min}}
  smoke: {{do: run, file: /etc/haprig/plans/smoke.yaml, rigs: {{model: coinZ-170}}, limit: 60 s}}
  look: {{do: check, rigs: [simulated-vcm, vcm-2]}}
"""
# In a row what its cells say, by the rig's or the job's name.
TOLD = """Object.fromEntries([...document.querySelectorAll(%r)].map((one) => [one.dataset.name,
  [...one.children].slice(0, 3).map((cell) => cell.textContent.replace(/\\s+/g, ' ').trim())]))"""


class Server:
    """A PostgreSQL on a socket in a folder of its own; `with Server() as server:` ends it."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="haprig-book-")
        self.programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))[-1]
        self.as_user, self.databases = [], 0
        if os.getuid() == 0:
            shutil.chown(self.folder, "postgres")
            self.as_user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        subprocess.run([*self.as_user, f"{self.programs}/initdb", "-D", f"{self.folder}/data", "-U", "rig", "-A", "trust", "-E", "UTF8", "--locale=C",
                        "--no-sync"], cwd=self.folder, check=True, capture_output=True)
        self.start()

    @staticmethod
    def missing():
        """Why there can be none here."""
        if not glob.glob("/usr/lib/postgresql/*/bin/postgres"):
            return "there is no server below /usr/lib/postgresql"
        return "there is no psql" if not shutil.which("psql") else ""

    def start(self):
        with open(f"{self.folder}/server.log", "a", encoding="utf-8") as log:
            self.process = subprocess.Popen([*self.as_user, f"{self.programs}/postgres", "-D", f"{self.folder}/data", "-k", self.folder, "-c",
                                             "listen_addresses=", "-c", "fsync=off"], cwd=self.folder, stdout=log, stderr=log, start_new_session=True)
        end = time.monotonic() + 30
        while subprocess.run([f"{self.programs}/pg_isready", "-q", "-h", self.folder], check=False).returncode:
            if time.monotonic() > end:
                raise Fault("PostgreSQL does not start")
            time.sleep(0.1)

    def tell(self, number):
        """Sends a signal to the server and to all that it has started, each of which has a group of its own."""
        children = subprocess.run(["ps", "-o", "pid=", "--ppid", str(self.process.pid)], capture_output=True, text=True, check=False).stdout.split()
        for one in [self.process.pid, *map(int, children)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(one, number)

    def stop(self):
        self.tell(signal.SIGCONT)
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(20)

    def database(self):
        self.databases += 1
        self.sql("postgres", f"create database lab{self.databases}")
        return f"lab{self.databases}"

    def address(self, database):
        return f"postgresql:///{database}?host={self.folder}&user=rig"

    def sql(self, database, *statements, file=None):
        """Runs statements, and gives the rows of what they say."""
        words = [word for one in statements for word in ("-c", one)] + (["-f", file] if file else [])
        ended = subprocess.run(["psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-U", "rig", "-d", database, *words], capture_output=True,
                               text=True, timeout=60, check=False)
        if ended.returncode:
            raise Fault(f"psql: {ended.stderr}")
        return ended.stdout.split("\n")[:-1]

    @contextlib.contextmanager
    def clerk(self, database):
        """What a master at work leaves in the database: the lock of its clerk."""
        with subprocess.Popen(["psql", "-qAtX", "-h", self.folder, "-U", "rig", "-d", database], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as session:
            session.stdin.write("select pg_advisory_lock(1751216130), 'locked';\n")
            session.stdin.flush()
            if "locked" not in session.stdout.readline():
                raise Fault("the clerk's lock cannot be had")
            yield
            session.stdin.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


class Lab:
    """A fleet: its file, its book, and what is done by the command."""

    def __init__(self, program, server, folder):
        self.program, self.server, self.folder = program, server, folder
        self.file, self.name = os.path.join(folder, "fleet.yaml"), server.database()
        self.write(FLEET.format(server=server.address(self.name), folder=folder))

    def write(self, text):
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(text)

    def make_book(self):
        """The tables, as the first master makes them."""
        self.sql(file=os.path.join(ROOT, "fleet/haprig_fleet/book.sql"))

    def sql(self, *statements, file=None):
        return self.server.sql(self.name, *statements, file=file)

    def haprig(self, *words):
        ended = subprocess.run([self.program, "fleet", *words, "--fleet", self.file], capture_output=True, text=True, timeout=60, check=False)
        if ended.returncode:
            raise Fault(f"haprig fleet {' '.join(words)}: {ended.returncode} {ended.stderr}")
        return ended.stdout

    def order(self, plan, rig, **columns):
        """A job that the command orders; of its row the columns that the engine would write."""
        stamp = len(self.sql("select 1 from haprig.fleet_jobs"))
        job = f"{plan}/{rig}/by-ada-{stamp}"
        task = '{"do": "check", "file": "", "arguments": [], "limit": 60, "attempts": 5, "reserved": "wait"}'
        self.sql(f"select haprig.fleet_order('{job}', '{plan}', '{rig}', '{task}', now(), 0, 'ada asked')")
        self.change(job, **columns)
        return job

    def change(self, job, **columns):
        if columns:
            self.sql(f"update haprig.fleet_jobs set {', '.join(f'{name} = {value}' for name, value in columns.items())} where id = '{job}'")

    def ended(self, plan, rig, code, minutes, said=""):
        return self.order(plan, rig, state="'done'", code=code, attempts=1, said=f"'{said}'", due=f"now() - interval '{minutes + 10} min'",
                          began=f"now() - interval '{minutes + 9} min'", ended=f"now() - interval '{minutes} min'")

    def job(self, job):
        """State and what is said of a job."""
        return self.sql(f"select state, coalesce(said, ''), ended is not null from haprig.fleet_jobs where id = '{job}'")[0].split("|")


def filled(lab, run):
    """Jobs in every state; `run` is the job of which the archive has a run."""
    lab.make_book()
    lab.ended("nightly", "simulated-vcm", 1, 190, "latency.transport: fail")
    lab.ended("nightly", "lra-2", 75, 60, "the rig is reserved")
    lab.ended("smoke", "vcm-2", 3, 25, "no sound card answers")
    lab.sql(f"""insert into haprig.fleet_jobs (id, plan, rig, task, state, attempts, code, due, began, ended) select '{run}', 'nightly', 'simulated-lra', task,
      'done', 1, 0, now() - interval '5 h', now() - interval '5 h', now() - interval '4 h' from haprig.fleet_jobs limit 1""")
    jobs = {
        "running": lab.order("nightly", "lra-2", state="'given'", attempts=1, buildset=1, began="now() - interval '12 min'"),
        "begins": lab.order("look", "vcm-2", state="'given'", attempts=1, buildset=2),
        "stopping": lab.order("smoke", "simulated-vcm", state="'given'", attempts=1, buildset=3, began="now() - interval '2 min'"),
        "late": lab.order("smoke", "simulated-lra", due="now() - interval '3 h'"),
        "again": lab.order("nightly", "erm-1", attempts=2, said="'exit code 75'", not_before="now() + interval '4 min'"),
    }
    lab.haprig("cancel", jobs["stopping"], "--by", "ada")
    (jobs["waiting"],) = lab.haprig("run", "look", "--rig", "vcm-2", "--detach", "--by", "ada").split()
    (jobs["cancelled"],) = lab.haprig("run", "smoke", "--rig", "lra-3", "--detach", "--by", "ada").split()
    lab.haprig("cancel", jobs["cancelled"], "--by", "bob")
    lab.haprig("reserve", "erm-1", "--for", "2 h", "--why", "new mount", "--by", "anna", "--no-wait")
    lab.haprig("drain", "bench-3", "--why", "dust in the fan", "--by", "bob")
    return jobs


class Looker:
    """The page of the fleet."""

    def __init__(self, place, served, lab):
        self.place, self.browser, self.served, self.lab = place, place.browser, served, lab

    def open(self, query=""):
        self.place.go("#/bench")
        self.place.go("#/fleet" + query, f"document.querySelector({ROWS!r})")

    def rows(self):
        return self.browser.evaluate(TOLD % ROWS)

    def queue(self):
        return self.browser.evaluate(TOLD % ".fleet > .card > .fleet-rows li")

    def text(self):
        return self.browser.evaluate(f"{PAGE}.textContent")

    def press(self, key):
        self.browser.evaluate(f"document.querySelector('[data-key=\"{key}\"]').click(); 1")

    def set(self, key, value):
        self.browser.evaluate(f"(() => {{ const one = document.querySelector('dialog [data-key=\"{key}\"], [data-key=\"{key}\"]'); one.value = {value!r};"
                              " one.dispatchEvent(new Event('input')); one.dispatchEvent(new Event('change')); return 1; }})()".replace("}})()", "})()"))

    def go(self):
        """Carries out what the dialog asks; it closes."""
        self.press("go")
        self.place.wait("!document.querySelector('dialog')", "dialog", f"it stays: {self.browser.evaluate('document.body.textContent.slice(-300)')}")

    def ask(self, path, body=None):
        """Status and JSON of an answer of the API."""
        try:
            head, text = self.served.ask(path, json.dumps(body).encode() if body is not None else None)
            return head.status, json.loads(text)
        except urllib.error.HTTPError as refusal:
            return refusal.code, json.loads(refusal.read())

    def shows(self, expression, page, text, seconds=9.0):
        return self.place.wait(expression, page, text, seconds)


def check_answers(looker):
    """The API says what the command says, and refuses what it refuses."""
    lab = looker.lab
    status, told = looker.ask("fleet")
    own = json.loads(lab.haprig("status", "--json"))
    check(status == 200 and {**told, "now": 0} == {**own, "now": 0} and abs(told["now"] - own["now"]) < 30, "api", "the fleet is not told as by the command")
    check(looker.ask("fleet/file")[1] == json.loads(subprocess.run([lab.program, "fleet", "check", lab.file, "--json"], capture_output=True, check=True).stdout),
          "api", "the file is not told as by the command")
    refusals = [
        ("run", {"plan": "smok"}, 422, "did you mean"), ("run", {"plan": "smoke", "rig": "lra-9"}, 422, "no rig 'lra-9'"),
        ("run", {"plan": "smoke", "model": "x"}, 422, "has the model 'x'"), ("cancel", {"jobs": ["no/such/job"]}, 422, "knows no job"),
        ("reserve", {"rig": "erm-1", "for": "1 h", "why": "me"}, 409, "reserved by anna (new mount)"),
        ("reserve", {"rig": "lra-3", "for": "2 weeks", "why": "me"}, 422, "a number of s, min, h or d"),
        ("reserve", {"rig": "lra-3", "for": "0 s", "why": "me"}, 422, "1 min to 30 d"), ("release", {"rig": "lra-3"}, 422, "is not reserved"),
        ("drain", {"machine": "bench-9", "why": "x"}, 422, "no machine 'bench-9'"), ("undrain", {"machine": "bench-1"}, 422, "is not drained"),
    ]
    for order, body, wanted, words in refusals:
        status, answer = looker.ask(f"fleet/{order}", body)
        check(status == wanted and words in answer["error"]["message"], "api", f"{order} {body}: {status} {answer}")
    # As the command: an order outlives who gave it.
    status, answer = looker.ask("fleet/run", {"plan": "look", "by": "carl"})
    check(status == 201 and len(answer["jobs"]) == 2 and all("/by-carl-" in one and lab.job(one)[0] == "waiting" for one in answer["jobs"]), "api", f"run: {answer}")
    status, answer = looker.ask("fleet/cancel", {"jobs": answer["jobs"], "by": "carl"})
    check(status == 200 and all(one["cancelled"] for one in answer["jobs"]) and lab.job(answer["jobs"][0]["job"])[1] == "cancelled by carl", "api", f"cancel: {answer}")
    check(not any(one["cancelled"] for one in looker.ask("fleet/cancel", {"jobs": [answer["jobs"][0]["job"]]})[1]["jobs"]), "api", "it cancels what is over")
    lab.sql("delete from haprig.fleet_jobs where id like '%by-carl%'")
    print(f"api: as the command, {len(refusals)} refusals")


def check_shown(looker, jobs, run):
    """What each rig does, what waits, what came of the last jobs."""
    browser, place = looker.browser, looker.place
    place.go("#/bench")
    place.press("g", "e")
    looker.shows(f"document.querySelectorAll({ROWS!r}).length === 6", "way", "g e does not lead to six rigs")
    check(browser.evaluate("document.querySelector('#pages [data-page=fleet]').getAttribute('aria-current')") == "page", "way", "the bar does not say where it is")
    place.press("?")
    keys = browser.evaluate("document.querySelector('dialog.keys').textContent")
    check(all(one in keys for one in ("Fleet", "Run a plan", "by machine, or by model")), "way", "the keys of the page are not listed")
    place.press("Escape")
    rows = looker.rows()
    wanted = {
        "lra-2": (["running", "nightly for 1"], ["not done, rig held", "nightly", "1 h ago"]), "vcm-2": (["look, begins", "1 job waits"], ["fault (3)", "no sound card answers"]),
        "simulated-vcm": (["running", "smoke, is being stopped"], ["fail", "3 h ago"]), "simulated-lra": (["waiting", "1 job waits", "overdue"], ["nightly"]),
        "erm-1": (["reserved", "anna, new mount", "left (until 20", "1 job waits"], ["no job yet"]), "lra-3": (["drained"], ["cancelled", "smoke", "cancelled by bob"]),
    }
    for rig, (now, last) in wanted.items():
        for words, cell, name in ((now, 1, "now"), (last, 2, "last")):
            check(all(one in rows[rig][cell] for one in words), name, f"{rig}: {rows[rig][cell]!r} without {words}")
    groups = browser.evaluate("[...document.querySelectorAll('.fleet-group h2')].map((one) => one.textContent)")
    check(groups == ["bench-1", "bench-2", "bench-3", "spare"], "groups", f"there are {groups}")
    check("bob: dust in the fan" in looker.text() and "No master is at work" in looker.text(), "notices", "who drained a machine, or that no master is there, is not told")
    notices = browser.evaluate("[...document.querySelectorAll('.fleet-notice section')].map((one) => one.textContent.replace(/\\s+/g, ' '))")
    check(len(notices) == 3 and "simulated-lra smoke, 3 h" in notices[0] and "late" in notices[0] and "erm-1 anna: new mount" in notices[1] and "bench-3" in notices[2], "notices", f"told is {notices}")
    queue = looker.queue()
    check(set(queue) == {jobs[one] for one in ("running", "begins", "stopping", "late", "again", "waiting")}, "queue", f"it has {list(queue)}")
    check(queue[jobs["again"]][1].count("try 2") and "exit code 75" in queue[jobs["again"]][1] and "since 3 h" in queue[jobs["late"]][1], "queue", f"told is {queue}")
    check(browser.evaluate(f"document.querySelector('[data-key=\"cancel-{jobs['stopping']}\"]').disabled"), "queue", "what is being stopped can be cancelled")
    # The run of a job in this archive, with its own verdict.
    looker.shows(f"document.querySelector('[data-key=\"run-{run}\"]')", "run", "the run of a job is not linked")
    place.complaints()
    looker.press(f"run-{run}")
    place.wait("location.hash.startsWith('#/runs/') && document.querySelector('main h1')", "run", "the link does not lead to the run")
    looker.open()
    print(f"shown: {len(rows)} rigs, {len(queue)} jobs, {', '.join(groups)}")


def check_steady(looker, jobs):
    """It redraws by itself, and leaves focus, scroll and what is pressed alone."""
    browser, place, lab = looker.browser, looker.place, looker.lab
    place.size(800, 500)
    browser.front()
    browser.evaluate("document.querySelector('[data-key=hold-lra-3]').focus(); scrollTo(0, 420); window.rowBefore = document.querySelector('[data-key=hold-lra-3]'); 1")
    scroll = browser.evaluate("scrollY")
    job = lab.order("smoke", "lra-2")
    lab.change(jobs["begins"], began="now()")
    looker.shows(f"/look for \\d/.test((document.querySelector('[data-name=vcm-2]') ?? {PAGE}).textContent)", "redraw", "it does not redraw")
    check(browser.evaluate("document.activeElement.dataset.key") == "hold-lra-3" and browser.evaluate("rowBefore === document.activeElement"), "redraw", "the focus has moved")
    check(abs(browser.evaluate("scrollY") - scroll) < 60, "redraw", f"it scrolled from {scroll} to {browser.evaluate('scrollY')}")
    lab.change(job, state="'cancelled'", ended="now()")
    # A row that changes under the focus keeps it.
    browser.evaluate("document.querySelector('[data-key=run-on-vcm-2]').focus(); 1")
    lab.change(jobs["begins"], began="null")
    looker.shows("/look, begins/.test(document.querySelector('[data-name=vcm-2]').textContent)", "redraw", "it does not redraw again")
    check(browser.evaluate("document.activeElement.dataset.key") == "run-on-vcm-2", "redraw", "a row that changes loses the focus")
    # The clock of a row goes on without the server, and a page that is hidden asks nothing.
    browser.evaluate("window.asked = 0; const ask = window.fetch; window.fetch = (...all) => { asked += 1; return ask(...all); };"
                     " Object.defineProperty(document, 'hidden', { value: true, configurable: true }); 1")
    time.sleep(3.5)
    browser.evaluate("asked = 0; 1")
    time.sleep(5)
    check(browser.evaluate("asked") == 0, "hidden", "a page that is hidden goes on asking")
    browser.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange')); 1")
    looker.shows("asked > 0", "hidden", "it does not ask again when it is seen", 2)
    # Keys.
    browser.evaluate("document.querySelector('[data-key=\"row-simulated-lra\"]').focus(); 1")
    place.press("ArrowDown")
    check(browser.evaluate("document.activeElement.dataset.name") == "lra-2", "keys", "Down does not go to the next rig")
    place.press("Home", "Enter")
    place.wait("document.querySelector('dialog [data-key=on]')?.value === 'rig:simulated-lra'", "keys", "Enter does not run a plan on the rig")
    place.press("Escape")
    check(browser.evaluate("document.activeElement.dataset.name") == "simulated-lra", "keys", "the focus does not come back from a dialog")
    stops = browser.evaluate("[...document.querySelectorAll('.fleet-group .fleet-rows')].filter((one) => one.childElementCount).map((one) => [...one.querySelectorAll('[tabindex=\"0\"], button:not([tabindex])')].filter((each) => each.matches('li')).length)")
    check(set(stops) == {1}, "keys", f"a list has {stops} stops")
    browser.evaluate("document.activeElement.blur(); 1")
    place.press("m")
    looker.shows("document.querySelector('.fleet-group[aria-label=\"coinZ-170\"]')", "keys", "m does not group by model", 2)
    groups = browser.evaluate("[...document.querySelectorAll('.fleet-group h2')].map((one) => one.textContent)")
    check(groups == ["coinZ-170", "voice-coil-9", "No model"], "groups", f"by model there are {groups}")
    place.press("m", "/")
    check(browser.evaluate("document.activeElement.dataset.key") == "filter", "keys", "/ does not lead to the filter")
    for text, rigs in (("anna", ["erm-1"]), ("BENCH-1", ["simulated-lra", "lra-2"]), ("nothing has this", [])):
        looker.set("filter", text)
        check(list(looker.rows()) == rigs, "filter", f"{text}: {list(looker.rows())}")
    looker.set("filter", "")
    looker.set("state", "overdue")
    check(list(looker.rows()) == ["simulated-lra"], "filter", f"overdue: {list(looker.rows())}")
    looker.set("state", "")
    place.size(1280, 900)
    print("steady: focus and scroll stay, keys lead everywhere, a hidden page asks nothing")


def check_orders(looker, jobs):
    """Each order by hand, and what comes of it in the book."""
    browser, place, lab = looker.browser, looker.place, looker.lab
    looker.open()
    browser.evaluate("localStorage.clear(); document.activeElement.blur(); 1")
    place.press("r")
    place.wait("document.querySelector('dialog [data-key=plan]')", "run", "r does not ask for a plan")
    looker.set("plan", "smoke")
    check("3 rigs" in browser.evaluate("document.querySelector('dialog [data-key=on]').textContent"), "run", "it does not say on how many rigs")
    looker.set("by", "a b")
    looker.press("go")
    check(browser.evaluate("Boolean(document.querySelector('dialog input:invalid'))"), "run", "a name that ids cannot carry is taken")
    looker.set("by", "dora")
    browser.screenshot(os.path.join(place.out, "fleet-run.png"))
    looker.go()
    looker.shows("/Ordered: smoke on 3 rigs/.test(document.querySelector('#fleet-order')?.textContent ?? '')", "run", "what was ordered is not followed")
    ordered = lab.sql("select id from haprig.fleet_jobs where id like '%by-dora-%' order by rig")
    check(len(ordered) == 3, "run", f"ordered is {ordered}")
    lab.change(ordered[1], state="'done'", code=1, began="now()", ended="now()", said="'drift: fail'")
    lab.change(ordered[2], state="'done'", code=0, began="now()", ended="now()")
    looker.shows("/1 waits/.test(document.querySelector('#fleet-order').closest('section').textContent) && /1 pass.*1 fail|1 fail.*1 pass/.test(document.querySelector('#fleet-order').closest('section').textContent)", "run", "how it goes is not told")
    check("drift: fail" in browser.evaluate("document.querySelector('#fleet-order').closest('section').textContent"), "run", "what failed is not told")
    browser.screenshot(os.path.join(place.out, "fleet-followed.png"))
    # Cancelled only once that is confirmed.
    looker.press(f"cancel-{ordered[0]}")
    place.wait("document.querySelector('dialog')", "cancel", "it does not ask")
    browser.screenshot(os.path.join(place.out, "fleet-cancel.png"))
    browser.evaluate("[...document.querySelectorAll('dialog button')].find((one) => one.textContent === 'Let it go on').click(); 1")
    check(lab.job(ordered[0])[0] == "waiting", "cancel", "it is cancelled without a word")
    looker.press(f"cancel-{ordered[0]}")
    looker.go()
    check(lab.job(ordered[0]) == ["cancelled", "cancelled by dora", "t"], "cancel", f"it is {lab.job(ordered[0])}")
    looker.shows("/1 cancelled/.test(document.querySelector('#fleet-order').closest('section').textContent)", "cancel", "it is followed still")
    looker.press("forget")
    looker.press(f"cancel-{jobs['running']}")
    check("drive goes to zero" in browser.evaluate("document.querySelector('dialog').textContent"), "cancel", "it does not say what becomes of a job that runs")
    looker.go()
    check(lab.job(jobs["running"])[0] == "cancelled" and lab.job(jobs["running"])[2] == "f", "cancel", f"it is {lab.job(jobs['running'])}")
    # Reserved, and released.
    looker.press("hold-lra-2")
    looker.set("for", "90")
    looker.set("unit", "min")
    looker.press("go")
    check(browser.evaluate("document.querySelector('dialog [data-key=why]').matches(':invalid')"), "reserve", "it takes no reason")
    looker.set("why", "glue dries")
    browser.screenshot(os.path.join(place.out, "fleet-reserve.png"))
    looker.go()
    check("ends first" in browser.evaluate("document.querySelector('.toast').textContent"), "reserve", "that a job has the rig still is not told")
    check(lab.sql("select who, why, round(extract(epoch from until - since) / 60) from haprig.fleet_holds where rig = 'lra-2'") == ["dora|glue dries|90"], "reserve", "the book has another hold")
    looker.shows("/dora, glue dries/.test(document.querySelector('[data-name=lra-2]').textContent)", "reserve", "it is not shown")
    looker.press("hold-lra-2")
    looker.shows("/Reserve/.test(document.querySelector('[data-key=hold-lra-2]').textContent)", "release", "one's own rig is not released at once")
    looker.press("hold-erm-1")
    place.wait("document.querySelector('dialog')", "release", "another one's rig is released without a word")
    check("anna has it: new mount" in browser.evaluate("document.querySelector('dialog').textContent"), "release", "it does not say whose it is")
    place.press("Escape")
    check(lab.sql("select count(*) from haprig.fleet_holds where released is null") == ["1"], "release", "another one's hold is gone")
    # A machine.
    looker.press("drain-bench-1")
    looker.set("why", "kernel")
    looker.go()
    looker.shows("/dora: kernel/.test(document.querySelector('.fleet-group[aria-label=bench-1]').textContent)", "drain", "it is not shown")
    looker.press("drain-bench-1")
    looker.shows("!/kernel/.test(document.querySelector('.fleet-group[aria-label=bench-1]').textContent)", "undrain", "it is not shown")
    check(lab.sql("select machine from haprig.fleet_drains") == ["bench-3"], "undrain", "the book has other machines")
    # A refusal is a sentence, and leaves what was typed.
    looker.press("hold-lra-3")
    looker.set("why", "second")
    lab.haprig("reserve", "lra-3", "--for", "1 h", "--why", "first", "--by", "emil", "--no-wait")
    looker.press("go")
    place.wait("/reserved by emil \\(first\\)/.test(document.querySelector('.toast')?.textContent ?? '')", "refusal", "who was quicker is not told")
    check(browser.evaluate("document.querySelector('dialog [data-key=why]').value") == "second", "refusal", "what was typed is gone")
    place.press("Escape")
    lab.haprig("release", "lra-3")
    place.complaints(expected=["409"])
    with lab.server.clerk(lab.name):
        looker.shows(f"!/No master is at work/.test({PAGE}.textContent)", "master", "that a master is at work is not seen")
    looker.shows(f"/No master is at work/.test({PAGE}.textContent)", "master", "that the master is gone is not seen")
    print("orders: run and followed, cancelled, reserved, released, drained, undrained, refused")


def check_away(looker):
    """A database that says nothing, or is not there: what was known stays and is marked old; nothing else waits."""
    browser, place, lab = looker.browser, looker.place, looker.lab
    looker.open()
    before = list(looker.rows())
    lab.server.tell(signal.SIGSTOP)
    looker.shows("/database does not answer/.test(document.querySelector('.stale-words')?.textContent ?? '')", "silent", "it is not told", 16)
    began = time.monotonic()
    looker.ask("bench")
    looker.ask("fleet/file")
    check(time.monotonic() - began < 2, "silent", "other answers wait for the database")
    check(list(looker.rows()) == before and browser.evaluate("document.querySelector('.page').classList.contains('old')"), "silent", "what was known is gone, or not marked old")
    lab.server.tell(signal.SIGCONT)
    looker.shows("!document.querySelector('.stale-words')", "silent", "it does not come back", 16)
    lab.server.stop()
    looker.shows("/cannot be reached/.test(document.querySelector('.stale-words')?.textContent ?? '')", "away", "it is not told", 12)
    time.sleep(2)
    words = browser.evaluate("document.querySelector('.stale-words').textContent")
    check("old." in words and list(looker.rows()) == before, "away", f"told is {words!r}")
    looker.press("hold-lra-3")
    looker.set("why", "x")
    looker.press("go")
    place.wait("/cannot be reached/.test(document.querySelector('.toast')?.textContent ?? '')", "away", "that an order cannot be given is not told")
    place.press("Escape")
    for width, dark in ((1280, False), (390, True)):
        place.size(width, 900, dark)
        browser.settle()
        for one in browser.evaluate(CONTRAST)["bad"]:
            check(False, "away", f"contrast of {one}")
        browser.screenshot(os.path.join(place.out, f"fleet-away-{width}.png"))
    place.size(1280, 900)
    lab.server.start()
    looker.shows("!document.querySelector('.stale-words')", "away", "it does not come back", 12)
    place.complaints(expected=["422", "503"])
    print(f"away: {words.strip()}")


def check_phone(looker):
    browser, place = looker.browser, looker.place
    looker.open()
    for dark in (False, True):
        place.size(390, 844, dark)
        browser.settle()
        over = browser.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        check(over <= 0, "phone", f"it scrolls sideways by {over} px")
        small = browser.evaluate("[...document.querySelectorAll('.fleet-rows button')].filter((one) => one.getBoundingClientRect().height < 32).length")
        check(small == 0, "phone", f"{small} buttons are too small for a finger")
        place.size(390, 2600, dark)
        browser.settle()
        browser.screenshot(os.path.join(place.out, f"fleet-390-{'dark' if dark else 'light'}.png"))
    place.size(390, 844)
    looker.press("hold-lra-3")
    browser.settle()
    browser.screenshot(os.path.join(place.out, "fleet-390-reserve.png"))
    over = browser.evaluate("(() => { const box = document.querySelector('dialog').getBoundingClientRect(); return box.right - innerWidth; })()")
    check(over <= 0, "phone", "the dialog is wider than the phone")
    place.press("Escape")
    place.size(1280, 900)


def check_many(looker):
    """200 rigs on 40 machines and 400 jobs that wait: looked through, and not slow."""
    browser, place, lab = looker.browser, looker.place, looker.lab
    lab.name = lab.server.database()
    rigs = "".join(f"  rig-{k:03}: {{machine: bench-{k // 5:02}, file: /rigs/{k}.yaml, model: {('coinZ-170', 'voice-coil-9', 'erm-4')[k % 3]}}}\n" for k in range(200))
    machines = ", ".join(f"bench-{k:02}: {{}}" for k in range(40))
    lab.write(f"""
name: factory
archive: {{server: "{lab.server.address(lab.name)}", folder: {lab.folder}/runs}}
master: {{passwords: {lab.folder}/passwords}}
machines: {{{machines}}}
rigs:
{rigs}
plans:
  nightly: {{do: nightly, file: /etc/nightly.yaml, rigs: all, at: 02:00}}
""")
    looker.shows("/no book of a fleet yet/.test(document.querySelector('.stale-words')?.textContent ?? '')", "nothing yet", "that there is no book is not told", 12)
    place.go("#/bench")
    browser.evaluate("location.reload(); 1")
    time.sleep(1)
    place.wait("document.querySelector('#pages [data-page=fleet]')", "nothing yet", "the page is not there after it was loaded again")
    place.go("#/fleet", "document.querySelector('.empty')")
    check("no book of a fleet yet: start the fleet's master once" in looker.text(), "nothing yet", "what is to be done is not told")
    browser.screenshot(os.path.join(place.out, "fleet-nothing-yet.png"))
    place.complaints(expected=["422"])
    lab.make_book()
    looker.shows(f"document.querySelectorAll({ROWS!r}).length === 200", "nothing yet", "a book that is made is not seen", 12)
    check("Nothing runs, and nothing waits." in looker.text() and "no job yet" in looker.text(), "nothing yet", "an empty book is not told")
    task = '{"do": "nightly", "file": "/n", "arguments": [], "limit": 3600, "attempts": 5, "reserved": "wait"}'
    lab.sql(f"""insert into haprig.fleet_jobs (id, plan, rig, task, state, attempts, code, due, began, ended)
      select 'nightly/rig-' || lpad(k::text, 3, '0') || '/2026-11-' || d, 'nightly', 'rig-' || lpad(k::text, 3, '0'), '{task}', 'done', 1,
        (case when k % 17 = 0 then 1 when k % 41 = 0 then 3 else 0 end), now() - interval '1 day' * (31 - d), now() - interval '1 day' * (31 - d),
        now() - interval '1 day' * (31 - d) + interval '20 min' from generate_series(0, 199) k, generate_series(10, 30) d""",
            f"""insert into haprig.fleet_jobs (id, plan, rig, task, due) select 'nightly/rig-' || lpad(k::text, 3, '0') || '/2026-12-0' || d, 'nightly',
        'rig-' || lpad(k::text, 3, '0'), '{task}', now() from generate_series(0, 199) k, generate_series(1, 2) d""",
            "update haprig.fleet_jobs set state = 'given', buildset = 1, attempts = 1, began = now() where id like 'nightly/rig-__3/2026-12-01'")
    looker.shows("/380 wait/.test(document.getElementById('fleet-queue').textContent)", "many", "400 jobs are not told", 12)
    answers = []
    for _ in range(10):
        began = time.monotonic()
        looker.ask("fleet")
        answers.append(1000 * (time.monotonic() - began))
    # Redraws in which nothing has changed, and one in which each rig has. Chromium alone tells of tasks, and of those from 50 ms on.
    browser.evaluate("window.tasks = []; new PerformanceObserver((list) => tasks.push(...list.getEntries().map((one) => one.duration))).observe({ type: 'longtask' }); 1")
    lab.sql("update haprig.fleet_jobs set said = 'told again' where state = 'done'", "update haprig.fleet_jobs set code = 1 where state = 'done' and code = 0")
    looker.shows("[...document.querySelectorAll('.fleet-last')].filter((one) => one.textContent.includes('told again')).length === 200", "many", "not each rig is drawn again")
    time.sleep(4)
    long = browser.evaluate("PerformanceObserver.supportedEntryTypes.includes('longtask') ? tasks : null")
    lab.sql("update haprig.fleet_jobs set code = 0 where id ~ '^nightly/rig-...' and state = 'done' and substr(id, 13, 3)::int % 17 <> 0 and substr(id, 13, 3)::int % 41 <> 0")
    looker.shows("[...document.querySelectorAll('.fleet-last')].filter((one) => one.textContent.includes('told again')).length === 16", "many", "they are not drawn as they were")
    browser.screenshot(os.path.join(place.out, "fleet-200.png"))
    for one in browser.evaluate(CONTRAST)["bad"]:
        check(False, "many", f"contrast of {one}")
    looker.set("filter", "bench-07")
    check(len(looker.rows()) == 5, "many", f"of one machine are {len(looker.rows())}")
    looker.set("filter", "")
    looker.set("state", "not passed")
    check(len(looker.rows()) == 16, "many", f"not passed have {len(looker.rows())}")
    looker.set("state", "")
    place.press("Escape")
    browser.evaluate("document.activeElement.blur(); 1")
    place.press("m")
    looker.shows("document.querySelectorAll('.fleet-group').length === 3", "many", "there are not three models", 3)
    looker.press("all")
    looker.shows("document.querySelectorAll('.fleet > .card > .fleet-rows li').length === 400", "many", "all jobs are not shown", 3)
    looker.press("all")
    # All that waits on one machine's rigs is cancelled together.
    looker.set("filter", "rig-01")
    looker.press("cancel-all")
    check("Cancel 20 jobs" in browser.evaluate("document.querySelector('dialog').textContent"), "many", browser.evaluate("document.querySelector('dialog').textContent"))
    looker.go()
    check(lab.sql("select count(*) from haprig.fleet_jobs where state = 'cancelled'") == ["20"], "many", "others are cancelled")
    looker.set("filter", "")
    place.press("m")
    for width, height, dark in ((390, 844, True), (2560, 1300, False)):
        place.size(width, height, dark)
        browser.settle()
        over = browser.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        check(over <= 0, "many", f"it scrolls sideways by {over} px")
        browser.screenshot(os.path.join(place.out, f"fleet-200-{width}.png"))
    place.size(1280, 900)
    check(sorted(answers)[5] < 200, "many", f"an answer takes {answers} ms")
    print(f"many: 200 rigs and 400 jobs are told in {sorted(answers)[5]:.0f} ms, a page that draws all of them again "
          + ("does not tell of its tasks" if long is None else f"has tasks of {', '.join(f'{one:.0f}' for one in sorted(long))} ms" if long else "has no task of 50 ms"))


def check_none(place, out):
    """Without a fleet: no place in the bar, and a sentence where keys lead."""
    browser = place.browser
    place.go("#/bench")
    check(not browser.evaluate("document.querySelector('#pages [data-page=fleet]')"), "none", "a fleet that is not there has a place in the bar")
    place.press("g", "e")
    place.wait("location.hash === '#/fleet' && document.querySelector('.empty')", "none", "g e does not lead there")
    words = browser.evaluate("document.querySelector('.empty').textContent")
    check("haprig serve --fleet fleet.yaml" in words, "none", f"told is {words!r}")
    look(place, "fleet-none", "#/fleet", "document.querySelector('.empty')", out)


def main(options):
    with contextlib.ExitStack() as all_:
        if not options.program:
            _, address = workbench_mock.serve(runs=5)
            browser = all_.enter_context(make(options.browser, width=1280, height=900))
            place = Place(browser, address)
            place.complaints(expected=["401"])
            return check_none(place, options.out)
        if Server.missing():
            print(f"SKIPPED the fleet's page: {Server.missing()}")
            return None
        server = all_.enter_context(Server())
        folder = all_.enter_context(tempfile.TemporaryDirectory(prefix="haprig-fleet-"))
        lab = Lab(options.program, server, folder)
        day = time.strftime("%Y-%m-%d", time.gmtime())
        run = f"nightly/simulated-lra/{day}"
        # Making the archive's tables is the first command's.
        subprocess.run([options.program, "fleet", "status", "--fleet", lab.file], capture_output=True, check=False)
        jobs = filled(lab, run)
        served = all_.enter_context(Served.with_rigs(options.program, options.assets, "--fleet", lab.file))
        served.do("run", served.path("rigs/patterns/taps-and-clicks.ahap"), "--rig", served.path("rigs/simulated-lra.yaml"), "--archive", served.path("archive"),
                  "--job", run, "--quiet", status=(0, 1))
        browser = all_.enter_context(make(options.browser, width=1280, height=900))
        place = Place(browser, served.address)
        place.out = options.out
        place.complaints(expected=["401"])
        looker = Looker(place, served, lab)
        check_answers(looker)
        check_shown(looker, jobs, run)
        look(place, "fleet", "#/fleet", f"document.querySelector({ROWS!r})", options.out)
        check_steady(looker, jobs)
        check_phone(looker)
        check_orders(looker, jobs)
        for complaint in place.complaints():
            check(False, "fleet", complaint)
        check_away(looker)
        check_many(looker)
        for complaint in place.complaints():
            check(False, "fleet", complaint)
    return None


if __name__ == "__main__":
    ran(main)
