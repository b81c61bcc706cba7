// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Bench
import Devices
import Glibc
import Perception
import SignalAnalysis
import Testing
import Units

/// What an event's own response looks like, and what of a pattern went astray.
struct EventShapeTests {
  private static let rate = SampleRate(hertz: 24_000)

  private static func rig() -> RigDescription {
    var rig = Rigs.described()
    rig.drive.rate = rate
    return rig
  }

  /// A take, and what a plant answers to the same pattern, or to another one of the same length.
  private static func measured(
    _ plant: ExactPlant, _ events: [String], answering others: [String]? = nil,
    on rig: RigDescription = rig(), seed: UInt64 = 5,
    change: (inout [Recording.Channel]) -> Void = { _ in }
  ) throws -> (readings: [Reading], answer: ExactPlant.Answer) {
    let builder = TakeBuilder(rig: rig, hasProbe: true)
    let take = builder.build(try Rigs.pattern(events, rate: rate))
    let played = builder.build(try Rigs.pattern(others ?? events, rate: rate))
    try #require(take.layout.frameCount == played.layout.frameCount)
    let answer = plant.answer(played, on: rig)
    let recorded = plant.recording(answer, seed: seed, gravity: 0)
    var channels = recorded.channels
    change(&channels)
    let recording = Recording(
      channels: channels, rate: recorded.rate, frameCount: recorded.frameCount,
      driveFrameCount: recorded.frameCount)
    let readings = TakeAnalysis(rig: rig, target: IntensityTarget()).measure(
      take, recording, pattern: "p", number: 1
    ).readings
    return (readings, answer)
  }

  private static func reading(
    _ readings: [Reading], _ kind: ReadingKind, _ event: Int? = nil
  ) throws -> Reading {
    try #require(readings.first { $0.name == ReadingName(kind) && $0.event == event })
  }

  /// Sharpness 0.5 asks for this frequency.
  private static let middle = 80 * pow(230.0 / 80, 0.5)

  @Test(arguments: [6.0, 12])
  func `a vibration at resonance rises by the resonator's own law`(q: Double) throws {
    let plant = ExactPlant(frequency: Self.middle, q: q, noise: 0.02)
    let found = try Self.measured(plant, [AHAPText.buzz(at: 0, duration: 0.5)])
    let rise = try Self.reading(found.readings, .responseRise, 0)
    let value = try #require(rise.value)
    // 1 - exp(-t / tau) from 0.1 to 0.9; the attack of 1 ms makes it a little longer.
    let truth = log(9) * plant.decayTime
    #expect(abs(value - truth) < 0.05 * truth + 3 * (rise.uncertainty ?? 0), "\(rise) \(truth)")
  }

  @Test func `it brakes from the end of what is asked to a tenth of its peak`() throws {
    let plant = ExactPlant(frequency: Self.middle, q: 10, noise: 0.02)
    let found = try Self.measured(plant, [AHAPText.buzz(at: 0, duration: 0.4)])
    let braking = try Self.reading(found.readings, .responseBraking, 0)
    let value = try #require(braking.value)
    #expect(abs(value - log(10) * plant.decayTime) < 1.5e-3, "\(braking)")
  }

  @Test func `the noise does not lift the peak of a weak tap`() throws {
    // A tenth of the full level in noise of a fifth of its peak.
    let events = [AHAPText.tap(at: 0.1, intensity: 0.3), AHAPText.tap(at: 0.5)]
    let plant = ExactPlant(noise: 0.6)
    var errors: [Double] = []
    var covered = 0
    for seed in 1...24 as ClosedRange<UInt64> {
      let found = try Self.measured(plant, events, seed: seed)
      let truth = found.answer.peak(from: 0.1, to: 0.3)
      let peak = try Self.reading(found.readings, .responsePeak, 0)
      let value = try #require(peak.value, "seed \(seed): \(peak.note ?? "")")
      errors.append(Decibels.of(amplitude: value / truth))
      if abs(value - truth) < 2 * (peak.uncertainty ?? 0) { covered += 1 }
    }
    let moments = Statistics.moments(errors)
    // The mean of 24 is known to a fifth of their scatter.
    #expect(abs(moments.mean) < 0.6 * moments.sigma + 0.05, "\(errors)")
    #expect(covered >= 21, "\(covered) of 24")
  }

