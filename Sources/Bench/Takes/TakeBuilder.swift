// SPDX-License-Identifier: Apache-2.0

import AHAP
package import Actuators
package import Devices
package import HapticRendering
package import Profiles
import SignalAnalysis
package import Units

/// What is sent to a rig from start to stop: a list of samples for each role.
public struct DriveFrames: Sendable {
  /// Samples of -1...1 of the device's full scale, planar, one list a role, all of one length.
  package let channels: [DriveRole: Samples]
  package let count: Int
  package let rate: SampleRate

  package init(channels: [DriveRole: Samples], count: Int, rate: SampleRate) {
    precondition(
      channels.values.allSatisfy { $0.count == count }, "every channel needs \(count) samples")
    self.channels = channels
    self.count = count
    self.rate = rate
  }

  package init(channels: [DriveRole: [Float]], count: Int, rate: SampleRate) {
    self.init(channels: channels.mapValues(Samples.init), count: count, rate: rate)
  }

  /// Interleaves a stretch for a device, silent beyond the last frame; its channels count from 1.
  package func interleaved(
    _ frames: Range<Int>, roles: [DriveRole: Int], channelCount: Int
  ) -> [Float] {
    var block = [Float](repeating: 0, count: frames.count * channelCount)
    let inside = frames.clamped(to: 0..<count)
    for (role, channel) in roles {
      guard let samples = channels[role]?[inside] else { continue }
      for (index, sample) in samples.enumerated() {
        block[(inside.lowerBound - frames.lowerBound + index) * channelCount + channel - 1] = sample
      }
    }
    return block
  }
}

/// Where the parts of one take lie, in drive frames.
///
/// Quiet, a marker on the reference, quiet in which the noise floor is read, the probe that identifies
/// the actuator and its ringing out, the pattern, at least half a second of silence, a marker on the
/// reference, and silence for what is still on its way.
package struct TakeLayout: Sendable, Equatable {
  package let startMarker: Int
  package let markerLength: Int
  package let probe: Int?
  package let probeLength: Int
  /// The frame at which the pattern's time is 0.
  package let pattern: Int
  /// How many frames the pattern takes, release tails included.
  package let patternLength: Int
  package let endMarker: Int
  var markers: [Int] { [startMarker, endMarker] }
  package let frameCount: Int

  /// Silence in which the noise floor is read, in seconds: from the capture's first frame.
  package static let quiet = 0.30
  package static let ringOut = 0.40
  package static let tail = 0.50
  /// The longest electrical delay that is looked for, in seconds.
  package static let longestDelay = 0.25

  package init(
    rate: SampleRate, patternLength: Int, probeLength: Int?, markerLength: Int
  ) {
    let quiet = rate.wholeFrames(Self.quiet)
    startMarker = rate.wholeFrames(0.05)
    self.markerLength = markerLength
    self.patternLength = patternLength
    if let probeLength {
      probe = quiet
      self.probeLength = probeLength
      pattern = quiet + probeLength + rate.wholeFrames(Self.ringOut)
    } else {
      probe = nil
      self.probeLength = 0
      pattern = quiet + rate.wholeFrames(0.05)
    }
    endMarker = pattern + patternLength + rate.wholeFrames(Self.tail)
    frameCount = endMarker + markerLength + rate.wholeFrames(Self.longestDelay + 0.01)
  }
}

/// One take as it is sent: a channel for each role, and where its parts lie.
public struct TakeDrive: Sendable {
  package internal(set) var channels: [DriveRole: Samples]
  package let layout: TakeLayout
  package let rate: SampleRate
  /// What the actuator's limits held back.
  package let limited: DriveLimiter.Counts
  /// Frames whose sum the mixing law bent.
  package let mixingLimited: Int
  /// Frames that the profile's inverse held at its peak; `nil` without a profile.
  package let profileLimited: Int?
  /// Places in the timeline of the events that were left out for want of voices.
  package let droppedEvents: [Int]
  /// The share beyond what the actuator can do; `nil` without a profile, or a haptic event.
  package let gamutOutside: Double?
  package let intent: Intent
  let sounds: SoundBank
  let configuration: RenderConfiguration

  /// What is heard between both loudspeakers: the only one that is wired, or the mean of both.
  func heard(_ left: [Float], _ right: [Float]) -> [Float] {
    switch (channels[.audio] != nil, channels[.audioLeft] != nil, channels[.audioRight] != nil) {
    case (false, true, false): left
    case (false, false, true): right
    default: Self.mean(left, right)
    }
  }

  static func mean(_ left: [Float], _ right: [Float]) -> [Float] {
    zip(left, right).map { ($0 + $1) / 2 }
  }

