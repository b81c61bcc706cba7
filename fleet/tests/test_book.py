# SPDX-License-Identifier: Apache-2.0
"""The book by itself: what dies between two statements loses nothing and doubles nothing."""

from __future__ import annotations

import random
import threading
from typing import Any

import psycopg
import pytest
from lab import Server
from people import cancel, release, reserve

from haprig_fleet.book import VERSION, Book, OtherVersion

TASK = {"do": "nightly", "file": "n.yaml", "arguments": [], "limit": 60, "attempts": 1000, "reserved": "wait"}


def rows(book: Book, statement: str) -> list[Any]:
    with psycopg.connect(book.server) as connection:
        return connection.execute(statement).fetchall()


def test_tables_are_made_once_and_of_another_version_refused(server: Server) -> None:
    address = server.database()
    books = [Book(address) for _ in range(8)]
    threads = [threading.Thread(target=book.connection) for book in books]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert rows(books[0], "select obj_description('haprig.fleet_jobs'::regclass, 'pg_class')") == [(VERSION,)]
    rows_of = books[0].connection()
    rows_of.execute("comment on table haprig.fleet_jobs is 'haprig.book/2'")
    rows_of.commit()
    with pytest.raises(OtherVersion, match="haprig.book/2"):
        Book(address).connection()
    for book in books:
        book.close()


@pytest.mark.parametrize("task", [{}, TASK | {"do": "shell"}, TASK | {"limit": "1 h"}, TASK | {"reserved": None}])
def test_what_the_clerk_could_not_carry_out_is_refused_by_the_table(server: Server, task: dict[str, Any]) -> None:
    book = Book(server.database())
    with pytest.raises(psycopg.errors.CheckViolation):
        book.order("a", "p", "r1", task)
    assert book.ready() == []
    book.close()


def test_a_job_that_is_made_again_makes_nothing(server: Server) -> None:
    book = Book(server.database())
    assert book.order("nightly/r1/2026-01-01", "nightly", "r1", TASK)
    assert not book.order("nightly/r1/2026-01-01", "nightly", "r1", TASK, priority=9)
    assert [job.priority for job in book.ready()] == [0]
    assert rows(book, "select what from haprig.fleet_events") == [("made",)]
    book.close()


def test_the_next_of_a_rig_is_by_priority_then_by_due(server: Server) -> None:
    book = Book(server.database())
    now = book.now()
    for id, rig, priority in (("a", "r1", 0), ("b", "r1", 5), ("c", "r2", 1), ("d", "r1", 5)):
        book.order(id, "p", rig, TASK, now, priority)
    assert [job.id for job in book.ready()] == ["b", "c"]
    assert book.give("b", "r1") and not book.give("d", "r1")
    assert [job.id for job in book.ready()] == ["c"]
    book.close()


def test_pauses_double_and_end_after_the_attempts(server: Server) -> None:
    book = Book(server.database())
    book.order("a", "p", "r1", TASK | {"attempts": 3})
    pauses = []
    for buildset in (1, 2, 3):
        assert book.give("a", "r1") and book.carries("a", buildset)
        assert book.back("a", buildset, 75, "held", 60) and not book.back("a", buildset, 75, "held", 60)
        pauses += rows(book, "select round(extract(epoch from not_before - now())), state from haprig.fleet_jobs")
        with psycopg.connect(book.server) as connection:
            connection.execute("update haprig.fleet_jobs set not_before = now()")
    assert [(int(pause), state) for pause, state in pauses] == [(60, "waiting"), (120, "waiting"), (240, "done")]
    assert rows(book, "select code, said, attempts from haprig.fleet_jobs") == [
        (75, "given up after 3 attempts: held", 3)]
    book.close()


def test_a_cancelled_job_keeps_its_rig_until_it_is_over(server: Server) -> None:
    book = Book(server.database())
    for id in ("a", "b"):
        book.order(id, "p", "r1", TASK)
    book.give("a", "r1")
    book.carries("a", 7)
    assert cancel(book, "a", "ada") and not cancel(book, "a", "ada")
    assert book.ready() == [] and not book.give("b", "r1")
    assert not book.back("a", 7, None, "lost", 60) and book.finish("a", 7, None, "stopped")
    assert cancel(book, "b", "ada") and book.ready() == []
    assert rows(book, "select id, state, said, ended is not null from haprig.fleet_jobs order by id") == [
        ("a", "cancelled", "cancelled by ada", True), ("b", "cancelled", "cancelled by ada", True)]
    book.close()


