// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Calibration
import Devices
import Glibc
import Perception
import SeededRandom
import SignalAnalysis
import Testing
import Units

@testable import Bench

/// A take that hums is measured as the same take without hum.
struct HumTests {
  private static let events = [
    AHAPText.tap(at: 0), AHAPText.tap(at: 0.3, intensity: 0.8),
    AHAPText.buzz(at: 0.6, duration: 0.2, sharpness: 0.7),
  ]
  private static let rig = Rigs.described()
  private static let plant = SyntheticPlant()

  private struct Pair {
    let clean: Measured
    let humming: Measured
  }

  private static func take() throws -> TakeDrive {
    TakeBuilder(rig: rig, hasProbe: true).build(try Rigs.pattern(events))
  }

  /// The same recording, noise and all, with a hum in what the sensor shows.
  private static func pair(_ hum: (_ seconds: Double) -> Double) throws -> Pair {
    let take = try take()
    let recording = plant.record(take, on: rig)
    func measured(_ recording: Recording) -> Measured {
      Measured(take, recording, of: plant, rig: rig, damage: Damage())
    }
    return Pair(clean: measured(recording), humming: measured(recording.humming(hum)))
  }

  private static func steady(_ frequency: Double, _ amplitude: Double) -> (Double) -> Double {
    { time in
      let angle = 2 * .pi * frequency * time
      return amplitude * (sin(angle + 0.4) + 0.3 * sin(3 * angle - 1.1))
    }
  }

  @Test(arguments: [(49.93, 0.3), (60.04, 0.3), (50.02, 0.05), (49.98, 2)])
  func `its readings are those without hum, and no surer`(
    frequency: Double, amplitude: Double
  ) throws {
    let pair = try Self.pair(Self.steady(frequency, amplitude))
    let (clean, humming) = (pair.clean.result.readings, pair.humming.result.readings)
    #expect(clean.map(\.name) == humming.map(\.name) && clean.map(\.event) == humming.map(\.event))
    var compared = 0
    for (one, other) in zip(clean, humming) {
      let name = "\(one.name) of event \(one.event ?? -1)"
      #expect((one.value == nil) == (other.value == nil), "\(name): \(other.note ?? "")")
      guard let value = one.value, let found = other.value else { continue }
      guard let doubt = one.uncertainty, let told = other.uncertainty, doubt > 0 else { continue }
      if one.name == ReadingName(.responseSNR) {
        // Over the noise, which holds what may be left.
        #expect(found < value + 0.01 && found > value - 3, "\(name): \(found), \(value)")
        continue
      }
      #expect(abs(found - value) < told, "\(name): \(found), \(value) ± \(doubt)")
      // Noise that is estimated anew scatters by a part in a thousand.
      #expect(told > 0.99 * doubt, "\(name): \(told), \(doubt)")
      compared += 1
    }
    #expect(compared > 20, "\(compared)")
  }