  @Test func `a cubic motion shows its third harmonic`() throws {
    let plant = ExactPlant(frequency: Self.middle, noise: 0.02)
    let cubic = 1e-4
    let found = try Self.measured(plant, [AHAPText.buzz(at: 0, duration: 0.6)]) { channels in
      channels[0].samples = Samples(
        channels[0].samples.map { value in value + Float(cubic) * value * value * value })
    }
    let tone = found.answer.peak(from: 0.3, to: 0.5)
    // sin^3 = 3/4 sin - 1/4 sin of three times the angle.
    let part = cubic * tone * tone / 4
    let truth = part / (1 + 3 * part)
    let distortion = try Self.reading(found.readings, .responseDistortion, 0)
    let value = try #require(distortion.value)
    #expect(abs(value - truth) < 0.03 * truth + 3 * (distortion.uncertainty ?? 0), "\(truth)")
    #expect(truth > 0.01)
    let clean = try Self.measured(plant, [AHAPText.buzz(at: 0, duration: 0.6)])
    let none = try Self.reading(clean.readings, .responseDistortion, 0)
    #expect(try #require(none.value) < 0.002)
  }

  @Test func `motion across the axis is told as a share of that along it`() throws {
    var rig = Self.rig()
    var side = rig.capture.channels[0]
    side.name = "side"
    side.input = 7
    side.axis = "x"
    rig.capture.channels.append(side)
    let plant = ExactPlant(noise: 0.05)
    let found = try Self.measured(plant, [AHAPText.buzz(at: 0, duration: 0.5)], on: rig) {
      channels in
      for index in channels.indices where channels[index].description.name == "side" {
        channels[index].samples = Samples(channels[index].samples.map { 0.07 * $0 })
      }
    }
    let cross = try Self.reading(found.readings, .responseCrossAxis, 0)
    #expect(abs((cross.value ?? 1) - 0.07) < 0.002 + 3 * (cross.uncertainty ?? 1), "\(cross)")
    #expect(cross.channel == "acceleration")
  }

  private static let taps = [0.0, 0.15, 0.3, 0.45, 0.6, 0.75].map { AHAPText.tap(at: $0) }

  @Test func `an event of which nothing came is counted and named`() throws {
    var others = Self.taps
    others.remove(at: 2)
    let found = try Self.measured(ExactPlant(), Self.taps, answering: others)
    let dropped = try Self.reading(found.readings, .eventsDropped)
    #expect(dropped.value == 1 && dropped.note == "event 2" && dropped.count == 6, "\(dropped)")
    let level = try Self.reading(found.readings, .intensityError, 2)
    #expect(level.note == "dropped: nothing came of it, at most this; uncalibrated")
    #expect((level.value ?? 0) < -10)
    #expect(try Self.reading(found.readings, .eventsLate).value == 0)
    #expect(try Self.reading(found.readings, .eventsExtra).value == 0)
  }

  @Test func `events that come late are counted and named`() throws {
    let plant = ExactPlant(lateFrom: (0.55, 3e-3))
    let found = try Self.measured(plant, Self.taps)
    let late = try Self.reading(found.readings, .eventsLate)
    #expect(late.value == 2 && late.note == "events 4, 5", "\(late)")
    #expect(try Self.reading(found.readings, .eventsDropped).value == 0)
  }

  @Test(arguments: [0.375, 0.66])
  func `a response that no event asked for is found at its time`(time: Double) throws {
    let others = Self.taps + [AHAPText.tap(at: time, intensity: 0.7)]
    let found = try Self.measured(ExactPlant(), Self.taps, answering: others)
    let extra = try Self.reading(found.readings, .eventsExtra)
    #expect(extra.value == 1, "\(extra)")
    let shown = try #require(extra.note?.split(separator: " ").dropFirst().first.map(String.init))
    let found0 = try #require(Double(shown)) / (extra.note?.contains(" ms") == true ? 1000 : 1)
    #expect(abs(found0 - time) < 0.01, "\(extra)")
    #expect(try Self.reading(found.readings, .eventsDropped).value == 0)
  }
}
