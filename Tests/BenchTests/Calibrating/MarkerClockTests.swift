// SPDX-License-Identifier: Apache-2.0

import Actuators
import Calibration
import Devices
import Glibc
import Profiles
import SeededRandom
import SignalAnalysis
import Testing
import Units

@testable import Bench

/// A capture whose clock is off sees every frequency off: it is put on the drive's clock.
struct MarkerClockTests {
  private static let rate = SampleRate.standard
  private static let rig = Rigs.described(
    drive: [.haptic: 1, .reference: 2], capture: [.acceleration, .reference])
  private static let frequency = 145.0
  private static let delay = 0.0093

  private func segment(seconds: Double) -> CalibrationSegment {
    CalibrationSegment(
      number: 3, purpose: .level, title: "a tone",
      volts: (0..<Self.rate.wholeFrames(seconds)).map {
        Float(2 * sin(2 * .pi * Self.frequency * Self.rate.seconds(Double($0))))
      }, rate: Self.rate)
  }

  /// What a capture delivers whose clock is off by a share; by formula, no filter.
  private func record(
    _ segment: CalibrationSegment, _ take: SegmentTake, clock: Double, noise: Double = 1e-5,
    lost: Range<Int>? = nil
  ) -> Recording {
    var random = SeededRandom(seed: 0x0c10c)
    let hertz = Self.rate.hertz
    func tone(_ time: Double) -> Double {
      let own = time - Double(take.start) / hertz
      return own >= 0 && own < segment.duration && segment.level > 0
        ? sin(2 * .pi * Self.frequency * own) : 0
    }
    var (reference, motion): ([Float], [Float]) = ([], [])
    for frame in 0..<take.frames.count {
      let time = Double(frame) / (1 + clock) / hertz - Self.delay
      // Full scale is 4 V: a tone of 2 V is half of it; the wire gives 0.8 of what is sent.
      let markers = take.markers.reduce(0) {
        $0 + Sweep.marker.value(at: time - Double($1) / hertz)
      }
      reference.append(Float(0.8 * (markers + 0.5 * tone(time)) + noise * random.gaussian()))
      motion.append(Float(3 * tone(time - 0.0007) + 0.01 * random.gaussian()))
    }
    let channels = zip(Self.rig.capture.channels.map(\.port), [motion, reference])
    return Recording(
      channels: channels.map { Recording.Channel(description: $0, samples: $1) }, rate: Self.rate,
      frameCount: take.frames.count, driveFrameCount: take.frames.count,
      captureEvents: lost.map {
        [StreamEvent(kind: .overrun, frame: $0.lowerBound, length: $0.count)]
      } ?? [])
  }

  private func take(_ segment: CalibrationSegment, clock: Double? = nil) -> SegmentTake {
    SegmentTake(
      segment, rig: Self.rig, limits: Rigs.limits, clock: clock)
  }

  @Test(arguments: [0, 20e-6, -300e-6, 500e-6, 3e-3, -0.0137, 0.02, 0.03])
  func `frequency and height come out as sent, whatever the capture's clock`(
    clock: Double
  ) throws {
    let segment = segment(seconds: 1.2)
    let take = take(segment)
    let response = SegmentResponse(
      segment, take: take, recording: record(segment, take, clock: clock), rig: Self.rig,
      clock: nil)
    let found = try #require(response.clock)
    #expect(abs(found.value - clock) < 0.2e-6, "\(found)")
    #expect(response.gaps.isEmpty)
    let window = response.lead + 4_800..<response.lead + segment.volts.count - 4_800
    for (samples, height) in [(response.input, 2.0), (response.axes[0].samples, 3.0)] {
      let tone = try #require(
        ToneFit.refining(
          samples, frames: window, rate: Self.rate, frequency: Self.frequency + 0.05))
      #expect(abs(tone.frequency.value / Self.frequency - 1) < 3e-6, "\(tone.frequency)")
      #expect(abs(tone.fundamental.amplitude.value / height - 1) < 5e-4, "\(tone.components)")
    }
  }

  @Test func `a noisy reference tells the clock too`() throws {
    let segment = segment(seconds: 1.2)
    let take = take(segment)
    let recording = record(segment, take, clock: 0.012, noise: 0.05)
    let reference = try #require(recording.channel(.reference)).samples
    let clock = MarkerClock(markers: take.markers, in: reference, of: recording, known: nil)
    let found = try #require(clock.offset)
    #expect(abs(found.value - 0.012) < 4 * found.uncertainty && found.uncertainty < 3e-6)
  }

  @Test func `what an earlier segment told is looked for first, and need not be exact`() throws {
    let segment = segment(seconds: 1.2)
    let take = take(segment, clock: 0.02)
    let recording = record(segment, take, clock: 0.020_05)
    let reference = try #require(recording.channel(.reference)).samples
    let clock = MarkerClock(markers: take.markers, in: reference, of: recording, known: 0.02)
    #expect(abs((clock.offset?.value ?? 0) - 0.020_05) < 1e-7)
    #expect(abs((clock.gain ?? 0) / 0.8 - 1) < 1e-4)
  }

  @Test(arguments: [0.088_435, -0.081_25])
  func `a rate that was mistaken for another is told`(clock: Double) throws {
    let segment = segment(seconds: 1)
    let take = take(segment)
    let recording = record(segment, take, clock: clock)
    let reference = try #require(recording.channel(.reference)).samples
    let found = MarkerClock(markers: take.markers, in: reference, of: recording, known: nil)
    #expect(abs((found.offset?.value ?? 0) - clock) < 3e-4)
  }

  @Test func `a fast capture has room for the last marker of a long segment`() {
    let segment = segment(seconds: 7)
    let take = take(segment, clock: 0.03)
    let response = SegmentResponse(
      segment, take: take, recording: record(segment, take, clock: 0.03), rig: Self.rig,
      clock: 0.03)
    #expect(response.gaps.isEmpty && response.delayUncertainty != nil)
  }

  @Test func `frames that are lost on a marker are lost frames and no missing wire`() {
    let segment = segment(seconds: 0.6)
    let take = take(segment)
    let response = SegmentResponse(
      segment, take: take,
      recording: record(
        segment, take, clock: 0, lost: take.markers[0] + 900..<take.markers[0] + 950),
      rig: Self.rig, clock: nil)
    #expect(!response.gaps.isEmpty)
  }

  @Test func `a silence is followed by the marker that the reference alone carries`() throws {
    let silence = CalibrationSegment(
      number: 0, purpose: .quiet, title: "silence",
      volts: [Float](repeating: 0, count: Self.rate.wholeFrames(1)), rate: Self.rate)
    let take = take(silence)
    let response = SegmentResponse(
      silence, take: take, recording: record(silence, take, clock: 0), rig: Self.rig, clock: nil)
    let end = response.lead + silence.volts.count
    #expect(response.input[..<end].allSatisfy { abs($0) < 1e-3 })
    // -12 dB of 4 V.
    #expect(abs((response.input[end...].map(abs).max() ?? 0) - 1.005) < 0.02)
    #expect(response.gaps.isEmpty)
  }
}
