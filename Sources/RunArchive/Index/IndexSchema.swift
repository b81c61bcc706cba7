/// The tables of the index, the same for both databases.
///
/// Words are kept once, in `names`, and notes in `notes`; everything else refers to them by number.
/// `readings` is ordered by run, so that a run is written in one place; `points` has one row a series
/// and run, ordered by series and day, so that a series is read from one place. `nights` has the median of
/// a day's points, so that a year of all series of a rig is read a fifth as long.
enum IndexSchema {
  /// Raised with every change of the tables or of what they are filled with; an index of another version is
  /// made anew from the folders.
  static let version = 3

  /// The statements that make the tables in an empty database.
  static func statements(_ dialect: SQLDialect) -> [String] {
    [
      "create table meta (key text primary key, value text not null)",
      "insert into meta (key, value) values ('program', 'haprig'), ('schema', '\(version)')",
      "create table names (\(dialect.identity), text text not null unique)",
      "create table notes (\(dialect.identity), text text not null unique)",
      """
      create table runs (\(dialect.identity), place integer not null, folder text not null,
        rig integer not null, actuator integer not null, plan integer not null,
        day integer not null, started bigint not null, status smallint not null,
        verdict smallint not null, software integer not null, revision integer,
        readings integer not null, hash text not null, unique (place, folder))
      """,
      "create index runs_of_rig on runs (rig, plan, started, id)",
      "create index runs_in_time on runs (started, id)",
      """
      create table environments (run integer not null, key integer not null,
        value integer not null, primary key (run, key)\(dialect.covering("value")))\
      \(dialect.clustered)
      """,
      """
      create table series (\(dialect.identity), rig integer not null, plan integer not null,
        actuator integer not null, pattern integer not null, reading integer not null,
        unit integer not null, unique (rig, plan, actuator, pattern, reading))
      """,
      """
      create table readings (run integer not null, ordinal integer not null,
        series integer not null, take integer, event integer, channel integer,
        value double precision, uncertainty double precision, n integer, verdict smallint,
        note integer, primary key (run, ordinal))\(dialect.clustered)
      """,
      """
      create table points (series integer not null, day integer not null, run integer not null,
        value double precision not null, uncertainty double precision, n integer not null,
        primary key (series, day, run)\(dialect.covering("value, uncertainty, n")))\
      \(dialect.clustered)
      """,
      """
      create table nights (series integer not null, day integer not null,
        value double precision not null, uncertainty double precision not null, n integer not null,
        run integer not null,
        primary key (series, day)\(dialect.covering("value, uncertainty, n, run")))\
      \(dialect.clustered)
      """,
    ]
  }

  /// The tables in an order in which they can be emptied or dropped.
  static let tables = [
    "nights", "points", "readings", "series", "environments", "runs", "notes", "names", "meta",
  ]
}
