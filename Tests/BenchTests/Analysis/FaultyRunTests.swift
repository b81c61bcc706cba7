// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Bench
import Devices
import Perception
import SeededRandom
import Testing
import Units

/// A table of faults, and for each the readings that must not be numbers.
struct FaultyRunTests {
  private static let rate = SampleRate(hertz: 24_000)

  /// Something that is wrong with a rig.
  struct Fault: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Changes the samples of a channel; the list of all channels is that of the healthy recording.
    let change:
      @Sendable (CaptureRole, [Float], _ all: [CaptureRole: [Float]], TakeDrive) -> [Float]
    /// The readings that must have no value, of the take and of every event.
    let forbidden: [ReadingKind]
    /// The readings that must still have one.
    let kept: [ReadingKind]
  }

  private static let haptic: [ReadingKind] = [
    .latencyTransport, .latencyRise, .latencyEvent, .latencyOnset, .latencyTotal, .syncAudioHaptic,
    .intensityError, .intensityJND, .sharpnessError, .decayError, .consistencyJ,
    .envelopeCorrelation, .energyOutside, .pulseToRing, .responsePeak, .responseRMS,
    .responseFrequency, .harmony, .harmonySync, .harmonyIntensity, .harmonySharpness,
    .harmonyDecay, .harmonyEnvelope, .harmonyOutside,
  ]

  private static func noise(_ count: Int, sigma: Double, offset: Double, seed: UInt64) -> [Float] {
    var random = SeededRandom(seed: seed)
    return (0..<count).map { _ in Float(offset + sigma * random.gaussian()) }
  }

  static let faults = [
    Fault(
      testDescription: "an actuator that does not move",
      change: { role, samples, _, _ in
        role == .acceleration
          ? noise(samples.count, sigma: 0.02, offset: 9.8, seed: 1) : samples
      }, forbidden: haptic, kept: [.latencyElectrical, .drift, .noiseFloor, .dropouts]),
    Fault(
      testDescription: "a sensor that is not plugged in",
      change: { role, samples, _, _ in
        role == .acceleration ? samples.map { _ in 0 } : samples
      }, forbidden: haptic + [.noiseFloor], kept: [.latencyElectrical, .drift]),
    Fault(
      testDescription: "a sensor that clips at a twentieth of what there is",
      change: { role, samples, _, _ in
        guard role == .acceleration else { return samples }
        let offset: Float = 9.8
        let top = samples.reduce(0) { max($0, abs($1 - offset)) } / 20
        return samples.map { offset + max(-top, min(top, $0 - offset)) }
      }, forbidden: haptic, kept: [.latencyElectrical, .overloads]),
    Fault(
      testDescription: "a sensor that is noisier than the actuator is strong",
      change: { role, samples, _, _ in
        role == .acceleration
          ? zip(samples, noise(samples.count, sigma: 3_000, offset: 0, seed: 2)).map { $0 + $1 }
          : samples
      }, forbidden: haptic, kept: [.latencyElectrical, .noiseFloor]),
    Fault(
      testDescription: "the sound on the sensor's channel",
      change: { role, samples, all, _ in
        role == .acceleration ? all[.audio] ?? [] : samples
      }, forbidden: haptic, kept: [.latencyElectrical]),
    Fault(
      testDescription: "the reference on the sensor's channel",
      change: { role, samples, all, _ in
        role == .acceleration ? all[.reference] ?? [] : samples
      }, forbidden: haptic, kept: [.latencyElectrical]),
    Fault(
      testDescription: "reference and sensor crossed",
      change: { role, samples, all, _ in
        switch role {
        case .acceleration: all[.reference] ?? []
        case .reference: all[.acceleration] ?? []
        default: samples
        }
      }, forbidden: haptic + [.latencyElectrical, .drift], kept: []),
    Fault(
      testDescription: "a reference that is not wired",
      change: { role, samples, _, _ in
        role == .reference ? noise(samples.count, sigma: 1e-4, offset: 0, seed: 3) : samples
      },
      forbidden: [
        .latencyElectrical, .drift, .latencyTransport, .latencyEvent, .latencyTotal,
      ], kept: [.noiseFloor, .latencyRise]),
    Fault(
      testDescription: "a reference that comes off in the middle",
      change: { role, samples, _, take in
        guard role == .reference else { return samples }
        return samples.enumerated().map { $0 < take.layout.pattern ? $1 : 0 }
      }, forbidden: [.latencyElectrical, .drift, .latencyTransport, .latencyEvent, .latencyTotal],
      kept: [.noiseFloor]),
    Fault(
      testDescription: "an actuator that dies after its first event",
      change: { role, samples, _, take in
        guard role == .acceleration else { return samples }
        let death = take.layout.pattern + 4_800
        let rest = noise(samples.count, sigma: 0.02, offset: 9.8, seed: 4)
        return samples.enumerated().map { $0 < death ? $1 : rest[$0] }
      }, forbidden: [], kept: [.latencyTransport, .latencyRise, .harmony]),
    Fault(
      testDescription: "a microphone that hears nothing",
      change: { role, samples, _, _ in
        role == .audio ? noise(samples.count, sigma: 1e-3, offset: 0, seed: 5) : samples
      }, forbidden: [.syncAudioHaptic, .harmonySync],
      kept: [.latencyTransport, .intensityError, .envelopeCorrelation]),
  ]

  private static let healthy = Result {
    var rig = Rigs.described()
    rig.drive.rate = rate
    let events = [
      AHAPText.tap(at: 0), AHAPText.sound("burst.wav", at: 0), AHAPText.tap(at: 0.4),
      AHAPText.buzz(at: 0.8, duration: 0.3, sharpness: 0.7),
    ]
    let take = TakeBuilder(rig: rig, hasProbe: true).build(
      try Rigs.pattern(events, sounds: ["burst.wav"], rate: rate))
    let plant = ExactPlant(noise: 0.02)
    return (take: take, rig: rig, recording: plant.recording(plant.answer(take, on: rig), seed: 1))
  }

  private static func readings(_ fault: Fault?) throws -> [Reading] {
    let (take, rig, healthy) = try healthy.get()
    let all = Dictionary(
      uniqueKeysWithValues: healthy.channels.map { ($0.description.role, Array($0.samples)) })
    let channels = healthy.channels.map { channel in
      Recording.Channel(
        description: channel.description,
        samples: fault?.change(
          channel.description.role, Array(channel.samples), all, take)
          ?? Array(channel.samples))
    }
    let recording = Recording(
      channels: channels, rate: rate, frameCount: healthy.frameCount,
      driveFrameCount: healthy.driveFrameCount)
    return TakeAnalysis(rig: rig, target: IntensityTarget()).measure(
      take, recording, pattern: "p", number: 1
    ).readings
  }

  @Test func `a healthy take has every number`() throws {
    let readings = try Self.readings(nil)
    for kind in Self.haptic + [.latencyElectrical, .drift, .noiseFloor] {
      #expect(
        readings.contains { $0.name == ReadingName(kind) && $0.value != nil }, "\(kind.rawValue)")
    }
  }

  @Test(arguments: faults)
  func `a fault takes the numbers that it spoils, each with a reason`(fault: Fault) throws {
    let readings = try Self.readings(fault)
    for reading in readings where fault.forbidden.contains(reading.name.kind) {
      #expect(
        reading.value == nil, "\(reading.name), event \(reading.event ?? -1): \(reading.value ?? 0)"
      )
      #expect(reading.note?.isEmpty == false && reading.verdict == .notMeasured)
      #expect(reading.uncertainty == nil)
    }
    for kind in fault.kept {
      #expect(
        readings.contains { $0.name == ReadingName(kind) && $0.value != nil }, "\(kind.rawValue)")
    }
  }

  @Test
  func `an actuator that dies has less harmony than one that lives, and events that were dropped`()
    throws
  {
    let dying = try #require(Self.faults.first { $0.testDescription.contains("dies after") })
    let (dead, healthy) = (try Self.readings(dying), try Self.readings(nil))
    func value(_ kind: ReadingKind, _ readings: [Reading]) throws -> Double {
      try #require(readings.first { $0.name == ReadingName(kind) && $0.event == nil }?.value)
    }
    #expect(try value(.harmony, dead) < 0.75 * value(.harmony, healthy))
    #expect(try value(.harmonyIntensity, dead) < 5)
    #expect(try value(.eventsDropped, dead) > 1 && value(.eventsDropped, healthy) == 0)
  }

  @Test func `a pattern without a haptic event has no haptic number`() throws {
    var rig = Rigs.described()
    rig.drive.rate = Self.rate
    let take = TakeBuilder(rig: rig, hasProbe: true).build(
      try Rigs.pattern(
        [AHAPText.sound("burst.wav", at: 0)], sounds: ["burst.wav"], rate: Self.rate))
    let plant = ExactPlant(noise: 0.02)
    let readings = TakeAnalysis(rig: rig, target: IntensityTarget()).measure(
      take, plant.recording(plant.answer(take, on: rig), seed: 1), pattern: "p", number: 1
    ).readings
    let chain: Set<ReadingKind> = [.latencyTransport, .latencyRise]
    for kind in Self.haptic where !chain.contains(kind) {
      #expect(
        readings.allSatisfy { $0.name != ReadingName(kind) || $0.value == nil }, "\(kind.rawValue)")
    }
    #expect(
      readings.first { $0.name == ReadingName(.harmony) }?.note
        == "the pattern has no haptic event")
  }
}
