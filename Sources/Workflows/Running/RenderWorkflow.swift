import Acceptance
package import Bench
import Devices
package import HapticRendering
import LiveRuns
import RigDevices
import SoundFiles
import Units

package enum RenderWorkflow {
  package struct Outcome: Sendable {
    /// Its channels: the drive, and left and right where the pattern has sound.
    package let channels: Int
    package let frames: Int
  }

  package static func write(
    _ pattern: LoadedPattern, configuration: RenderConfiguration, to out: String,
    by user: RigOperator
  ) throws -> Outcome {
    let timeline = pattern.timeline(under: configuration)
    var renderer = HapticRenderer(
      timeline: timeline, configuration: configuration, sounds: pattern.sounds)
    let hasSound = timeline.events.contains { !$0.kind.isHaptic }
    let channels = hasSound ? 3 : 1
    var writer = try SoundFileWriter(path: out, channels: channels, rate: configuration.rate)
    let stretch = 4096
    var haptic = [Float](repeating: 0, count: stretch)
    var left = haptic
    var right = haptic
    var remaining = renderer.frameCount
    while remaining > 0 {
      let count = min(stretch, remaining)
      do {
        var span = haptic.mutableSpan
        var leftSpan = left.mutableSpan
        var rightSpan = right.mutableSpan
        renderer.render(haptic: &span, left: &leftSpan, right: &rightSpan)
      }
      var block: [Float] = []
      block.reserveCapacity(count * channels)
      for frame in 0..<count {
        block.append(haptic[frame])
        if hasSound { block += [left[frame], right[frame]] }
      }
      try writer.write(block)
      remaining -= count
    }
    try writer.close()
    if renderer.limitedFrames > 0 {
      user.notice(
        .drive,
        "\(pattern.file): \(renderer.limitedFrames) samples of the drive lie above full scale "
          + "(mixing law: \(configuration.mixingLaw.name))")
    }
    if renderer.heldFrames > 0, let profile = configuration.profile {
      user.notice(
        .drive,
        "\(pattern.file): \(renderer.heldFrames) samples of the drive are held at the peak of "
          + "\(EngineeringFormat.significant(profile.peakVolts)) V")
    }
    if renderer.droppedEvents > 0 {
      user.notice(
        .drive,
        "\(pattern.file): \(renderer.droppedEvents) events were left out: more than "
          + "\(configuration.voiceLimit) sounded at once")
    }
    return Outcome(channels: channels, frames: renderer.frameCount)
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
    } catch {
      // The only device here is the file that a person named.
      throw InputError("\(error)")
    }
  }
}
