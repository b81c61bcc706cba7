// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Testing
import Units

@testable import Reporting

@Suite struct EventScoresTests {
  private struct Event {
    var level: Double?
    var delay: Double?
    var sharpness: Double?
    var note: String?
  }

  /// A run of one pattern a list of events a take.
  private func record(
    _ takes: [[Event]], calibration: String = "lra-1, sha256 00", transport: Double? = 0.4e-3
  ) -> RunRecord {
    var sample = SampleRecord(names: ["A"])
    sample.takes = takes.count
    var record = sample.make()
    record.run.calibration = calibration
    record.patterns[0].timeline = (0..<(takes.first?.count ?? 0)).map {
      RunRecord.Event(kind: $0 == 1 ? "HapticContinuous" : "HapticTransient", start: Double($0))
    }
    record.readings = takes.enumerated().flatMap { index, events -> [Reading] in
      let take = index + 1
      var readings =
        transport.map {
          [Reading(.latencyTransport, pattern: "A", take: take, value: $0, uncertainty: 1e-6)]
        } ?? []
      for (number, event) in events.enumerated() {
        func add(_ kind: ReadingKind, _ value: Double?) {
          readings.append(
            value.map {
              Reading(
                kind, pattern: "A", take: take, event: number, value: $0, uncertainty: 1e-3,
                note: event.note)
            }
              ?? Reading(
                notMeasured: kind, pattern: "A", take: take, event: number,
                because: event.note ?? "a gap touches it"))
        }
        add(.intensityError, event.level)
        add(.latencyEvent, event.delay)
        if event.sharpness != nil { add(.sharpnessError, event.sharpness) }
      }
      return readings
    }
    return record
  }

  private func grades(_ record: RunRecord, take: Int = 1) -> [EventScore.Grade] {
    EventScores(record).events(of: "A", take: take).sorted { $0.key < $1.key }.map(\.value.grade)
  }

  @Test func `an event is as good as what is farthest off of it`() {
    let record = record([
      [
        Event(level: 2.1, delay: 0.4e-3, sharpness: 0.2), Event(level: -4.3, delay: 0.4e-3),
        Event(level: 0, delay: 25e-3), Event(level: 0, delay: 0.4e-3, sharpness: 0.6),
        Event(level: -9, delay: 13e-3), Event(level: nil, delay: nil),
      ]
    ])
    #expect(grades(record) == [.good, .marginal, .bad, .bad, .bad, .notMeasured])
    let events = EventScores(record).events(of: "A", take: 1)
    #expect(events[1]?.words == "4.3 dB too weak")
    #expect(events[1]?.name == "event 1, a continuous event at 1.000 s")
    #expect(events[2]?.words == "25 ms late")
    #expect(events[3]?.words == "0.6 octave too sharp")
    #expect(events[4]?.words == "9 dB too weak, 13 ms late")
    #expect(events[5]?.words == "not measured: a gap touches it")
  }

  @Test func `without a profile an event is compared with the others of its take`() {
    let events = [-20.0, -21, -25, -20].map { Event(level: $0, delay: 0.4e-3) }
    let record = record([events], calibration: "uncalibrated")
    #expect(grades(record) == [.good, .good, .marginal, .good])
    #expect(EventScores(record).worst()[0].words == "3.5 dB weaker than the others")
    let alone = self.record([[Event(level: -20, delay: 0.4e-3)]], calibration: "uncalibrated")
    #expect(grades(alone) == [.good], "one event has nothing to be compared with")
  }

  @Test func `a dropped event is the worst of all and moves no other`() {
    let dropped = Event(level: -40, delay: nil, note: Reading.droppedNote + ", at most this")
    let record = record(
      [[Event(level: -20, delay: 0.4e-3), dropped, Event(level: -20, delay: 0.4e-3)]],
      calibration: "uncalibrated")
    #expect(grades(record) == [.good, .dropped, .good])
    let worst = EventScores(record).worst()
    #expect(worst.map(\.event) == [1, 0, 2])
    #expect(worst[0].words == "dropped, nothing came of it")
  }

