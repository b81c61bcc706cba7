import Acceptance
import ChangeDetection

/// Rows as values, each beside the columns that it is made of: both are in one order.
///
/// Words stand in the tables as numbers, whose `texts` are loaded before a row is read.
extension SQLRunIndex {
  static let runColumns = """
    r.folder, r.rig, r.actuator, r.plan, r.started, r.status, r.verdict, r.software, r.revision,
    r.readings, r.hash, r.place
    """

  func run(_ row: any IndexRow) -> ArchivedRun {
    ArchivedRun(
      id: row.text(0) ?? "", rig: texts[row.integer(1)], actuator: texts[row.integer(2)],
      plan: texts[row.integer(3)], started: Moment(seconds: row.integer(4) ?? 0),
      status: row.integer(5).flatMap(RunRecord.Status.init(number:)) ?? .fault,
      verdict: row.integer(6).flatMap(Verdict.init(weight:)) ?? .notMeasured,
      software: texts[row.integer(7)], revision: row.integer(8).map { texts[$0] },
      readings: row.integer(9) ?? 0, recordHash: row.text(10) ?? "", place: texts[row.integer(11)])
  }

  static let readingColumns = """
    s.reading, s.pattern, d.take, d.event, d.channel, d.value, s.unit, d.uncertainty, d.n, d.verdict,
    o.text
    """

  func reading(_ row: any IndexRow) -> ArchivedReading {
    ArchivedReading(
      name: texts[row.integer(0)], pattern: texts[row.integer(1)], take: row.integer(2),
      event: row.integer(3), channel: row.integer(4).map { texts[$0] }, value: row.number(5),
      unit: texts[row.integer(6)], uncertainty: row.number(7), count: row.integer(8),
      verdict: row.integer(9).flatMap(Verdict.init(weight:)), note: row.text(10))
  }

  static let listingColumns = "s.id, s.rig, s.actuator, s.pattern, s.reading, s.plan, s.unit"

  func listing(_ row: any IndexRow) -> (number: Int, listing: SeriesListing) {
    let key = SeriesKey(
      rig: texts[row.integer(1)], actuator: texts[row.integer(2)], pattern: texts[row.integer(3)],
      reading: texts[row.integer(4)])
    return (
      row.integer(0) ?? 0,
      SeriesListing(key: key, plan: texts[row.integer(5)], unit: texts[row.integer(6)])
    )
  }
}
