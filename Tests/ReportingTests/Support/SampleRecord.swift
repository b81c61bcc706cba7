// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
private import Glibc
import SeededRandom
import Units

/// A made-up run of several patterns, judged by its own plan, with every kind of thing in it.
struct SampleRecord {
  static let names = [
    "Boing", "Drums", "Gravel", "Heartbeats", "Inflate", "Oscillate", "Rumble", "Sparkle",
  ]

  var names = Self.names
  var takes = 1
  var limits = [
    Limit(ReadingName(.latencyElectrical), .within(0.1, marginal: 0.05), required: false),
    Limit(ReadingName(.latencyOnset), .below(0.012, marginal: 0.010), required: false),
    Limit(ReadingName(.syncAudioHaptic), .syncBands, required: false),
    Limit(ReadingName(.intensityError), .within(6, marginal: 4), required: false),
    Limit(ReadingName(.envelopeCorrelation), .above(0.8, marginal: 0.9)),
    Limit(ReadingName(.xruns), .below(0, marginal: nil)),
  ]

  /// The record, judged.
  func make() -> RunRecord {
    var readings = names.enumerated().flatMap { index, name in
      (1...takes).flatMap { Self.readings(of: name, index, take: $0) }
    }
    readings += [
      Reading(.xruns, value: 0, count: 1), Reading(.dropouts, value: 0, count: 1),
      Reading(.overloads, value: 0, count: 1),
      Reading(.drift, channel: "reference", value: 12.04, uncertainty: 0.11, count: 8),
      Reading(.noiseFloor, channel: "z", value: 0.0123, uncertainty: 0.0004, count: 24_000),
      Reading(notMeasured: .latencyJitter, because: "needs at least three takes, this run has one"),
    ]
    let verdict = Judgement.apply(limits, to: &readings, patterns: names)
    let patterns = names.enumerated().map { index, name in
      let verdicts = readings.filter { $0.pattern == name && $0.limit != nil }
        .compactMap(\.verdict).filter { $0 != .notMeasured }
      return RunRecord.Pattern(
        name: name, file: "Apple-HapticSampler/\(name).ahap", duration: 0.9 + 0.3 * Double(index),
        events: Self.eventCount(index),
        diagnostics: index == 1
          ? [
            "Drums.ahap:12:9: warning: the waveform 'Drums.wav' is missing, its event is not measured"
          ]
          : [],
        takes: (1...takes).map { Self.take(of: name, index, number: $0) },
        verdict: verdicts.isEmpty ? nil : Verdict.worst(verdicts),
        timeline: Self.events(index).map { .init(kind: $0.kind, start: $0.span.lowerBound) })
    }
    return RunRecord(
      header: .init(
        date: "2026-03-14T09:26:53Z", host: "bench-2", duration: 1.284,
        folder: "2026-03-14-092653-sampler"),
      run: .init(
        status: .complete, software: "haprig 0.1.0", seed: 7,
        laws: [
          "intensity": "square", "sharpness": "log80-230", "transient": "tap-1",
          "envelope": "linear-1", "contour": "aosp16",
        ],
        referenceLevel: 30, calibration: "uncalibrated"),
      rig: .init(
        name: "simulated-lra", device: "simulated", rate: 48_000, fullScaleVolts: 4,
        driveChannels: ["haptic": 1, "audio": 2, "reference": 3]),
      actuator: .init(
        id: "lra-1", model: "coin LRA 10 mm", kind: .lra,
        limits: .init(continuousVolts: 2, peakVolts: 4)),
      plan: Plan(
        name: "sampler", patterns: ["Apple-HapticSampler"], repeats: takes, seed: 7,
        limits: limits),
      patterns: patterns, readings: readings, verdict: verdict)
  }

  private static func eventCount(_ index: Int) -> Int { [3, 6, 40, 8, 2, 2, 4, 24][index % 8] }

  private static func take(of name: String, _ index: Int, number: Int) -> RunRecord.Take {
    RunRecord.Take(
      number: number, drive: "recordings/\(name)-\(number)-drive.wav",
      driveChannels: [.init(name: "haptic", unit: .volt), .init(name: "audio", unit: .volt)],
      response: "recordings/\(name)-\(number)-response.wav",
      responseChannels: [
        .init(name: "z", unit: .metrePerSecondSquared), .init(name: "audio", unit: .volt),
      ],
      patternFrame: 31_200,
      rejected: index == 2 || index == 7
        ? [
          .init(
            event: 1,
            reason: "unresolved: its neighbour is 31 ms away, an isolated event needs 60 ms"),
          .init(
            event: 2,
            reason: "unresolved: its neighbour is 28 ms away, an isolated event needs 60 ms"),
        ] : [])
  }

