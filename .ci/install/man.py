# SPDX-License-Identifier: Apache-2.0
"""man.py FOLDER: completes the manual that swift-argument-parser's generator made of the commands (FOLDER/haprig.run.1 and so on):
its pages get the names that man looks for (haprig-run), their examples stand as they are typed, and what every command shares is
told: exit codes, environment, files."""

import re
import sys
from pathlib import Path

SHARED = """\
.Sh EXIT STATUS
.Bl -tag -width 8n -compact
.It 0
pass or marginal
.It 1
a limit failed, a required reading is missing, a confirmed regression, errors of lint
.It 2
wrong usage or input
.It 3
a fault of a device, a check before the first take that failed, a full disk
.It 75
the rig is held by another process: the one outcome that is worth another try
.It 129, 130, 143
interrupted: the drive is at zero, the record is finished
.El
"""

WHOLE = """\
.Sh ENVIRONMENT
.Bl -tag -width 6n
.It Ev HAPRIG_RIG
The rig file of apps that use the CoreHaptics library.
.It Ev HAPRIG_PROFILE
The profile of such apps, or a folder of profiles.
.It Ev HAPRIG_REVISION
What is under test; it goes into the record.
.It Ev HAPRIG_ALSA_PLUGIN
The file of the virtual card's plug-in, where it is in none of the usual folders.
.It Ev HAPRIG_DYGRAPHS
The script that reports' charts are zoomed by, where it is not in the usual folder.
.It Ev NO_COLOR
Where it is set, nothing is coloured.
.It Ev XDG_RUNTIME_DIR
Below it lie the locks of rigs and what running work tells.
Who shares a rig shares this folder.
.It Ev XDG_STATE_HOME
Below it the workbench keeps its key and drafts.
.El
.Sh FILES
.Bl -tag -width 6n
.It Pa haprig.toml
Rig, plan, archive and profiles of the commands that are given none.
It is looked for in the working folder and upwards.
.It Pa reports/
Runs, a folder each, and their index.
.It Pa calibration/
Profiles of actuators.
.It Pa @PREFIX@/share/haprig/rigs/
Rigs, plans, patterns and presets to begin with.
.It Pa @PREFIX@/share/doc/haprig/
All documents.
.It Pa /etc/haprig/
Rigs and plans of the nights that systemd begins.
.El
"""


def sentences(text: str) -> str:
    """Each sentence on a line of its own, as mdoc wants it; nothing that begins a line is a request."""
    lines = re.sub(r"(?<=[A-Za-z0-9)'\"][.?!]) +(?=[A-Z'(-])", "\n", text.strip()).split("\n")
    return "\n".join(re.sub(r"^(?=[.'])", r"\\&", line) for line in lines)


def literal(lines: list[str]) -> str:
    kept = [line[2:].replace("\\", "\\e") for line in lines]
    return ".Bd -literal -offset indent\n" + "\n".join(kept) + "\n.Ed\n"


def description(text: str) -> tuple[str, str]:
    """What a command says of itself, and its examples."""
    parts: list[str] = []
    examples = ""
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        lines = block.split("\n")
        if lines[0] == "EXAMPLES":
            examples = ".Sh EXAMPLES\n" + literal(lines[1:])
        elif lines[0] == "EXIT CODES":
            continue
        elif all(line.startswith("  ") for line in lines):
            parts.append(literal(lines))
        elif len(lines) > 1 and all(line.startswith("  ") for line in lines[1:]):
            parts.append(sentences(lines[0]) + "\n" + literal(lines[1:]))
        else:
            parts.append(sentences(" ".join(lines)) + "\n")
    return ".Pp\n".join(parts), examples


def page(text: str, prefix: str) -> str:
    text = re.sub(r"(?m)^\.Dt (\S+) 1", lambda found: f".Dt {found[1].replace('.', '-')} 1", text)
    text = re.sub(r'(?m)^\.Nm "([^"]+)"', lambda found: f".Nm {found[1].replace(' ', '-')}", text, count=1)
    text = re.sub(r'(?m)^\.Nd "(.*?)\.?"$', lambda found: f".Nd {found[1]}", text)
    text = re.sub(r"(?m)^\.Xr (\S+) 1", lambda found: f".Xr {found[1].replace('.', '-')} 1", text)
    # The name that is typed, in the line that shows how.
    name = re.search(r"(?m)^\.Nm (\S+)", text)[1]
    command = name if name == "haprig" else name.replace("haprig-", "haprig ", 1)
    words = command.split()
    typed = ".Nm haprig" + "".join(f"\n.Cm {word}" for word in (words[1].split("-") if len(words) > 1 else []))
    text = re.sub(r"(?m)^\.Sh SYNOPSIS\n\.Nm$", ".Sh SYNOPSIS\n" + typed, text)

    head, rest = text.split(".Sh DESCRIPTION\n", 1)
    said, options = re.match(r"(.*?)(^\.(?:Bl|Sh).*)", rest, re.S | re.M).groups()
    options, _, seen = options.partition('.Sh "SEE ALSO"\n')
    options = options.replace('.Sh "EXIT STATUS"\n.Ex -std', "").rstrip("\n") + "\n"
    options = re.sub(r"(?m)^\.Pp\n(?=\.(?:It|El))", "", options)
    options = "\n".join(line if line.startswith(".") else sentences(line) for line in options.strip("\n").split("\n")) + "\n"
    told, examples = description(said if said.strip() else re.search(r"(?m)^\.Nd (.*)", text)[1] + ".")
    if name != "haprig":
        parent = name.rpartition("-")[0]
        seen = f".Xr {parent} 1" + (" ,\n" + seen if seen else "\n")
    after = (WHOLE.replace("@PREFIX@", prefix) if name == "haprig" else "") + SHARED + examples
    return head + ".Sh DESCRIPTION\n" + told + options + after + ".Sh SEE ALSO\n" + seen.strip("\n") + "\n"


def main() -> None:
    folder, prefix = Path(sys.argv[1]), sys.argv[2]
    pages: dict[str, str] = {}
    for file in sorted(folder.glob("haprig*.1")):
        pages[file.stem.replace(".", "-")] = page(file.read_text(), prefix)
        file.unlink()
    commands = "".join(f".It Xr {name} 1\n{re.search(r'(?m)^.Nd (.*)', text)[1]}.\n" for name, text in pages.items() if name != "haprig")
    whole = pages["haprig"].replace(".Sh ENVIRONMENT", f".Sh COMMANDS\n.Bl -tag -width 6n\n{commands}.El\n.Sh ENVIRONMENT", 1)
    pages["haprig"] = whole.split(".Sh SEE ALSO")[0]
    for name, text in pages.items():
        (folder / f"{name}.1").write_text(text)


main()