  @Test func `the worst three are three events, each in the take where it is worst`() {
    func take(_ levels: [Double]) -> [Event] { levels.map { Event(level: $0, delay: 0.4e-3) } }
    let record = record([take([3, -5, 1, 0]), take([-3.5, -4, 1, 0])])
    let worst = EventScores(record).worst()
    #expect(worst.map(\.event) == [1, 0, 2])
    #expect(worst.map(\.take) == [1, 2, 1])
    #expect(EventScores(record).worst(of: "B").isEmpty)
    #expect(EventScores(record).worst(1).map(\.event) == [1])
  }

  @Test func `without a probe events are timed against each other`() {
    let record = record(
      [[5e-3, 5.1e-3, 31e-3, 5e-3].map { Event(level: 0, delay: $0) }], transport: nil)
    #expect(grades(record) == [.good, .good, .bad, .good])
    #expect(EventScores(record).worst()[0].words == "26 ms late")
  }

  @Test func `a mark has a shape of its own for every grade`() throws {
    let record = record([
      [
        Event(level: 0, delay: 0.4e-3), Event(level: 3, delay: 0.4e-3),
        Event(level: 9, delay: 0.4e-3),
        Event(level: -40, delay: nil, note: Reading.droppedNote),
        Event(level: nil, delay: nil),
      ]
    ])
    let events = (0..<5).map {
      TakeFigure.Event(
        index: $0, kind: "HapticTransient", span: Double($0)...(Double($0) + 0.01), onset: nil)
    }
    let figure = TakeFigure(
      pattern: "A", take: 1, span: -0.1...5,
      panels: [
        .init(
          title: "Response", unit: .metrePerSecondSquared,
          traces: [.init(name: "response", lowest: [-1], highest: [1])])
      ], events: events)
    var markup = Markup()
    FigureDrawing(
      figure, identifier: "f", scores: EventScores(record).events(of: "A", take: 1), linked: [2]
    ).write(to: &markup)
    let marks = try Element.all(in: markup.text).filter {
      $0.attributes["class"]?.hasPrefix("mark ") == true
    }
    // Five events, and five in the legend.
    #expect(marks.count == 10)
    #expect(Set(marks.compactMap { $0.attributes["class"] }).count == 5)
    let shapes = Set(
      marks.map { mark in
        (mark.attributes["d"]?.split(separator: "m", maxSplits: 1).last).map(String.init) ?? ""
          + (mark.attributes["class"]?.contains("unmeasured") == true ? " hollow" : "")
      })
    #expect(shapes.count >= 4)
    #expect(marks.filter { $0.attributes["id"] == "f-event-2" }.count == 1)
    #expect(markup.text.contains("Events: 1 dropped, 1 bad, 1 marginal, 1 not measured, 1 good."))
  }

  @Test func `of many events on one place the worst is marked`() throws {
    let record = record([
      (0..<400).map { Event(level: $0 == 77 ? 20 : 0, delay: 0.4e-3) }
    ])
    let events = (0..<400).map {
      TakeFigure.Event(
        index: $0, kind: "HapticTransient", span: (Double($0) / 400)...(Double($0) / 400),
        onset: nil)
    }
    let figure = TakeFigure(
      pattern: "A", take: 1, span: 0...1,
      panels: [
        .init(
          title: "Response", unit: .metrePerSecondSquared,
          traces: [.init(name: "response", lowest: [-1], highest: [1])])
      ], events: events)
    var markup = Markup()
    FigureDrawing(
      figure, identifier: "f", scores: EventScores(record).events(of: "A", take: 1)
    ).write(to: &markup)
    let marks = try Element.all(in: markup.text).filter {
      $0.attributes["class"]?.hasPrefix("mark ") == true
    }
    #expect(marks.count < 160)
    #expect(marks.filter { $0.attributes["class"] == "mark bad" }.count == 2, "one and its legend")
  }
}
