-- The book of the fleet, of the version that book.py names: four tables, and what people do with them. The functions say whether
-- anything was changed.
create schema if not exists haprig;
create table haprig.fleet_jobs (
  id text primary key, plan text not null, rig text not null, task jsonb not null, priority int not null default 0,
  why text not null default '', made timestamptz not null default now(), due timestamptz not null default now(),
  not_before timestamptz, state text not null default 'waiting' check (state in ('waiting', 'given', 'done', 'cancelled')),
  attempts int not null default 0, buildset int, build text, code int, said text, began timestamptz, ended timestamptz,
  constraint fleet_task check (coalesce(task->>'do', '') in ('nightly', 'run', 'calibrate', 'check')
    and coalesce(jsonb_typeof(task->'file'), '') = 'string' and coalesce(jsonb_typeof(task->'arguments'), '') = 'array'
    and coalesce(jsonb_typeof(task->'limit'), '') = 'number' and coalesce(jsonb_typeof(task->'attempts'), '') = 'number'
    and coalesce(task->>'reserved', '') in ('wait', 'skip')));
create unique index fleet_jobs_given on haprig.fleet_jobs (rig) where state = 'given';
create index fleet_jobs_open on haprig.fleet_jobs (rig, due) where ended is null;
create index fleet_jobs_of_rig on haprig.fleet_jobs (rig, plan, due);
create table haprig.fleet_holds (rig text not null, who text not null, why text not null, since timestamptz not null,
  until timestamptz not null, released timestamptz);
create index fleet_holds_open on haprig.fleet_holds (rig) where released is null;
create table haprig.fleet_drains (machine text primary key, who text not null, why text not null, since timestamptz not null default now());
create table haprig.fleet_events (at timestamptz not null default now(), job text, rig text, what text not null);
create index fleet_events_of_job on haprig.fleet_events (job);
create index fleet_events_in_time on haprig.fleet_events (at);

create function haprig.fleet_order(text, text, text, jsonb, timestamptz, integer, text) returns boolean language sql as $$
  -- id, plan, rig, task, due, priority, why: a job that is there already is left as it is.
  with made as (insert into haprig.fleet_jobs (id, plan, rig, task, due, priority, why)
    values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing returning id, rig),
  told as (insert into haprig.fleet_events (job, rig, what) select id, rig, 'made' from made)
  select exists (select from made)
$$;

create function haprig.fleet_cancel(text, text) returns boolean language sql as $$
  -- id, who: a waiting job is over; one that runs is over when the clerk has stopped it.
  with changed as (update haprig.fleet_jobs set state = 'cancelled', said = 'cancelled by ' || $2,
      ended = case when state = 'waiting' or buildset is null then now() end
    where id = $1 and state in ('waiting', 'given') returning id, rig),
  told as (insert into haprig.fleet_events (job, rig, what) select id, rig, 'cancelled by ' || $2 from changed)
  select exists (select from changed)
$$;

create function haprig.fleet_reserve(text, text, text, double precision) returns boolean language plpgsql as $$
  -- rig, who, why, seconds: a hold from now on, where none overlaps; what the rig was given before ends first.
  begin
    -- Nobody gives the rig meanwhile: the clerk takes the same lock.
    perform pg_advisory_xact_lock(1751216131, hashtext($1));
    insert into haprig.fleet_holds (rig, who, why, since, until)
      select $1, $2, $3, now(), clock_timestamp() + make_interval(secs => $4)
      where not exists (select from haprig.fleet_holds where rig = $1 and released is null
        and until > clock_timestamp() and since < clock_timestamp() + make_interval(secs => $4));
    return found;
  end
$$;

create function haprig.fleet_release(text) returns boolean language sql as $$
  with changed as (update haprig.fleet_holds set released = now()
    where rig = $1 and released is null and until > now() returning rig)
  select exists (select from changed)
$$;

create function haprig.fleet_drain(text, text, text) returns boolean language sql as $$
  -- machine, who, why.
  with changed as (insert into haprig.fleet_drains (machine, who, why) values ($1, $2, $3)
    on conflict do nothing returning machine)
  select exists (select from changed)
$$;

create function haprig.fleet_undrain(text) returns boolean language sql as $$
  with changed as (delete from haprig.fleet_drains where machine = $1 returning machine)
  select exists (select from changed)
$$;

create function haprig.fleet_has_clerk() returns boolean language sql as $$
  select exists (select from pg_locks where locktype = 'advisory' and granted and classid = 0
    and objid = 1751216130 and database = (select oid from pg_database where datname = current_database()))
$$;
