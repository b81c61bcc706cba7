#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tutorial.py [DOCUMENT ...]: types the commands of a document as a reader would, and compares what they print with what it shows.

Without an argument the document is docs/TUTORIAL.md. What counts in a document:

  ```console         Lines that begin with '$ ' are commands; a command that ends in '\\' goes on in the next line. The lines below a
                     command are its output, standard output and error together, as a terminal shows them. Commands run in order, each
                     with 'sh -c', so 'cd' and 'export' do not last; '$?' is the exit code of the command before.
  ```console no-run  Not run: commands that need a sound card, sudo, make or git.
  as `NAME`:         A line with this end before any other fenced block: the block is written to the file NAME.
  ...                A line of output with these three dots alone stands for any number of lines, or none.

The folder is new and has a copy of rigs/. Every command must end with 0, unless the next one is 'echo $?', whose number must be the
one that is shown. Everywhere else numbers may differ (dates, names of runs, durations, uncertainties), and so may spaces and rules of
tables that are as wide as their numbers. A run's name in a command is replaced by the name that the run has here, which is known from
the output that showed it.

HAPRIG_PROGRAM is the program, .build/release/haprig where it is not set. The virtual sound card needs its plug-in,
libasound_module_pcm_haprig.so, beside it.

Exit: 0 every command does what the document shows; 1 one does not, with document and line; 2 nothing could be tried.
"""

import fcntl
import os
import pathlib
import pty
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SECONDS = 300  # the longest that a command may take
FENCE = re.compile(r"^```\s*(.*?)\s*$")
FILE = re.compile(r"\bas `([^`/][^`]*)`:$")
RUN = re.compile(r"\b\d{8}-\d{6}-[A-Za-z0-9_.-]*[A-Za-z0-9_]")
# What a run's name ends with where another began in the same second.
SUFFIX = re.compile(r"(\b\d{8}-\d{6}-[A-Za-z0-9_.-]*?)-\d+(?=[/\s]|$)")
NUMBER = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{8,}\b|\d+(?:\.\d+)?(?:e[+-]?\d+)?")
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b\][^\x07]*\x07")


class Wrong(Exception):
    def __init__(self, line, message):
        super().__init__(message)
        self.line = line


class Command:
    def __init__(self, line, text):
        self.line, self.text = line, text
        self.shown = []  # (line, text)


class File:
    def __init__(self, line, name):
        self.line, self.name = line, name
        self.lines = []


def read(text):
    """The files and commands of a document, in its order."""
    steps, block, before = [], None, ""
    for number, line in enumerate(text.splitlines(), 1):
        fence = FENCE.match(line)
        if block is None:
            if fence:
                info = fence[1].split()
                named = FILE.search(before)
                if info[:1] == ["console"]:
                    block = "skip" if "no-run" in info else "console"
                elif named:
                    block = File(number, named[1])
                    steps.append(block)
                else:
                    block = "skip"
            elif line.strip():
                before = line.rstrip()
        elif fence and not fence[1]:
            block, before = None, ""
        elif isinstance(block, File):
            block.lines.append(line)
        elif block == "console":
            last = steps[-1] if steps and isinstance(steps[-1], Command) else None
            if last and not last.shown and last.text.endswith("\\"):
                last.text = last.text[:-1] + line.strip()
            elif line.startswith("$ "):
                steps.append(Command(number, line[2:].strip()))
            elif last is None:
                raise Wrong(number, "output stands before the first command")
            else:
                last.shown.append((number, line))
    if block is not None:
        raise Wrong(len(text.splitlines()), "the last fenced block has no end")
    return steps


def as_shown(raw):
    """What a terminal shows in the end: without colors, and without progress that was erased again."""
    lines = []
    for line in raw.replace("\r\n", "\n").split("\n"):
        line = ESCAPE.sub("", line.rpartition("\r")[2]).rstrip()
        lines.append(line)
    while lines and not lines[-1]:
        lines.pop()
    return lines


def typed(command, folder, environment, last):
    """Runs a command at a terminal; gives its exit code and what the terminal shows."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 120, 0, 0))
    process = subprocess.Popen(
        ["sh", "-c", f"(exit {last})\n{command}"], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave,
        start_new_session=True)
    os.close(slave)
    output, until = b"", time.monotonic() + SECONDS
    while True:
        if time.monotonic() > until:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            os.close(master)
            return None, as_shown(output.decode(errors="replace"))
        ready, _, _ = select.select([master], [], [], 0.1)
        if ready:
            try:
                part = os.read(master, 65536)
            except OSError:  # nobody holds the other end any more
                part = b""
            if not part:
                break
            output += part
        elif process.poll() is not None:
            break
    code = process.wait()
    os.close(master)
    return code, as_shown(output.decode(errors="replace"))