  private static func readings(of name: String, _ index: Int, take: Int) -> [Reading] {
    let wobble = Double((index * 37 + take * 11) % 10) / 10
    var readings = [
      Reading(
        .latencyElectrical, pattern: name, take: take, channel: "reference",
        value: 5.2004e-3 + 1e-7 * wobble, uncertainty: 3e-7, count: 2),
      Reading(
        .latencyTransport, pattern: name, take: take, channel: "z", value: 0.61e-3 + 4e-5 * wobble,
        uncertainty: 1.2e-5, count: 1),
      Reading(
        .latencyRise, pattern: name, take: take, channel: "z", value: 21.4e-3, uncertainty: 3e-4,
        count: 1),
      Reading(
        .envelopeCorrelation, pattern: name, take: take, channel: "z",
        value: index == 5 ? 0.871 : 0.95 + 0.04 * wobble, uncertainty: 0.004, count: 900),
      Reading(
        .energyOutside, pattern: name, take: take, channel: "z", value: -14.2 + wobble,
        uncertainty: 0.21, count: 1),
      Reading(
        .eventsScored, pattern: name, take: take, channel: "z", value: 1,
        count: eventCount(index)),
      Reading(
        .intensityContrast, pattern: name, take: take, channel: "z", value: 1.9 + wobble,
        uncertainty: 0.11, count: eventCount(index)),
    ]
    if index == 1 {
      readings.append(
        Reading(
          notMeasured: .syncAudioHaptic, pattern: name, take: take,
          because: "the waveform 'Drums.wav' is missing"))
    } else if index % 3 == 0 {
      readings.append(
        Reading(
          .syncAudioHaptic, pattern: name, take: take, event: 0, channel: "audio",
          value: 0.00062 - 0.0003 * wobble, uncertainty: 2.4e-5, count: 1))
    }
    for event in 0..<eventCount(index) {
      let error = 1.4 * (Double(event % 5) - 2) + (index == 6 && event == 1 ? 6.8 : 0)
      readings += [
        index == 2 && event > 0
          ? Reading(
            notMeasured: .latencyOnset, pattern: name, take: take, event: event,
            because: "unresolved: its neighbour is 31 ms away, an isolated event needs 60 ms")
          : Reading(
            .latencyOnset, pattern: name, take: take, event: event, channel: "z",
            value: 3.1e-3 + 2e-4 * Double(event % 4), uncertainty: 6e-5, count: 1),
        Reading(
          .intensityError, pattern: name, take: take, event: event, channel: "z", value: error,
          uncertainty: 0.12, count: 1),
        Reading(
          .responseFrequency, pattern: name, take: take, event: event, channel: "z",
          value: 152.31 + wobble, uncertainty: 0.4, count: 1),
      ]
    }
    return readings
  }
}

extension SampleRecord {
  /// Pictures of the takes: taps and hums through a ringing actuator, 900 columns each.
  func figures(columns: Int = 900) -> [TakeFigure] {
    names.enumerated().flatMap { index, name in
      (1...takes).map { Self.figure(of: name, index, take: $0, columns: columns) }
    }
  }

  private static func duration(_ index: Int) -> Double { 0.9 + 0.3 * Double(index) }

  fileprivate static func events(_ index: Int) -> [TakeFigure.Event] {
    let (duration, count) = (duration(index), eventCount(index))
    return (0..<count).map { event in
      let start = duration * Double(event) / Double(count)
      let isTap = (event + index) % 3 != 1
      return TakeFigure.Event(
        index: event, kind: isTap ? "HapticTransient" : "HapticContinuous",
        span: start...(start + (isTap ? 0.005 : 0.6 * duration / Double(count))),
        onset: index == 2 && event > 0 ? nil : start + 0.0031)
    }
  }