  /// How many frames from the first on nothing but the reference is driven: what the sensor shows is noise.
  var quietFrames: Int { (layout.probe ?? layout.pattern) - rate.wholeFrames(0.01) }

  package var frames: DriveFrames {
    DriveFrames(channels: channels, count: layout.frameCount, rate: rate)
  }
}

package struct TakeBuilder: Sendable {
  package let rig: RigDescription
  package let configuration: RenderConfiguration
  package let limits: DriveLimits
  package let hasProbe: Bool

  /// For the rig's first actuator, under laws whose full scale and waveform are the actuator's.
  ///
  /// Sharpness and intensity are the profile's; without one the drive is in shares of full scale.
  package init(
    rig: RigDescription, laws: RenderConfiguration = .init(), profile: CalibrationProfile? = nil,
    hasProbe: Bool
  ) {
    self.rig = rig
    let actuator = rig.actuators[0]
    limits = profile?.actuator.limits ?? actuator.limits
    let isTone = actuator.kind != .erm
    var configuration = laws
    configuration.rate = rig.drive.rate
    configuration.waveform = isTone ? .tone : .level
    configuration.fullScale =
      limits.safeFullScale(fullScaleVolts: rig.drive.fullScaleVolts, isTone: isTone)
      / rig.drive.fullScaleVolts
    if let profile {
      configuration.sharpnessLaw = profile.laws.sharpness
      configuration.intensityLaw = profile.laws.intensity
      configuration.profile = ProfileRendering(
        profile: profile, fullScaleVolts: rig.drive.fullScaleVolts, rate: rig.drive.rate,
        transientLength: laws.transientShape.length)
    }
    self.configuration = configuration
    self.hasProbe = hasProbe
  }

  package func timeline(of pattern: LoadedPattern) -> Timeline {
    pattern.timeline(under: configuration)
  }

  package func build(_ pattern: LoadedPattern) -> TakeDrive {
    let rate = configuration.rate
    let timeline = timeline(of: pattern)
    var renderer = HapticRenderer(
      timeline: timeline, configuration: configuration, sounds: pattern.sounds)
    let marker = Sweep.marker.samples(at: rate)
    let probe = hasProbe ? probeSamples : nil
    let layout = TakeLayout(
      rate: rate, patternLength: renderer.frameCount, probeLength: probe?.count,
      markerLength: marker.count)

    let scale = configuration.fullScale * (probe == nil ? 1 : probeShare)
    var limiter = DriveLimiter(
      limits: limits, fullScaleVolts: rig.drive.fullScaleVolts, rate: rate.hertz)
    let writers = rig.drive.channels.mapValues { _ in SampleWriter(expected: layout.frameCount) }
    for first in stride(from: 0, to: layout.frameCount, by: Self.blockFrames) {
      let frames = first..<min(first + Self.blockFrames, layout.frameCount)
      var block = rendered(frames, by: &renderer, layout: layout)
      if let probe, let start = layout.probe {
        block.haptic.place(probe, scaledBy: scale, at: start - first)
      }
      limiter.process(&block.haptic)
      wire(block, marker: marker, markerStarts: layout.markers.map { $0 - first }, to: writers)
    }

    let intent = Intent(timeline: timeline, configuration: configuration)
    return TakeDrive(
      channels: writers.mapValues { $0.finish() }, layout: layout, rate: rate,
      limited: limiter.counts,
      mixingLimited: renderer.limitedFrames,
      profileLimited: configuration.profile == nil ? nil : renderer.heldFrames,
      droppedEvents: renderer.droppedEventIndices,
      gamutOutside: configuration.profile.flatMap { intent.shareOutside(gamutOf: $0) },
      intent: intent, sounds: pattern.sounds, configuration: configuration)
  }

  /// How many frames a take of a pattern has, without drawing it.
  package func frameCount(of pattern: LoadedPattern) -> Int {
    let rate = configuration.rate
    let renderer = HapticRenderer(
      timeline: timeline(of: pattern), configuration: configuration, sounds: pattern.sounds)
    return TakeLayout(
      rate: rate, patternLength: renderer.frameCount,
      probeLength: hasProbe ? probeSamples.count : nil,
      markerLength: Sweep.marker.samples(at: rate).count
    ).frameCount
  }

  /// The probe as shares of the safe full scale: a sweep, or the steps of a motor.
  var probeSamples: [Double] {
    configuration.waveform == .tone
      ? Sweep.probe.samples(at: configuration.rate)
      : MotorProbe.samples(at: configuration.rate)
  }

  private static let blockFrames = 1 << 14

  private typealias Block = (haptic: [Float], left: [Float], right: [Float])

  /// The channels in frames that follow those asked for before; silence around the pattern.
  private func rendered(
    _ frames: Range<Int>, by renderer: inout HapticRenderer, layout: TakeLayout
  ) -> Block {
    var haptic = [Float](repeating: 0, count: frames.count)
    let span = (layout.pattern..<(layout.pattern + layout.patternLength)).clamped(to: frames)
    guard !span.isEmpty else { return (haptic, haptic, haptic) }
    var (left, right) = (haptic, haptic)
    let inside = (span.lowerBound - frames.lowerBound)..<(span.upperBound - frames.lowerBound)
    var hapticSpan = haptic.mutableSpan
    var leftSpan = left.mutableSpan
    var rightSpan = right.mutableSpan
    var hapticPart = hapticSpan._mutatingExtracting(inside)
    var leftPart = leftSpan._mutatingExtracting(inside)
    var rightPart = rightSpan._mutatingExtracting(inside)
    renderer.render(haptic: &hapticPart, left: &leftPart, right: &rightPart)
    return (haptic, left, right)
  }

  private func wire(
    _ block: Block, marker: [Double], markerStarts: [Int], to writers: [DriveRole: SampleWriter]
  ) {
    for (role, writer) in writers {
      switch role {
      case .haptic: writer.append(block.haptic)
      case .audioLeft: writer.append(block.left)
      case .audioRight: writer.append(block.right)
      case .audio: writer.append(TakeDrive.mean(block.left, block.right))
      case .reference:
        var reference = block.haptic
        for start in markerStarts { reference.place(marker, at: start) }
        writer.append(reference)
      }
    }
  }
}

