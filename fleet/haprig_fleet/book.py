# SPDX-License-Identifier: Apache-2.0
"""The book of the fleet: what is owed and what is done, four tables beside the archive's in PostgreSQL.

`haprig fleet` orders, cancels, reserves and drains by the functions that stand beside the tables. Every time is the server's; a method is one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from importlib import resources
from typing import Any

import psycopg
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

VERSION = "haprig.book/1"
# Of the making of tables, of the one clerk, and with hashtext(rig) as second key of who takes a rig: "hap" and a number.
MAKING, CLERK, RIG = 0x686170_01, 0x686170_02, 0x686170_03

# The tables, and what people do with them.
TABLES = resources.files("haprig_fleet").joinpath("book.sql").read_text()

# A job that was cancelled while it ran has its rig until Buildbot says that it is over.
_BUSY = "(state = 'given' or state = 'cancelled' and buildset is not null) and ended is null"
# now() is when the transaction began, which may have waited for the rig since.
_HELD = """exists (select from haprig.fleet_holds h where h.rig = j.rig and h.released is null
  and clock_timestamp() >= h.since and clock_timestamp() < h.until)"""
_DUE = "j.state = 'waiting' and j.ended is null and j.due <= now() and coalesce(j.not_before, j.due) <= now()"


class OtherVersion(RuntimeError):
    """The tables are those of another version of haprig."""


@dataclass(frozen=True)
class Job:
    id: str
    plan: str
    rig: str
    task: dict[str, Any]
    priority: int
    why: str
    due: datetime
    state: str
    attempts: int
    buildset: int | None
    build: str | None
    said: str | None
    began: datetime | None


_JOB = ", ".join(f"j.{name}" for name in Job.__annotations__)


# And a client that is cut off by the server, which would keep its locks, the clerk's too, for the two hours after which TCP asks.
PATIENCE = """select set_config(wished.name, wished.value, false) from (values ('idle_in_transaction_session_timeout', '60s'),
    ('client_connection_check_interval', '5s'), ('tcp_keepalives_idle', '10'), ('tcp_keepalives_interval', '5'),
    ('tcp_keepalives_count', '3'), ('tcp_user_timeout', '20s')) as wished (name, value) where wished.name in (select name from pg_settings)"""


class Book:
    """One connection; where it is lost, psycopg.OperationalError comes out, and the next call opens another."""

    def __init__(self, server: str) -> None:
        self.server, self.is_clerk = server, False
        self._connection: psycopg.Connection[Any] | None = None

    def connection(self) -> psycopg.Connection[Any]:
        if self._connection is None or self._connection.closed:
            self.is_clerk = False
            # A server that is cut off is given up within half a minute, not after TCP's quarter of an hour.
            made = psycopg.connect(self.server, connect_timeout=5, tcp_user_timeout=20000, keepalives_idle=10,
                                   keepalives_interval=5, keepalives_count=3, application_name="haprig-fleet")
            made.execute(PATIENCE)
            made.commit()
            with made.transaction():
                made.execute("select pg_advisory_xact_lock(%s)", [MAKING])
                found = made.execute("select obj_description(oid, 'pg_class') from pg_class"
                                     " where oid = to_regclass('haprig.fleet_jobs')").fetchone()
                if found is None:
                    made.execute(TABLES)
                    made.execute(f"comment on table haprig.fleet_jobs is '{VERSION}'")
                elif found[0] != VERSION:
                    raise OtherVersion(f"the book in the database is {found[0]}, and this program writes {VERSION}")
            self._connection = made
        return self._connection

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection, self.is_clerk = None, False

    # What the clerk asks

    def become_clerk(self) -> bool:
        """Takes the lock of the one clerk, which ends with the connection."""
        if self.connection() and not self.is_clerk:
            self.is_clerk = bool(self._value("select pg_try_advisory_lock(%s)", CLERK))
        return self.is_clerk

    def resign(self) -> None:
        self._value("select pg_advisory_unlock(%s)", CLERK)
        self.is_clerk = False

    def now(self) -> datetime:
        return self._value("select now()")

    def busy(self) -> list[Job]:
        """The jobs that have their rig."""
        return self._jobs(f"select {_JOB} from haprig.fleet_jobs j where {_BUSY}")

    def ready(self) -> list[Job]:
        """Of each rig that no job and no person has, the job that is next; the most urgent first."""
        found = self._jobs(
            f"""select distinct on (j.rig) {_JOB} from haprig.fleet_jobs j where {_DUE} and not {_HELD}
            and j.rig <> all (array(select rig from haprig.fleet_jobs where {_BUSY})) order by j.rig, j.priority desc, j.due, j.id""")
        return sorted(found, key=lambda job: (-job.priority, job.due, job.id))

    def drained(self) -> list[str]:
        return self._value("select coalesce(array_agg(machine), '{}') from haprig.fleet_drains")

    def overdue(self) -> list[Job]:
        """Jobs that wait longer than they may run, each told once."""
        return self._jobs(
            f"""with late as (insert into haprig.fleet_events (job, rig, what) select j.id, j.rig, 'overdue'
            from haprig.fleet_jobs j where {_DUE} and not {_HELD} and j.due < now() - make_interval(secs => (j.task->>'limit')::float8)
            and not exists (select from haprig.fleet_events e where e.job = j.id and e.what = 'overdue') returning job)
            select {_JOB} from haprig.fleet_jobs j join late on late.job = j.id""")

    # A job's life

    def order(self, id: str, plan: str, rig: str, task: dict[str, Any], due: datetime | None = None, priority: int = 0,
              why: str = "") -> bool:
        """Whether the job was made: one that is there already is left as it is."""
        return bool(self._value(
            "select haprig.fleet_order(%s, %s, %s, %s, coalesce(%s, now()), %s, %s)", id, plan, rig, Jsonb(task), due, priority, why))

    def give(self, id: str, rig: str) -> bool:
        """Takes the rig for the job, where neither a job nor a person was quicker."""
        with self.connection().transaction():
            # Nobody else gives or reserves the rig meanwhile: a hold that is written is never overlooked.
            self.connection().execute("select pg_advisory_xact_lock(%s, hashtext(%s))", [RIG, rig])
            return self._event(
                "given", f"""state = 'given', attempts = attempts + 1, buildset = null, build = null, began = null, not_before = null
                where id = %s and state = 'waiting' and not {_HELD}
                and not exists (select from haprig.fleet_jobs b where b.rig = j.rig and {_BUSY})""", id)

    def carries(self, id: str, buildset: int) -> bool:
        return self._write("update haprig.fleet_jobs set buildset = %s where id = %s and state = 'given' and buildset is null", buildset, id)

    def began(self, id: str, buildset: int, build: str) -> bool:
        return self._event(f"began {build}", """began = now(), build = %s
            where id = %s and buildset = %s and ended is null and began is null""", build, id, buildset)

    def finish(self, id: str, buildset: int | None, code: int | None, said: str) -> bool:
        """Writes down that it is over: done with its code, or cancelled as it was."""
        return self._event(
            f"ended with {code}: {said}",
            """state = case state when 'given' then 'done' else state end, ended = now(), code = coalesce(%s, code),
            said = case state when 'given' then %s else coalesce(said, %s) end
            where id = %s and buildset is not distinct from %s and ended is null and state in ('given', 'cancelled')""",
            code, said, said, id, buildset)

    def back(self, id: str, buildset: int | None, code: int | None, said: str, pause: float) -> bool:
        """Puts a given job back: after pause seconds, twice as long each time, up to an hour. Where it has had its attempts
        it is done, with the last code that a program ended with, or 3."""
        return self._event(
            f"came back: {said}",
            """(state, ended, code, said, not_before) = (select case when out then 'done' else 'waiting' end,
              case when out then now() end, coalesce(%s, code, case when out then 3 end),
              case when out then format('given up after %%s attempts: %%s', attempts, %s::text) else %s end,
              now() + make_interval(secs => least(%s * power(2, least(attempts, 20) - 1), 3600))
              from (select attempts >= (task->>'attempts')::int as out) as counted)
            where id = %s and buildset is not distinct from %s and state = 'given'""", code, said, said, pause, id, buildset)

    def skip_reserved(self) -> bool:
        """Of plans that do not wait for a reserved rig, what is due now is done with 75."""
        return self._event("skipped: the rig is reserved", f"""state = 'done', code = 75, ended = now(), said = 'the rig is reserved'
            where {_DUE} and j.task->>'reserved' = 'skip' and {_HELD}""")

    def forget(self, days: int) -> None:
        self._write("delete from haprig.fleet_events where at < now() - make_interval(days => %s)", days)

    # Statements

    def _jobs(self, statement: str) -> list[Job]:
        with self.connection().transaction(), self.connection().cursor(row_factory=class_row(Job)) as cursor:
            return cursor.execute(statement).fetchall()

    def _value(self, statement: str, *values: Any) -> Any:
        with self.connection().transaction():
            row = self.connection().execute(statement, values).fetchone()
        return row[0] if row else None

    def _write(self, statement: str, *values: Any) -> bool:
        with self.connection().transaction():
            return self.connection().execute(statement, values).rowcount > 0

    def _event(self, what: str, change: str, *values: Any) -> bool:
        """Changes a job's row and writes down what happened, or neither."""
        return self._write(f"""with changed as (update haprig.fleet_jobs j set {change} returning id, rig)
            insert into haprig.fleet_events (job, rig, what) select id, rig, %s from changed""", *values, what)
