# SPDX-License-Identifier: Apache-2.0
"""What `haprig fleet cancel, reserve and drain` write into the book."""

from __future__ import annotations

from haprig_fleet.book import Book


def cancel(book: Book, id: str, who: str) -> bool:
    return bool(book._value("select haprig.fleet_cancel(%s, %s)", id, who))


def reserve(book: Book, rig: str, who: str, why: str, seconds: float) -> bool:
    return bool(book._value("select haprig.fleet_reserve(%s, %s, %s, %s)", rig, who, why, seconds))


def release(book: Book, rig: str) -> bool:
    return bool(book._value("select haprig.fleet_release(%s)", rig))


def drain(book: Book, machine: str, who: str, why: str) -> bool:
    return bool(book._value("select haprig.fleet_drain(%s, %s, %s)", machine, who, why))


def undrain(book: Book, machine: str) -> bool:
    return bool(book._value("select haprig.fleet_undrain(%s)", machine))
