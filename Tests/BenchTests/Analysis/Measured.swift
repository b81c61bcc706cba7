// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Bench
import Devices
import Perception
import Testing
import Units

/// A take that a synthetic plant answered, measured.
struct Measured {
  let take: TakeDrive
  let plant: SyntheticPlant
  let result: TakeAnalysis.Result

  static let events = [
    AHAPText.tap(at: 0), AHAPText.tap(at: 0.3, intensity: 0.8),
    AHAPText.buzz(at: 0.6, duration: 0.2, sharpness: 0.7),
    AHAPText.sound("burst.wav", at: 0.1),
  ]

  init(
    _ plant: SyntheticPlant = SyntheticPlant(), events: [String] = Self.events,
    rig: RigDescription = Rigs.described(), rate: SampleRate = .standard, hasProbe: Bool = true,
    damage: (TakeDrive) -> Damage = { _ in .init() }
  ) throws {
    var rig = rig
    rig.drive.rate = rate
    let take = TakeBuilder(rig: rig, hasProbe: hasProbe).build(
      try Rigs.pattern(events, sounds: ["burst.wav"], rate: rate))
    self.init(take, plant.record(take, on: rig), of: plant, rig: rig, damage: damage(take))
  }

  /// Measures what is left of a recording.
  init(
    _ take: TakeDrive, _ recording: Recording, of plant: SyntheticPlant, rig: RigDescription,
    damage: Damage
  ) {
    self.take = take
    self.plant = plant
    result = TakeAnalysis(rig: rig, target: IntensityTarget()).measure(
      take, damage.applied(to: recording, of: plant), pattern: "pattern", number: 1)
  }

  /// The one reading of a name, and of an event where it is of one.
  func reading(_ kind: ReadingKind, event: Int? = nil) throws -> Reading {
    let found = result.readings.filter { $0.name == ReadingName(kind) && $0.event == event }
    #expect(found.count == 1, "\(kind.rawValue) of event \(event ?? -1)")
    return try #require(found.first)
  }

  /// The reading holds the truth within four standard uncertainties and within a goal.
  func expect(
    _ kind: ReadingKind, event: Int? = nil, is truth: Double, within goal: Double,
    floor: Double = 0, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let reading = try reading(kind, event: event)
    let value = try #require(
      reading.value, "\(reading.note ?? "")", sourceLocation: sourceLocation)
    let uncertainty = try #require(reading.uncertainty, sourceLocation: sourceLocation)
    #expect(uncertainty > 0, sourceLocation: sourceLocation)
    #expect(
      abs(value - truth) <= 4 * uncertainty + floor,
      "\(kind.rawValue) \(value) ± \(uncertainty), truth \(truth)", sourceLocation: sourceLocation)
    #expect(abs(value - truth) <= goal, "\(kind.rawValue)", sourceLocation: sourceLocation)
    #expect(reading.verdict == nil, sourceLocation: sourceLocation)
  }

  /// The reading says why it has no value.
  func expectMissing(
    _ kind: ReadingKind, event: Int? = nil, because words: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let reading = try reading(kind, event: event)
    #expect(reading.value == nil, sourceLocation: sourceLocation)
    #expect(reading.uncertainty == nil, sourceLocation: sourceLocation)
    #expect(reading.verdict == .notMeasured, sourceLocation: sourceLocation)
    #expect(
      reading.note?.contains(words) == true, "\(reading.note ?? "nothing")",
      sourceLocation: sourceLocation)
  }
}