/// Renders takes one after the other: repeats that follow one another share one drive.
package struct RepeatedDrive {
  private var last: (pattern: Int, drive: TakeDrive)?

  package init() {}

  package mutating func drive(
    of pattern: Int, in patterns: [LoadedPattern], by builder: TakeBuilder
  ) -> TakeDrive {
    if let last, last.pattern == pattern { return last.drive }
    let drive = builder.build(patterns[pattern])
    last = (pattern, drive)
    return drive
  }
}

/// The probe of a motor with an eccentric mass: a step from rest to a steady voltage, then one down to half of it.
///
/// A sweep says nothing about a motor whose strength is a voltage. The first step tells how it gets going, the
/// second how its speed goes with the voltage. Both change within 2 ms, so that a step stays one that an amplifier
/// can follow.
enum MotorProbe {
  /// Both voltages, as shares of the safe full scale; the first lasts six time constants of a slow motor.
  static let steps = [(share: 0.8, seconds: 0.4), (share: 0.4, seconds: 0.3)]
  /// How long a change of level takes, in seconds.
  static let ramp = 0.002

  static func samples(at rate: SampleRate) -> [Double] {
    var before = 0.0
    var samples: [Double] = []
    let frames = rate.wholeFrames(ramp)
    for step in steps {
      for frame in 0..<rate.wholeFrames(step.seconds) {
        let part = min(1, (Double(frame) + 0.5) / Double(frames))
        samples.append(before + (step.share - before) * part)
      }
      before = step.share
    }
    // Back to rest as evenly.
    let last = samples.count
    for frame in 0..<min(frames, last) {
      samples[last - 1 - frame] *= (Double(frame) + 0.5) / Double(frames)
    }
    return samples
  }
}

extension Intent {
  /// How much lies beyond what an actuator can do, as a share of the haptic events' time.
  ///
  /// Looked at in steps of a millisecond, a tap at its start; `nil` without a haptic event.
  fileprivate func shareOutside(gamutOf profile: ProfileRendering) -> Double? {
    let step = 1e-3
    var (total, beyond) = (0, 0)
    for event in timeline.events where event.kind.isHaptic {
      let weight = max(1, Int((event.end - event.start) / step))
      let looks = event.kind == .transient ? 1 : weight
      for look in 0..<looks {
        let time = event.start + (Double(look) + (looks == 1 ? 0 : 0.5)) * step
        let intensity = intensity(of: event, at: time)
        guard intensity > 0 else { continue }
        total += weight / looks
        let isReached = profile.reaches(
          event.kind, intensity: intensity, sharpness: sharpness(of: event, at: time))
        if !isReached { beyond += weight / looks }
      }
    }
    return total > 0 ? Double(beyond) / Double(total) : nil
  }
}

extension [Float] {
  /// Puts a known signal in the place of what stands from a frame on, as far as it lies inside.
  mutating func place(_ samples: [Double], scaledBy scale: Double = 1, at start: Int) {
    for frame in (start..<start + samples.count).clamped(to: indices) {
      self[frame] = Float(samples[frame - start] * scale)
    }
  }
}