  private static func figure(
    of name: String, _ index: Int, take: Int, columns: Int
  ) -> TakeFigure {
    let span = -0.05...(duration(index) + 0.15)
    let events = events(index)
    func intensity(_ time: Double) -> Double {
      events.enumerated().reduce(0) { sum, item in
        let (number, event) = item
        guard event.span.contains(time) else { return sum }
        return max(sum, 0.4 + 0.6 * abs(sin(Double(number) + 1)))
      }
    }
    /// The envelope of an actuator that needs 20 ms to move and as long to come to rest.
    var envelopes: [Double] = []
    var state = 0.0
    let length = span.upperBound - span.lowerBound
    let step = length / Double(columns)
    let times = (0..<columns).map { span.lowerBound + (Double($0) + 0.5) * step }
    for time in times {
      state += (intensity(time) - state) * (1 - exp(-step / 0.02))
      envelopes.append(state)
    }
    func band(_ name: String, _ size: [Double], noise: Double) -> TakeFigure.Trace {
      var random = SeededRandom(seed: UInt64(index + 1))
      let highest = size.map { Float($0 + noise * Double.random(in: 0.5...1, using: &random)) }
      let lowest = size.map { Float(-$0 - noise * Double.random(in: 0.5...1, using: &random)) }
      return TakeFigure.Trace(name: name, lowest: lowest, highest: highest)
    }
    func curve(_ name: String, _ values: [Double]) -> TakeFigure.Trace {
      let values = values.map { Float($0) }
      return TakeFigure.Trace(name: name, lowest: values, highest: values)
    }
    let target = times.map { 13.7 * intensity($0) * intensity($0) }
    let felt = envelopes.map { 13.7 * $0 * $0 }
    var panels = [
      TakeFigure.Panel(
        title: "Envelope", unit: .metrePerSecondSquared,
        traces: [
          TakeFigure.Trace(
            name: "tolerance ±2.2 dB", lowest: target.map { Float($0 / 1.288) },
            highest: target.map { Float($0 * 1.288) }),
          curve("target", target), curve("measured", felt.map { $0 * (1 + 0.02 * Double(take)) }),
        ]),
      TakeFigure.Panel(
        title: "Response", unit: .metrePerSecondSquared,
        traces: [band("response", felt, noise: 0.12), band("model", felt, noise: 0)]),
      TakeFigure.Panel(
        title: "Left over", unit: .metrePerSecondSquared,
        traces: [band("rest", felt.map { _ in 0 }, noise: 0.12)], leastReach: 2.7),
      TakeFigure.Panel(
        title: "Intent", unit: .one,
        traces: [
          curve("intensity", times.map(intensity)),
          curve("sharpness", times.map { 0.5 + 0.3 * sin(3 * $0) }),
        ]),
      TakeFigure.Panel(
        title: "Drive", unit: .volt,
        traces: [band("drive", times.map { 2.8 * intensity($0) * intensity($0) }, noise: 0)]),
    ]
    if index % 3 == 0 {
      panels.append(
        TakeFigure.Panel(
          title: "Sound", unit: .volt,
          traces: [band("sound", times.map { 0.18 * exp(-6 * max(0, $0)) }, noise: 0.002)]))
    }
    let decay = (0..<260).map { Float(exp(-Double($0) / 90) * sin(Double($0) / 4)) }
    return TakeFigure(
      pattern: name, take: take, span: span, panels: panels, events: events,
      spectrogram: spectrogram(envelopes),
      impulse: TakeFigure.ImpulseResponse(
        span: 0...0.06,
        panel: TakeFigure.Panel(
          title: "Impulse response", unit: .metrePerSecondSquared,
          traces: [
            curve("measured", decay.map { Double($0) }), curve("fit", decay.map { Double($0) }),
          ])))
  }

  /// A line at 170 Hz as strong as the envelope, over silence.
  private static func spectrogram(_ envelopes: [Double]) -> TakeFigure.Spectrogram {
    let columns = min(envelopes.count, 200)
    let cells = (0..<48).flatMap { row in
      (0..<columns).map { column in
        let level = envelopes[column * envelopes.count / columns]
        let distance = abs(Double(row) - 8)
        return UInt8(225 + max(0, min(30, 30 * level - 6 * distance)))
      }
    }
    return TakeFigure.Spectrogram(
      name: "response", unit: .metrePerSecondSquared, frequencies: 0...960, top: 12, step: 2,
      columns: columns, cells: cells)
  }
}
