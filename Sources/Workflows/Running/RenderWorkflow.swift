package import Bench
package import HapticRendering
import SoundFiles
import Units

/// Renders one pattern to a WAV file: the drive, and the sound where it has any.
package enum RenderWorkflow {
  package struct Outcome: Sendable {
    /// Its channels: the drive, and left and right where the pattern has sound.
    package let channels: Int
    package let frames: Int
  }

  /// Writes the file, and tells where the drive is not what the pattern asks for.
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