  @Test func `the noise floor says what hums and holds what may be left`() throws {
    let pair = try Self.pair(Self.steady(49.93, 0.3))
    let (clean, floor) = (
      try pair.clean.reading(.noiseFloor), try pair.humming.reading(.noiseFloor)
    )
    #expect(clean.note == nil)
    #expect(
      floor.note == "the quiet of the take hums with 0.3 m/s2 at 49.93 Hz and 0.09 at 149.8 Hz: "
        + "break the ground loop or shield the cable")
    #expect(abs(try #require(floor.value) / (try #require(clean.value)) - 1) < 0.01)
  }

  @Test func `hum that is not steady is told as the reason of what is not measured`() throws {
    // 0.2 Hz more from the middle of the take on.
    let pair = try Self.pair { time in
      let turns = 49.9 * time + 0.2 * max(0, time - 1)
      return 40 * sin(2 * .pi * turns) + 12 * sin(6 * .pi * turns)
    }
    let words = "is not taken off"
    let floor = try pair.humming.reading(.noiseFloor)
    #expect(floor.note?.contains(words) == true, "\(floor.note ?? "")")
    #expect(try #require(floor.value) > 1)
    let transport = try pair.humming.reading(.latencyTransport)
    #expect(transport.value == nil && transport.note?.contains(words) == true)
  }

  @Test func `a take without hum is not touched`() throws {
    let take = try Self.take()
    let recording = Self.plant.record(take, on: Self.rig)
    let (same, found) = recording.withoutHum(take.quietEnds(of: recording))
    #expect(found.isEmpty && same == recording)
  }

  @Test func `frames that were lost keep what stands for them`() throws {
    let take = try Self.take()
    let whole = Self.plant.record(take, on: Self.rig).humming(Self.steady(49.93, 0.3))
    let lost = 60_000..<60_200
    let recording = Recording(
      channels: whole.channels.map {
        Recording.Channel(description: $0.description, samples: $0.samples.holding(0, in: [lost]))
      }, rate: whole.rate, frameCount: whole.frameCount, driveFrameCount: whole.driveFrameCount,
      captureEvents: [StreamEvent(kind: .drop, frame: lost.lowerBound, length: lost.count)])
    let (cleaned, found) = recording.withoutHum(take.quietEnds(of: recording))
    #expect(found["acceleration"]?.isSteady == true)
    let samples = try #require(cleaned.channel(.acceleration)).samples
    #expect(samples[lost].allSatisfy { $0 == 0 })
    #expect(samples[0..<4_800].allSatisfy { abs($0 - 9.8) < 0.06 })
  }

  @Test(arguments: [0.05, 2.5])
  func `a segment of a calibration is cut without its hum`(seconds: Double) throws {
    let rig = Rigs.described(
      drive: [.haptic: 1, .reference: 2], capture: [.acceleration, .reference])
    let rate = SampleRate.standard
    let segment = CalibrationSegment(
      number: 3, purpose: .level, title: "a tone",
      volts: (0..<rate.wholeFrames(seconds)).map {
        Float(2 * sin(2 * .pi * 145 * rate.seconds(Double($0))))
      }, rate: rate)
    let take = SegmentTake(segment, rig: rig, limits: Rigs.limits)
    let recording = Self.record(take, on: rig)
    func response(_ recording: Recording) -> SegmentResponse {
      SegmentResponse(segment, take: take, recording: recording, rig: rig, clock: nil)
    }
    let clean = response(recording)
    #expect(clean.axes[0].hum == nil)
    let humming = response(recording.humming(Self.steady(49.93, 0.3)))
    let hum = try #require(humming.axes[0].hum)
    #expect(hum.sentence.hasPrefix("axis z of the accelerometer hums with 0.3 m/s2 at 49.93 Hz"))
    let left = try #require(hum.left)
    let rest = zip(clean.axes[0].samples, humming.axes[0].samples).map { $0 - $1 }
    #expect(Amplitude.rms(rest) < 2 * left && left < 0.003, "\(Amplitude.rms(rest)), \(left)")
    #expect(humming.input == clean.input)
    // Four samples at the end of a converter in two places are clipping, and must be seen as such.
    let clipping = response(recording.humming(Self.steady(49.93, 0.3), clippedAt: 1))
    #expect(clipping.axes[0].hum == nil)
  }
}

extension HumTests {
  /// A wire and a stiff body, both late by whole frames: 3 m/s2 for a full scale.
  private static func record(_ take: SegmentTake, on rig: RigDescription) -> Recording {
    var random = SeededRandom(seed: 0x400)
    let channels = rig.capture.channels.map { channel in
      let isMotion = channel.role == .acceleration
      let (role, late) = isMotion ? (DriveRole.haptic, 330) : (.reference, 300)
      let (gain, sigma) = isMotion ? (3.0, 0.01) : (4.0, 1e-4)
      let sent = Array(take.frames.channels[role] ?? [])
      return Recording.Channel(
        description: channel.port,
        samples: sent.indices.map { frame in
          let value = frame < late ? 0 : gain * Double(sent[frame - late])
          return Float(value + sigma * random.gaussian())
        })
    }
    return Recording(
      channels: channels, rate: take.frames.rate, frameCount: take.frames.count,
      driveFrameCount: take.frames.count)
  }
}

extension Recording {
  /// The recording with a hum added to its acceleration, by the time since its first frame in
  /// seconds.
  fileprivate func humming(
    _ hum: (Double) -> Double, clippedAt end: Float = .infinity
  ) -> Recording {
    Recording(
      channels: channels.map { channel in
        guard channel.description.role == .acceleration else { return channel }
        let samples = channel.samples[channel.samples.indices].enumerated().map {
          max(-end, min(end, Float(Double($1) + hum(rate.seconds(Double($0))))))
        }
        return Channel(description: channel.description, samples: samples)
      }, rate: rate, frameCount: frameCount, driveFrameCount: driveFrameCount)
  }
}
