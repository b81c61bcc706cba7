// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
import Bench
import Devices
import Glibc
import Perception
import SeededRandom
import Testing
import Units

/// A motor's take by a plant that was written another way than its model: friction, drag of the air, the force of
/// turning up.
struct MotorSeparationTests {
  private static let rig = Rigs.described(kind: .erm)

  /// Taps whose responses run into one another, on and off a vibration, and a tap that stands alone.
  private static let events =
    (0..<12).map { AHAPText.tap(at: 0.045 * Double($0), intensity: 0.7, sharpness: 0.5) }
    + [
      AHAPText.buzz(at: 1.2, duration: 0.8, intensity: 0.5, sharpness: 0.5),
      AHAPText.tap(at: 2.6, intensity: 0.8, sharpness: 0.5),
    ]

  private static func measure(
    _ plant: MotorPlant = MotorPlant(), _ events: [String] = Self.events, sounds: [String] = [],
    change: (TakeDrive, inout [Double]) -> Void = { _, _ in }
  ) throws -> [Reading] {
    let take = TakeBuilder(rig: rig, hasProbe: true).build(
      try Rigs.pattern(events, sounds: sounds))
    let recording = plant.record(take, on: rig) { change(take, &$0) }
    return TakeAnalysis(rig: rig, target: IntensityTarget()).measure(
      take, recording, pattern: "p", number: 1
    ).readings
  }

  private static func reading(
    _ kind: ReadingKind, _ event: Int? = nil, in readings: [Reading]
  ) throws -> Reading {
    try #require(readings.first { $0.name == ReadingName(kind) && $0.event == event })
  }

  /// Changes what is driven in a tap's own stretch of the drive.
  private static func scale(
    _ volts: inout [Double], _ take: TakeDrive, from start: Double, seconds: Double = 0.04,
    by gain: Double
  ) {
    let first = take.layout.pattern + Int(start * take.rate.hertz)
    for frame in first..<(first + Int(seconds * take.rate.hertz)) { volts[frame] *= gain }
  }

  @Test func `a motor owes no ring, and an end wherever its fit knows that an event began`() throws
  {
    let buzzes = (0..<4).map {
      AHAPText.buzz(at: 0.35 * Double($0), duration: 0.25, intensity: 0.8, sharpness: 0.5)
    }
    let tap = AHAPText.tap(at: 2.2, intensity: 0.8, sharpness: 0.5)
    let readings = try Self.measure(MotorPlant(), buzzes + [tap])
    let rings = readings.filter { $0.name == ReadingName(.pulseToRing) }
    #expect(rings.count == 1 && rings[0].event == nil && rings[0].isInapplicable, "\(rings)")
    let ends = try buzzes.indices.compactMap { event -> (value: Double, uncertainty: Double)? in
      let end = try Self.reading(.decayError, event, in: readings)
      #expect(end.note != "it has no onset of its own", "\(end)")
      return end.value.map { ($0, end.uncertainty ?? 0) }
    }
    #expect(!ends.isEmpty, "\(readings.filter { $0.name == ReadingName(.decayError) })")
    // Alone each of them would end like any other.
    let mean = ends.reduce(0) { $0 + $1.value } / Double(ends.count)
    for end in ends { #expect(abs(end.value - mean) < 3 * end.uncertainty, "\(ends)") }
  }

  @Test func `a step tells a motor's transport and its rise`() throws {
    let plant = MotorPlant()
    let readings = try Self.measure(plant)
    let transport = try Self.reading(.latencyTransport, in: readings)
    let value = try #require(transport.value, "\(transport)")
    let spread = try #require(transport.uncertainty)
    #expect(abs(value - plant.rig.transport) < 3 * spread && spread < 1.5e-3, "\(transport)")

    // The plant's own rise on such a step, read off its speed.
    let rate = 48_000.0
    let level = plant.speeds([Double](repeating: 1.6, count: 96_000), rate: rate)
    let top = (level.last ?? 0) * (level.last ?? 0)
    let tenth = try #require(level.firstIndex { $0 * $0 > 0.1 * top })
    let most = try #require(level.firstIndex { $0 * $0 > 0.9 * top })
    let rise = try Self.reading(.latencyRise, in: readings)
    let found = try #require(rise.value)
    #expect(abs(found - Double(most - tenth) / rate) < 3 * (rise.uncertainty ?? 0), "\(rise)")
  }

  @Test func `sound is timed against a motor`() throws {
    let plant = MotorPlant()
    let readings = try Self.measure(
      plant, [AHAPText.tap(at: 0.2), AHAPText.sound("burst.wav", at: 0.2)], sounds: ["burst.wav"])
    let sync = try Self.reading(.syncAudioHaptic, 1, in: readings)
    let truth = plant.rig.electrical + plant.rig.transport - plant.rig.sound
    let value = try #require(sync.value, "\(sync)")
    #expect(abs(value - truth) < 3 * (sync.uncertainty ?? 0), "\(sync), truth \(truth)")
  }

  @Test func `a tap that was dropped is told as silent`() throws {
    let readings = try Self.measure { take, volts in
      Self.scale(&volts, take, from: 2.6, by: 0)
    }
    let level = try Self.reading(.intensityError, 13, in: readings)
    let note = try #require(level.note)
    #expect(
      note.hasPrefix("dropped") || note == "no response stands out of the noise", "\(level)")
  }

  /// Weak vibrations that run into one another: what one axis cannot show of one alone is scored with its neighbours, and
  /// nothing of a sound motor is told as dropped.
  @Test(arguments: [UInt64](0x32_0000..<0x32_0004))
  func `of weak events that overlap on a sound motor none is told as dropped`(
    _ seed: UInt64
  ) throws {
    var random = SeededRandom(seed: seed)
    var time = 0.0
    var events = (0..<20).map { _ in
      time += random.uniform(0.08...0.2)
      return AHAPText.buzz(
        at: time, duration: 0.15, intensity: random.uniform(0.1...0.3), sharpness: random.uniform())
    }
    events += (1...8).map {
      AHAPText.buzz(at: time + 0.12 * Double($0), duration: 0.1, intensity: 0.9, sharpness: 0.5)
    }
    var plant = MotorPlant()
    plant.start = plant.friction
    let readings = try Self.measure(plant, events)
    let levels = readings.filter { $0.name == ReadingName(.intensityError) && $0.event != nil }
    #expect(!levels.contains { $0.note?.hasPrefix("dropped") == true }, "\(random): \(levels)")
    let strong = levels.filter { $0.event.map { $0 >= 20 } == true }
    #expect(strong.count == 8 && strong.allSatisfy { $0.value != nil }, "\(random): \(strong)")
    #expect(try Self.reading(.eventsDropped, in: readings).value == 0, "\(random)")
  }

  @Test func `a motor that does not turn is told as such`() throws {
    let readings = try Self.measure { _, volts in
      for frame in volts.indices { volts[frame] = 0 }
    }
    let level = try Self.reading(.intensityError, 0, in: readings)
    #expect(level.note?.contains("does not turn on its probe") == true, "\(level)")
  }
}