def plain(line, exactly=False):
    if not exactly:
        line = re.sub(r"-{2,}", "--", NUMBER.sub("#", SUFFIX.sub(r'\1', line)))
    return re.sub(r"\s+", " ", line).strip()


def compare(shown, printed, exactly=False):
    """Pairs of lines that belong together, or the place in `shown` and in `printed` where they part."""
    wanted = [line.strip() == "..." for _, line in shown]
    left = [plain(line, exactly) for _, line in shown]
    right = [plain(line, exactly) for line in printed]
    # reached[i]: the places in `printed` at which the first i shown lines can end, each with the place that it came from.
    reached = [{0: None}]
    for index, line in enumerate(left):
        places = {}
        for place in sorted(reached[-1]):
            if wanted[index]:
                for further in range(place, len(right) + 1):
                    places.setdefault(further, place)
            elif place < len(right) and right[place] == line:
                places.setdefault(place + 1, place)
        if not places:
            return None, (index, min(reached[-1]))
        reached.append(places)
    if len(right) not in reached[-1]:
        return None, (len(shown), max(reached[-1]))
    pairs, place = [], len(right)
    for index in range(len(left), 0, -1):
        came = reached[index][place]
        if not wanted[index - 1]:
            pairs.append((shown[index - 1][1], printed[came]))
        place = came
    return pairs[::-1], None


def check(command, code, printed, names, may_fail):
    if code is None:
        raise Wrong(command.line, f"'{command.text}' took longer than {SECONDS} s")
    pairs, parted = compare(command.shown, printed, exactly=command.text == "echo $?")
    if parted:
        index, place = parted
        found = f"'{printed[place]}'" if place < len(printed) else "the end of the output"
        if index < len(command.shown):
            line, wanted = command.shown[index][0], f"'{command.shown[index][1]}'"
        else:
            line, wanted = (command.shown[-1][0] if command.shown else command.line), "the end of the output"
        raise Wrong(
            line, f"'{command.text}' prints something else.\n  the document shows: {wanted}\n  the program prints: {found}\n"
            + f"  all of it (exit code {code}):\n" + "\n".join("    " + each for each in printed))
    if code and not may_fail:
        raise Wrong(command.line, f"'{command.text}' ends with {code}, and the document does not ask for the exit code with 'echo $?'")
    for shown, found in pairs:
        for old, new in zip(RUN.findall(shown), RUN.findall(found)):
            names[old] = new


def program_folder(folder):
    path = pathlib.Path(os.environ.get("HAPRIG_PROGRAM") or ROOT / ".build/release/haprig").absolute()
    if not os.access(path, os.X_OK):
        print(f"tutorial.py: there is no program '{path}': build it, or name it in HAPRIG_PROGRAM", file=sys.stderr)
        raise SystemExit(2)
    if path.name == "haprig":
        return path.parent
    holder = pathlib.Path(folder) / "program"
    holder.mkdir()
    (holder / "haprig").symlink_to(path)
    return holder


def try_document(document):
    """How many commands were typed."""
    steps = read(document.read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory(prefix="haprig-tutorial-") as base:
        folder = pathlib.Path(base) / "work"
        folder.mkdir()
        shutil.copytree(ROOT / "rigs", folder / "rigs")
        environment = {**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8"}
        # Locks and live folders of its own: it neither waits for nor touches what else works on this machine.
        runtime = pathlib.Path(base) / "runtime"
        runtime.mkdir(mode=0o700)
        environment["XDG_RUNTIME_DIR"] = str(runtime)
        environment["PATH"] = f"{program_folder(base)}:{environment.get('PATH', '/usr/bin:/bin')}"
        last, count, names = 0, 0, {}
        for index, step in enumerate(steps):
            if isinstance(step, File):
                place = (folder / step.name).resolve()
                if not place.is_relative_to(folder.resolve()):
                    raise Wrong(step.line, f"'{step.name}' lies outside the folder of the document")
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text("".join(line + "\n" for line in step.lines), encoding="utf-8")
                continue
            following = steps[index + 1] if index + 1 < len(steps) else None
            may_fail = isinstance(following, Command) and following.text == "echo $?"
            text = RUN.sub(lambda found: names.get(found[0], found[0]), step.text)
            code, printed = typed(text, folder, environment, last)
            check(step, code, printed, names, may_fail)
            last, count = code, count + 1
        return count


def main(arguments):
    documents = [pathlib.Path(each) for each in arguments] or [ROOT / "docs/TUTORIAL.md"]
    wrong = False
    for document in documents:
        try:
            count = try_document(document)
            print(f"{document.name}: {count} commands do what the document shows")
            if not count:
                raise Wrong(1, "there is no command to try")
        except OSError as error:
            print(f"tutorial.py: {error}", file=sys.stderr)
            return 2
        except Wrong as error:
            print(f"{document}:{error.line}: {error}", file=sys.stderr)
            wrong = True
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