def test_a_hold_is_never_overlooked(server: Server) -> None:
    """Two hundred times somebody reserves a rig while the clerk gives it: whoever sees it free has it alone."""
    address = server.database()
    book, person = Book(address), Book(address)
    broken = []
    for turn in range(200):
        id = f"j{turn}"
        book.order(id, "p", "r1", TASK)
        start = threading.Barrier(2)
        got: dict[str, bool] = {}

        def take() -> None:
            start.wait()
            if reserve(person, "r1", "ada", "bench", 60):
                got["free"] = not person.busy()

        thread = threading.Thread(target=take)
        thread.start()
        start.wait()
        given = book.give(id, "r1")
        thread.join()
        if given and got["free"]:
            broken.append(turn)
        if given:
            book.finish(id, None, 0, "done")
        else:
            cancel(book, id, "test")
        release(person, "r1")
    assert broken == []
    book.close()
    person.close()


class Killed(Exception):
    pass


class Simulated:
    """A master as the clerk works: each of its statements may be its last, before or after the server has it."""

    def __init__(self, address: str, chance: random.Random, rigs: dict[str, Any], kills: float) -> None:
        self.address, self.chance, self.rigs, self.kills = address, chance, rigs, kills
        self.killed = 0
        self.restart()

    def restart(self) -> None:
        self.book = Book(self.address)
        self.buildsets: dict[int, str] = {}
        self.started = self.chance.randrange(1, 1000) * 1000

    def do(self, call: Any, *arguments: Any) -> Any:
        when = self.chance.random()
        if when < self.kills / 2:
            raise Killed
        value = call(*arguments)
        if when < self.kills:
            raise Killed
        return value

    def step(self) -> None:
        try:
            self.look()
        except Killed:
            self.killed += 1
            # What runs on the rig may come to its end all the same: its record is there, the book knows nothing.
            for id in self.buildsets.values():
                if self.chance.random() < 0.5:
                    self.rigs["complete"].setdefault(id, self.chance.choice((0, 0, 1)))
            self.book.close()
            self.restart()

    def look(self) -> None:
        book = self.book
        if not self.do(book.become_clerk):
            return
        for day in range(3):
            id = f"nightly/{self.chance.choice(self.rigs['names'])}/{day}"
            self.do(book.order, id, "nightly", id.split("/")[1], TASK)
        for job in self.do(book.busy):
            if job.buildset is None or self.buildsets.get(job.buildset) != job.id:
                self.do(book.back, job.id, job.buildset, None, "lost", 0)
                continue
            fate = self.chance.random()
            if fate < 0.3:
                self.do(book.back, job.id, job.buildset, 75, "held", 0)
            elif fate < 0.8:
                code = self.rigs["complete"].setdefault(job.id, self.chance.choice((0, 0, 1)))
                self.do(book.finish, job.id, job.buildset, code, "ended")
        for job in self.do(book.ready):
            if self.do(book.give, job.id, job.rig):
                self.started += 1
                self.buildsets[self.started] = job.id
                self.do(book.carries, job.id, self.started)


@pytest.mark.parametrize("seed", range(12))
def test_deaths_lose_nothing_and_double_nothing(server: Server, seed: int) -> None:
    chance, address = random.Random(seed), server.database()
    rigs = {"names": [f"r{n}" for n in range(4)], "complete": {}}
    masters = [Simulated(address, chance, rigs, 0.08) for _ in range(2)]
    for _ in range(150):
        chance.choice(masters).step()
    for master in masters:
        master.kills = 0
    book = Book(address)
    for _ in range(400):
        masters[0].step()
        masters[1].step()
        if not rows(book, "select from haprig.fleet_jobs where ended is null"):
            break
    assert sum(master.killed for master in masters) > 20
    jobs = rows(book, "select id, state, code, attempts from haprig.fleet_jobs")
    # Every night was made, is done, once, with the code of the one run that its rig has a record of.
    assert sorted(id for id, *_ in jobs) == sorted(f"nightly/{rig}/{day}" for rig in rigs["names"] for day in range(3))
    assert {(id, state, code) for id, state, code, _ in jobs} == {
        (id, "done", code) for id, code in rigs["complete"].items()}
    counts = "select job, count(*) from haprig.fleet_events where what like '{}%' group by job"
    assert {count for _, count in rows(book, counts.format("ended"))} == {1}
    assert {count for _, count in rows(book, counts.format("made"))} == {1}
    assert dict(rows(book, counts.format("given"))) == {id: attempts for id, _, _, attempts in jobs}
    for master in masters:
        master.book.close()
    book.close()
