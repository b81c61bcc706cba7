// SPDX-License-Identifier: Apache-2.0

import Acceptance
import JSONText
import SeededRandom
import Testing

@testable import LiveRuns

/// Events as lines of text, and back.
struct LiveEventTests {
  @Test(arguments: LiveEvent.Kind.allCases)
  func `every event reads back as it was written`(kind: LiveEvent.Kind) throws {
    var random = SeededRandom(seed: 0x11fe)
    for number in 0..<200 {
      let line = LiveLine(
        number: number, seconds: random.uniform(0...9e5), omitted: random.integer(0...2),
        event: .any(kind, &random))
      let text = line.text
      #expect(!text.contains("\n"), "\(random)")
      let read = try LiveLine(parsing: text)
      #expect(read == line, "\(random) \(text)")
      #expect(read.text == text, "\(random)")
      #expect(read.event.kind == kind)
    }
  }

  @Test func `a line begins with number, time and kind`() {
    let line = LiveLine(number: 7, seconds: 0.0134567, event: .step("latency", share: 0.5))
    #expect(line.text == #"{"n":7,"t":0.013457,"kind":"step","title":"latency","share":0.5}"#)
    let raw = RawLine(number: 7, text: line.text)
    #expect(raw.kind == "step")
  }

  @Test func `a reading is told as the record has it, with what a page sorts by`() throws {
    let reading = Reading(
      .latencyEvent, pattern: "tap", take: 2, event: 3, value: 1.5e-3, uncertainty: 1e-5)
    let json = try JSONValue(
      parsing: Array(LiveLine(number: 0, seconds: 0, event: .reading(reading)).text.utf8))
    #expect(json["reading"] == reading.json)
    #expect(json["pattern"]?.string == "tap" && json["take"]?.integer == 2)
    #expect(json["event"]?.integer == 3)
  }

  @Test func `what a later version adds is passed over, another form refused`() throws {
    let line = LiveLine(number: 0, seconds: 0, event: .start(.made()))
    let more = line.text.replacing("haprig.live/1\"", with: "haprig.live/1.3\",\"new\":[1]")
    #expect(try LiveLine(parsing: more).event == line.event)
    let other = line.text.replacing("haprig.live/1\"", with: "haprig.live/2\"")
    #expect(throws: JSONFieldError.self) { try LiveLine(parsing: other) }
    #expect(throws: JSONFieldError.self) {
      try LiveLine(parsing: #"{"n":0,"t":0.0,"kind":"dance"}"#)
    }
  }

  @Test(
    arguments: [(0, "done"), (1, "failed"), (3, "failed"), (130, "interrupted")]
      as [(Int32, String)])
  func `an exit code says how it ended`(status: Int32, outcome: String) {
    let end = LiveEvent.End(status: status, sentence: nil, folder: nil, verdicts: [:])
    #expect(end.outcome.rawValue == outcome)
  }

  @Test func `channels stand in the order of the waves`() {
    let channels = LiveEvent.Channels(Rigs.described())
    #expect(channels.rate == 48_000)
    #expect(channels.channels.map(\.name) == ["haptic", "reference", "z0", "z1"])
    #expect(channels.channels.map(\.kind) == [.drive, .reference, .response, .response])
    #expect(channels.channels.map(\.side) == [.drive, .drive, .capture, .capture])
    #expect(channels.channels[0].volts == 4 && channels.channels[0].actuator == "lra-1")
    #expect(channels.channels[1].volts == nil && channels.channels[2].unit == "m/s2")
  }
}

extension LiveEvent {
  /// An event of a kind with whatever can stand in it.
  static func any(_ kind: Kind, _ random: inout SeededRandom) -> LiveEvent {
    func text() -> String {
      let signs = Array("a\"\\\n\t/é\u{1F600}\u{7} {}")
      return String(
        (0..<random.integer(0...12)).map { _ in signs[random.integer(0...signs.count - 1)] })
    }
    func count() -> Int { random.integer(0...1 << 40) }
    func number() -> Double { random.gaussian() * 1e3 }
    func perhaps<Value>(_ value: Value) -> Value? { random.chance(0.5) ? value : nil }
    func texts() -> [String] { (0..<random.integer(0...3)).map { _ in text() } }
    switch kind {
    case .start:
      return .start(
        Start(
          id: text(), program: text(), process: count(), host: text(), started: text(),
          command: text(), arguments: texts()))
    case .work:
      return .work(
        Work(
          rig: text(), plan: perhaps(text()), title: text(), actuators: texts(),
          patterns: texts(), takes: perhaps(count()), archive: perhaps(text())))
    case .channels:
      let channels = (0..<random.integer(0...4)).map { _ in
        Channel(
          name: text(), kind: Channel.Kind.allCases.randomElement(using: &random) ?? .other,
          side: random.chance(0.5) ? .drive : .capture, unit: text(),
          fullScale: perhaps(number()), volts: perhaps(number()), actuator: perhaps(text()))
      }
      return .channels(Channels(rate: number(), channels: channels))
    case .take:
      return .take(
        Take(
          pattern: text(), take: count(), number: count(), total: count(), frame: count(),
          seconds: number()))
    case .segment:
      return .segment(
        Segment(
          title: text(), level: number(), number: count(), total: count(), frame: count(),
          remaining: number()))
    case .progress:
      return .progress(
        Progress(
          share: random.uniform(), overall: random.uniform(), remaining: perhaps(number())))
    case .measured:
      return .measured(
        Measured(
          pattern: perhaps(text()), take: perhaps(count()), segment: perhaps(text()),
          isKept: random.chance(0.5)))
    case .reading:
      let kind = ReadingKind.allCases.randomElement(using: &random) ?? .drift
      guard random.chance(0.8) else {
        return .reading(Reading(notMeasured: kind, pattern: perhaps(text()), because: text()))
      }
      var reading = Reading(
        kind, pattern: perhaps(text()), take: perhaps(count()), event: perhaps(count()),
        channel: perhaps(text()), value: number(), uncertainty: perhaps(abs(number())),
        count: perhaps(count()), note: perhaps(text()))
      reading.limit = perhaps(text())
      reading.verdict = Verdict.allCases.randomElement(using: &random)
      return .reading(reading)
    case .again: return .again(Again(segment: text(), reason: text()))
    case .loss:
      return .loss(
        Loss(
          what: Loss.What.allCases.randomElement(using: &random) ?? .xrun, frame: count(),
          count: count(), device: random.chance(0.5) ? .drive : .capture))
    case .notice:
      return .notice(NoticeLevel.allCases.randomElement(using: &random) ?? .note, text())
    case .step: return .step(text(), share: random.uniform())
    case .ask: return .ask(text())
    case .idle: return .idle
    case .end:
      return .end(
        End(
          outcome: End.Outcome.allCases.randomElement(using: &random) ?? .done, status: count(),
          sentence: perhaps(text()), folder: perhaps(text()),
          verdicts: Dictionary(texts().map { ($0, text()) }) { first, _ in first }))
    }
  }
}
