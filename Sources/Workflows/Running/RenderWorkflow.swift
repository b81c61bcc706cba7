// SPDX-License-Identifier: Apache-2.0

import Acceptance
package import Bench
import Devices
private import Glibc
package import HapticRendering
import LiveRuns
import RigDevices
import SignalAnalysis
package import SoundFiles
package import Units

package enum RenderWorkflow {
  package struct Outcome: Sendable {
    /// Its channels: the drive, and left and right where the pattern has sound.
    package let channels: Int
    package let frames: Int
  }

  /// What became of a pattern's events and samples as it was drawn.
  package struct Drawn: Sendable {
    package let frames: Int
    /// Samples above full scale, which the mixing law bent.
    let limitedFrames: Int
    /// Samples that a profile's inverse held at its peak.
    let heldFrames: Int
    let droppedEvents: Int
  }

  /// Draws a pattern stretch by stretch: the drive, and the sound left and right, all of one length.
  package static func draw(
    _ pattern: LoadedPattern, configuration: RenderConfiguration,
    _ body: (_ haptic: [Float], _ left: [Float], _ right: [Float]) throws -> Void
  ) rethrows -> Drawn {
    var renderer = HapticRenderer(
      timeline: pattern.timeline(under: configuration), configuration: configuration,
      sounds: pattern.sounds)
    let stretch = 4096
    var remaining = renderer.frameCount
    while remaining > 0 {
      let count = min(stretch, remaining)
      var haptic = [Float](repeating: 0, count: count)
      var left = haptic
      var right = haptic
      do {
        var span = haptic.mutableSpan
        var leftSpan = left.mutableSpan
        var rightSpan = right.mutableSpan
        renderer.render(haptic: &span, left: &leftSpan, right: &rightSpan)
      }
      try body(haptic, left, right)
      remaining -= count
    }
    return Drawn(
      frames: renderer.frameCount, limitedFrames: renderer.limitedFrames,
      heldFrames: renderer.heldFrames, droppedEvents: renderer.droppedEvents)
  }

  package static func write(
    _ pattern: LoadedPattern, configuration: RenderConfiguration, to out: String,
    by user: RigOperator
  ) throws -> Outcome {
    try write(pattern, configuration: configuration, by: user) { channels in
      try SoundFileWriter(path: out, channels: channels, rate: configuration.rate)
    }
  }

  /// Writes the sound into what is opened for as many channels as it has.
  package static func write(
    _ pattern: LoadedPattern, configuration: RenderConfiguration, by user: RigOperator,
    _ open: (_ channels: Int) throws -> SoundFileWriter
  ) throws -> Outcome {
    let hasSound = pattern.timeline(under: configuration).events.contains { !$0.kind.isHaptic }
    let channels = hasSound ? 3 : 1
    var writer = try open(channels)
    let drawn = try draw(pattern, configuration: configuration) { haptic, left, right in
      var block: [Float] = []
      block.reserveCapacity(haptic.count * channels)
      for frame in haptic.indices {
        block.append(haptic[frame])
        if hasSound { block += [left[frame], right[frame]] }
      }
      try writer.write(block)
    }
    try writer.close()
    if drawn.limitedFrames > 0 {
      user.notice(
        .drive,
        "\(pattern.file): \(drawn.limitedFrames) samples of the drive lie above full scale "
          + "(mixing law: \(configuration.mixingLaw.name))")
    }
    if drawn.heldFrames > 0, let profile = configuration.profile {
      user.notice(
        .drive,
        "\(pattern.file): \(drawn.heldFrames) samples of the drive are held at the peak of "
          + "\(EngineeringFormat.significant(profile.peakVolts)) V")
    }
    if drawn.droppedEvents > 0 {
      user.notice(
        .drive,
        "\(pattern.file): \(drawn.droppedEvents) events were left out: more than "
          + "\(configuration.voiceLimit) sounded at once")
    }
    return Outcome(channels: channels, frames: drawn.frames)
  }
}

/// A drive or a response as it is heard: what is felt lies too low for most loudspeakers.
package enum HeardVibration {
  /// The rate of what was raised: twice what three octaves above 800 Hz need.
  package static let rate = SampleRate(hertz: 16_000)

  /// A vibration raised by whole octaves, its envelope and its time kept, at ``rate``.
  package static func raised(
    _ samples: [Float], rate own: SampleRate, octaves: Int
  ) throws -> [Float] {
    let signal = try Resampler.resample(Signal(samples: samples, rate: own, unit: .one), to: rate)
    return OctaveShift.raised(signal.samples, rate: rate, octaves: octaves)
  }
}

package enum StimulusWorkflow {
  /// How many seconds the takes last that were written one after the other.
  package static func execute(_ request: RunRequest, by user: RigOperator) throws -> Double {
    let (rig, plan, patterns) = (request.rig, request.plan, request.patterns)
    do {
      let builder = request.builder
      try builder.checkLimits(of: patterns)
      let open = try OpenRig(rig) { user.notice(.device, $0) }
      let width = rig.drive.channelCount
      var drives = RepeatedDrive()
      var frames = 0
      try open.output.start()
      for case .take(let pattern, _, _) in PlanSchedule(plan, patternCount: patterns.count).steps {
        let take = drives.drive(of: pattern, in: patterns, by: builder)
        let count = take.layout.frameCount
        for first in stride(from: 0, to: count, by: 4096) {
          let block = take.frames.interleaved(
            first..<min(count, first + 4096), roles: rig.drive.channels, channelCount: width)
          var done = 0
          while done < block.count {
            done += try open.output.write(block.span.extracting(done..<block.count)) * width
          }
        }
        frames += count
      }
      try open.output.stop()
      try open.finish()
      return Double(frames) / rig.drive.rate.hertz
    } catch let error as DeviceError where error.errno == ENOSPC {
      throw error
    } catch {
      // The only device here is the file that a person named.
      throw InputError("\(error)")
    }
  }
}
