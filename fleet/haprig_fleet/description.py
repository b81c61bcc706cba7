# SPDX-License-Identifier: Apache-2.0
"""haprig.fleet/1 as `haprig fleet check FILE --json` prints it: machines, rigs, plans, who is told.

The program has checked the file with line and column; here is checked what the plug-in relies on."""

from __future__ import annotations

import json
import re
from dataclasses import MISSING, asdict, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


class Wrong(ValueError):
    """What is wrong with a description or a secret, with its place."""


@dataclass(frozen=True)
class Archive:
    server: str
    folder: str
    store: str = ""


@dataclass(frozen=True)
class Master:
    listen: str
    page: str
    passwords: str


@dataclass(frozen=True)
class Machine:
    name: str
    haprig: str
    folder: str
    jobs: int = 1


@dataclass(frozen=True)
class Rig:
    name: str
    machine: str
    file: str


@dataclass(frozen=True)
class Task:
    """What a job takes along, so that it stays what it was when the plan is changed."""

    do: Literal["nightly", "run", "calibrate", "check"]
    file: str = ""
    arguments: tuple[str, ...] = ()
    limit: float = 7200
    attempts: int = 5
    reserved: Literal["wait", "skip"] = "wait"


@dataclass(frozen=True, kw_only=True)
class Plan(Task):
    name: str
    rigs: tuple[str, ...]
    at: tuple[str, ...] = ()
    days: tuple[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"], ...] | Literal["all"] = "all"
    catch_up: float = 43200
    priority: int = 0

    def task(self) -> dict[str, Any]:
        return asdict(Task(**{field.name: getattr(self, field.name) for field in fields(Task)}))


@dataclass(frozen=True)
class Tell:
    when: tuple[Literal["fail", "fault", "overdue"], ...]
    command: tuple[str, ...]


@dataclass(frozen=True)
class Fleet:
    schema: Literal["haprig.fleet/1"]
    name: str
    archive: Archive
    master: Master
    machines: tuple[Machine, ...]
    rigs: tuple[Rig, ...]
    plans: tuple[Plan, ...]
    tell: tuple[Tell, ...] = ()

    def machine(self, rig: str) -> Machine | None:
        """The machine that a rig is on; None of a rig that is not in the fleet any more."""
        return next((m for r in self.rigs if r.name == rig for m in self.machines if m.name == r.machine), None)


def _made(kind: Any, value: Any, place: str) -> Any:
    """The value as a field of this kind has it."""
    origin, choices = get_origin(kind), get_args(kind)
    if is_dataclass(kind) and isinstance(kind, type) and isinstance(value, dict):
        made, hints = {}, get_type_hints(kind)
        for field in fields(kind):
            key = re.sub("_(.)", lambda found: found[1].upper(), field.name)
            if value.get(key) is not None:
                made[field.name] = _made(hints[field.name], value[key], f"{place}.{key}")
            elif field.default is MISSING:
                raise Wrong(f"{place}.{key} is missing")
        return kind(**made)
    if origin is tuple and isinstance(value, list):
        return tuple(_made(choices[0], each, f"{place}[{number}]") for number, each in enumerate(value))
    if origin is not None and origin not in (tuple, Literal):
        return _made(choices[0 if isinstance(value, list) else 1], value, place)
    if kind is float and type(value) is int:
        return float(value)
    if value in choices if origin is Literal else type(value) is kind:
        return value
    wanted = " or ".join(choices) if origin is Literal else "a list" if origin is tuple else kind.__name__
    raise Wrong(f"{place} must be {wanted}, not {value!r}")


def parse(document: Any) -> Fleet:
    fleet: Fleet = _made(Fleet, document, "fleet")

    def hold(holds: object, says: str) -> None:
        if not holds:
            raise Wrong(says)

    hold(not re.search(r"password=|//[^/@]*:[^/@]*@", fleet.archive.server),
         "fleet.archive.server has a password, which would stand in arguments: use passfile= or ~/.pgpass")
    hold(re.fullmatch(r"(/.+|\w[\w.+@-]*:.+)?", fleet.archive.store),
         "fleet.archive.store must be a folder or REMOTE:PATH of rclone's configuration, where its secrets stand")
    for kind in (fleet.machines, fleet.rigs, fleet.plans):
        names = [each.name for each in kind]
        for name in names:
            hold(re.fullmatch(r"[A-Za-z0-9][\w.-]{0,49}", name), f"{name!r} must be up to 50 letters, digits, '.', '_', '-'")
            hold(names.count(name) == 1, f"{name!r} is there twice")
    for machine in fleet.machines:
        hold(machine.jobs > 0, f"{machine.name}: jobs must be above 0")
    for rig in fleet.rigs:
        hold(fleet.machine(rig.name), f"{rig.name}: there is no machine {rig.machine!r}")
    for plan in fleet.plans:
        hold(plan.file or plan.do in ("calibrate", "check"), f"{plan.name}: file is missing")
        hold(plan.limit > 0 and plan.attempts > 0, f"{plan.name}: limit and attempts must be above 0")
        for name in plan.rigs:
            hold(fleet.machine(name), f"{plan.name}: there is no rig {name!r}")
        for time in plan.at:
            hold(re.fullmatch(r"([01]\d|2[0-3]):[0-5]\d", time), f"{plan.name}: {time!r} must be a time such as 02:00")
    return fleet


def read(path: Path) -> Fleet:
    try:
        return parse(json.loads(path.read_text()))
    except json.JSONDecodeError as fault:
        raise Wrong(f"{path}: {fault}") from fault
