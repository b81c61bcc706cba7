// SPDX-License-Identifier: Apache-2.0

import ChangeDetection
import RunArchive
import SeededRandom
import Testing

struct CalendarTests {
  // `date -u -d DAY +%s`, divided by 86400.
  @Test(arguments: [
    ("1970-01-01", 0), ("1969-12-31", -1), ("2000-02-29", 11_016), ("2026-11-21", 20_778),
    ("2100-03-01", 47_541), ("0001-01-01", -719_162), ("9999-12-31", 2_932_896),
  ])
  func `days are counted from 1970`(text: String, number: Int) {
    #expect(CalendarDay(text)?.number == number)
    #expect(CalendarDay(number: number).description == text)
  }

  @Test(arguments: [
    "", "2026-11-2", "2026-11-31", "2026-02-29", "1900-02-29", "2026-13-01", "2026-00-10",
    "2026/11/21", "2026-11-21T", "-026-11-21", "2026-1a-21", "２０２６-11-21",
  ])
  func `what is no day is none`(text: String) { #expect(CalendarDay(text) == nil) }

  @Test func `every day is the one after the day before, and reads back`() {
    var before = CalendarDay(number: -30_000).description
    for number in -29_999...50_000 {
      let day = CalendarDay(number: number)
      let text = day.description
      #expect(CalendarDay(text) == day)
      #expect(before < text, "\(before) comes before \(text)")
      before = text
    }
  }

  // `date -u -d MOMENT +%s`.
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("2026-11-21T09:51:50Z", 1_795_254_710),
    ("1969-12-31T23:59:59Z", -1),
  ])
  func `moments are counted in seconds`(text: String, seconds: Int) {
    #expect(Moment(text)?.seconds == seconds)
    #expect(Moment(seconds: seconds).description == text)
  }

  @Test func `a moment belongs to the day that it lies in, before 1970 too`() {
    var generator = SeededRandom(seed: 1)
    for _ in 0..<1000 {
      let moment = Moment(seconds: generator.integer(-10_000_000_000...10_000_000_000))
      #expect(moment.description.hasPrefix(moment.day.description))
      #expect(Moment(moment.description) == moment, "\(moment)")
    }
  }

  @Test func `a fraction of a second is cut off`() {
    #expect(Moment("1970-01-01T00:00:01.999Z")?.seconds == 1)
  }

  @Test(arguments: [
    "", "2026-11-21", "2026-11-21T09:51:50", "2026-11-21 09:51:50Z", "2026-11-21T24:00:00Z",
    "2026-11-21T09:60:00Z", "2026-11-21T09:51:50+01:00", "2026-11-21T09:51:50.Z",
    "2026-11-21T09:51:50,5Z", "2026-02-30T09:51:50Z",
  ])
  func `what is no moment in UTC is none`(text: String) { #expect(Moment(text) == nil) }
}
