// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Testing

@testable import Reporting

@Suite struct PatternSentenceTests {
  /// The sentence on one pattern of a run with these readings.
  private func sentence(
    _ readings: [Reading], calibration: String = "lra-1, sha256 00"
  ) throws -> String {
    var record = SampleRecord(names: ["A"]).make()
    record.run.calibration = calibration
    record.readings = readings
    return PatternSentence.text(try #require(RunSummary(record).patterns.first))
  }

  private func reading(
    _ kind: ReadingKind, _ value: Double, _ uncertainty: Double? = nil, event: Int? = nil,
    take: Int = 1, count: Int? = nil, note: String? = nil
  ) -> Reading {
    Reading(
      kind, pattern: "A", take: take, event: event, value: value, uncertainty: uncertainty,
      count: count, note: note)
  }

  private func missing(_ kind: ReadingKind, event: Int? = nil) -> Reading {
    Reading(notMeasured: kind, pattern: "A", take: 1, event: event, because: "weak")
  }

  private var timed: [Reading] {
    [
      reading(.latencyTransport, 0.406e-3, 3e-6), reading(.syncAudioHaptic, -1.1e-3, 4e-6),
      reading(.eventsScored, 1, count: 12),
    ]
  }

  @Test func `with a profile levels are told as they are`() throws {
    let levels = [-20.3, -19.8, -20.1].enumerated().map {
      reading(.intensityError, $1, 0.1, event: $0)
    }
    let sharp = [reading(.sharpnessError, 0.01, 0.002, event: 0)]
    #expect(
      try sentence(levels + [reading(.intensityContrast, 0.21, 0.02)] + sharp + timed)
        == "20 dB too weak; as sharp as asked; starts 0.41 ms late; in sync; 12 of 12 events")
    let near = [0.4, -0.3].enumerated().map { reading(.intensityError, $1, 0.1, event: $0) }
    #expect(
      try sentence(near + timed)
        == "as strong as asked; starts 0.41 ms late; in sync; 12 of 12 events")
    #expect(
      try sentence(near + [reading(.intensityContrast, 5.14, 0.1)])
        == "as strong as asked, events 5.1 dB uneven")
    #expect(try sentence([reading(.intensityError, 6.8, 0.1, event: 0)]) == "6.8 dB too strong")
  }

  @Test func `without a profile only differences between events count`() throws {
    let levels = [-20.3, -12.8].enumerated().map { reading(.intensityError, $1, 0.1, event: $0) }
    let good = levels + [reading(.intensityContrast, 1.24, 0.05)]
    #expect(
      try sentence(good + timed, calibration: "uncalibrated")
        == "uncalibrated, contrast kept to 1.2 dB; starts 0.41 ms late; in sync; 12 of 12 events")
    #expect(
      try sentence(
        levels + [reading(.intensityContrast, 3.75, 0.05)], calibration: "uncalibrated")
        == "uncalibrated, contrast off by 3.8 dB")
    #expect(
      try sentence(
        [levels[0], missing(.intensityContrast)], calibration: "uncalibrated")
        == "level uncalibrated")
    #expect(
      try sentence([reading(.intensityContrast, 1e-4, 1e-5)], calibration: "uncalibrated")
        == "uncalibrated, contrast kept to 0.1 dB")
  }

  @Test func `what is off is told with its direction`() throws {
    #expect(
      try sentence([reading(.sharpnessError, 0.65, 0.01, event: 0)]) == "0.65 octave too sharp")
    #expect(try sentence([reading(.sharpnessError, -0.4, 0.01, event: 0)]) == "0.4 octave too dull")
    let both = [0.5, -0.5].enumerated().map { reading(.sharpnessError, $1, 0.01, event: $0) }
    #expect(try sentence(both) == "sharpness off by 0.5 octave")
    #expect(try sentence([reading(.latencyTransport, -2e-3, 1e-5)]) == "starts 2 ms early")
    #expect(try sentence([reading(.syncAudioHaptic, 15.2e-3, 1e-4)]) == "15 ms after the sound")
    #expect(try sentence([reading(.syncAudioHaptic, -15.2e-3, 1e-4)]) == "15 ms before the sound")
    #expect(try sentence([reading(.syncAudioHaptic, 4e-3, 1e-4)]) == "in sync")
  }

  @Test func `dropped events are counted and weaken no level`() throws {
    let came = [0.4, -0.3].enumerated().map { reading(.intensityError, $1, 0.1, event: $0) }
    let dropped = reading(
      .intensityError, -31, 2, event: 2, note: Reading.droppedNote + ", at most this")
    #expect(
      try sentence(came + [dropped, reading(.eventsScored, 1, count: 3)])
        == "as strong as asked; 3 of 3 events; 1 dropped")
  }

  @Test func `what was not measured is said, and what does not exist is not`() throws {
    #expect(
      try sentence([
        missing(.intensityError, event: 0), missing(.sharpnessError, event: 0),
        missing(.latencyTransport), missing(.syncAudioHaptic),
        reading(.eventsScored, 0, count: 7),
      ])
        == "level not measured; sharpness not measured; start not measured; sync not measured; 0 of 7 events"
    )
    #expect(
      try sentence(
        [missing(.intensityError, event: 0), missing(.intensityContrast)],
        calibration: "uncalibrated") == "level not measured")
    #expect(try sentence([]) == "nothing to score")
  }

  @Test func `events of several takes are counted as one take's where all were scored`() throws {
    func scored(_ shares: [Double]) -> [Reading] {
      shares.enumerated().map { reading(.eventsScored, $1, take: $0 + 1, count: 12) }
    }
    #expect(try sentence(scored([1, 1, 1])) == "12 of 12 events")
    #expect(try sentence(scored([1, 0.75, 1])) == "33 of 36 events in 3 takes")
  }

  @Test func `without a probe's start the events tell it`() throws {
    #expect(
      try sentence([
        missing(.latencyTransport), reading(.latencyEvent, 2e-3, 1e-5, event: 0),
        reading(.latencyEvent, 2.2e-3, 1e-5, event: 1),
      ]) == "starts 2.1 ms late")
  }
}
