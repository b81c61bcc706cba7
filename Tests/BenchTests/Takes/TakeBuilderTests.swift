// SPDX-License-Identifier: Apache-2.0

import Actuators
import Bench
import Devices
import Profiles
import SignalAnalysis
import Testing
import Units

struct TakeBuilderTests {
  private static let taps = [AHAPText.tap(at: 0), AHAPText.tap(at: 0.2, intensity: 0.5)]

  private func take(
    _ events: [String] = Self.taps, rig: RigDescription = Rigs.described(), hasProbe: Bool = true,
    sounds: [String] = [], stereo: Bool = false
  ) throws -> TakeDrive {
    TakeBuilder(rig: rig, hasProbe: hasProbe).build(
      try Rigs.pattern(events, sounds: sounds, stereo: stereo))
  }

  private func channel(_ role: DriveRole, of take: TakeDrive) throws -> [Float] {
    Array(try #require(take.channels[role]))
  }

  @Test func `every role of the rig has a channel of the take's length`() throws {
    let roles: [DriveRole: Int] = [.haptic: 2, .audioLeft: 1, .audioRight: 4, .reference: 3]
    let take = try take(rig: Rigs.described(drive: roles))
    #expect(Set(take.channels.keys) == Set(roles.keys))
    for (role, samples) in take.channels {
      #expect(samples.count == take.layout.frameCount, "\(role)")
    }
  }

  @Test func `the reference is the haptic drive as sent with both markers`() throws {
    let take = try take()
    var expected = try channel(.haptic, of: take)
    let marker = Sweep.marker.samples(at: .standard)
    #expect(take.layout.markerLength == marker.count)
    for start in [take.layout.startMarker, take.layout.endMarker] {
      for (index, sample) in marker.enumerated() {
        #expect(expected[start + index] == 0)
        expected[start + index] = Float(sample)
      }
    }
    #expect(try channel(.reference, of: take) == expected)
  }

  @Test func `the actuator is at rest outside probe and pattern`() throws {
    let take = try take()
    let haptic = try channel(.haptic, of: take)
    let probe = try #require(take.layout.probe)
    let driven = [
      probe..<(probe + take.layout.probeLength),
      take.layout.pattern..<(take.layout.pattern + take.layout.patternLength),
    ]
    let stray = haptic.indices.filter { frame in
      haptic[frame] != 0 && !driven.contains { $0.contains(frame) }
    }
    #expect(stray.isEmpty)
    for span in driven { #expect(haptic[span].contains { $0 != 0 }) }
  }

  @Test func `nothing of the pattern comes before its frame, and the first tap at it`() throws {
    let take = try take(hasProbe: false)
    let haptic = try channel(.haptic, of: take)
    let first = try #require(haptic.firstIndex { $0 != 0 })
    #expect((take.layout.pattern...(take.layout.pattern + 1)).contains(first))
  }

  @Test func `the probe is the sweep at the safe full scale`() throws {
    // 2 V for ever is a peak of 2.83 V: below the peak limit of 3 V and the full scale of 4 V.
    let take = try take()
    let haptic = try channel(.haptic, of: take)
    let probe = try #require(take.layout.probe)
    let scale = 2 * 2.0.squareRoot() / 4
    for (index, sample) in Sweep.probe.samples(at: .standard).enumerated() {
      #expect(abs(Double(haptic[probe + index]) - scale * sample) < 1e-6, "frame \(index)")
    }
  }

  @Test func `a pattern is drawn alike with a probe and without`() throws {
    let (with, without) = (try take(), try take(hasProbe: false))
    #expect(without.layout.probe == nil)
    let first = try channel(.haptic, of: with)[with.layout.pattern...]
    let second = try channel(.haptic, of: without)[without.layout.pattern...]
    let count = with.layout.patternLength
    #expect(Array(first.prefix(count)) == Array(second.prefix(count)))
  }

  @Test func `an eccentric mass gets a steady voltage, and steps for a probe`() throws {
    let rig = Rigs.described(kind: .erm)
    let buzz = [AHAPText.buzz(at: 0, duration: 0.5, intensity: 1)]
    let take = try take(buzz, rig: rig)
    let haptic = try channel(.haptic, of: take)
    let probe = try #require(take.layout.probe)
    // Two levels of the safe full scale, 2 of 4 V, and rest before and after.
    #expect(haptic[probe - 1] == 0 && haptic[probe + take.layout.probeLength] == 0)
    #expect(abs(haptic[probe + 9_600] - 0.4) < 1e-6 && abs(haptic[probe + 28_800] - 0.2) < 1e-6)
    // The safe full scale of a steady voltage is the continuous limit itself: 2 of 4 V.
    let middle = haptic[(take.layout.pattern + 4_800)..<(take.layout.pattern + 19_200)]
    #expect(middle.allSatisfy { abs($0 - 0.5) < 1e-6 })
    #expect(haptic.allSatisfy { $0 >= 0 })
  }

  @Test func `one sound channel carries the mean of left and right`() throws {
    let events = Self.taps + [AHAPText.sound("burst.wav", at: 0.05)]
    let mono = try take(events, sounds: ["burst.wav"], stereo: true)
    let wide = try take(
      events,
      rig: Rigs.described(
        drive: [.haptic: 1, .audioLeft: 2, .audioRight: 3], capture: [.acceleration]),
      sounds: ["burst.wav"], stereo: true)
    let left = try channel(.audioLeft, of: wide)
    let right = try channel(.audioRight, of: wide)
    let both = try channel(.audio, of: mono)
    #expect(left != right)
    #expect(both.contains { $0 != 0 })
    for frame in both.indices {
      #expect(abs(both[frame] - (left[frame] + right[frame]) / 2) < 1e-6, "frame \(frame)")
    }
    let first = try #require(both.firstIndex { $0 != 0 })
    #expect(first >= mono.layout.pattern + 2_400)
  }

  @Test func `a rig without sound gets none`() throws {
    let take = try take(
      Self.taps + [AHAPText.sound("burst.wav", at: 0)],
      rig: Rigs.described(drive: [.haptic: 1], capture: [.acceleration]), sounds: ["burst.wav"])
    #expect(Set(take.channels.keys) == [.haptic])
  }

  @Test(arguments: [
    DriveLimits(continuousVolts: 2, peakVolts: 3),
    DriveLimits(continuousVolts: 0.2, peakVolts: 4, thermalTime: 0.05),
    DriveLimits(continuousVolts: 3, peakVolts: 1),
    DriveLimits(continuousVolts: 2, peakVolts: 3, slope: 300),
  ])
  func `the drive never exceeds what the actuator bears`(limits: DriveLimits) throws {
    // Eight in step ask for eight times what one may have.
    let events = (0..<8).map { _ in AHAPText.buzz(at: 0, duration: 0.4) }
    let rig = Rigs.described(limits: limits)
    let take = try take(events, rig: rig)
    let volts = try channel(.haptic, of: take).map { Double($0) * rig.drive.fullScaleVolts }
    #expect(take.limited.total > 0)
    #expect(take.limited.total == take.limited.peak + take.limited.slope + take.limited.thermal)
    let tolerance = 1 + 1e-6
    #expect(volts.allSatisfy { abs($0) <= limits.peakVolts * tolerance })
    if let slope = limits.slope {
      let step = slope / 48_000
      for frame in 1..<volts.count {
        #expect(abs(volts[frame] - volts[frame - 1]) <= step + 1e-5, "frame \(frame)")
      }
    }
    // The mean square over the thermal time, as a first-order average, from rest.
    let decay = 1 / (limits.thermalTime * 48_000)
    var mean = 0.0
    var highest = 0.0
    for volt in volts {
      mean += (volt * volt - mean) * decay
      highest = max(highest, mean)
    }
    #expect(highest.squareRoot() <= limits.continuousVolts * 1.001)
  }

  @Test func `one event alone is never limited`() throws {
    let take = try take([AHAPText.buzz(at: 0, duration: 2)])
    #expect(take.limited.total == 0)
    #expect(take.droppedEvents.isEmpty)
  }

  @Test func `interleaving puts each role on its channel and silence beyond the take`() throws {
    let rig = Rigs.described(drive: [.haptic: 2, .reference: 4], capture: [.acceleration])
    let take = try take(rig: rig, hasProbe: false)
    let total = take.layout.frameCount
    let block = take.frames.interleaved(
      (total - 100)..<(total + 50), roles: rig.drive.channels, channelCount: 4)
    #expect(block.count == 600)
    let haptic = try channel(.haptic, of: take)
    let reference = try channel(.reference, of: take)
    for frame in 0..<150 {
      let inside = frame < 100
      #expect(block[frame * 4] == 0)
      #expect(block[frame * 4 + 1] == (inside ? haptic[total - 100 + frame] : 0))
      #expect(block[frame * 4 + 3] == (inside ? reference[total - 100 + frame] : 0))
    }
  }
}
