import Acceptance
import Bench
import Devices
import HapticRendering
import RigDevices
import Units

/// Writes what a run would send as one sound file, for a rig that is not on line.
struct StimulusWorkflow {
  let rig: RigDescription
  let plan: Plan
  let patterns: [LoadedPattern]
  let laws: LawOptions
  let profile: LoadedProfile?
  let isQuiet: Bool

  /// Writes the takes one after the other.
  func execute() async throws {
    do {
      let builder = TakeBuilder(
        rig: rig, laws: laws.configuration, profile: profile?.profile, hasProbe: plan.probe)
      try builder.checkLimits(of: patterns)
      let open = try OpenRig(rig) { Console.error("rig: \($0)") }
      let width = rig.drive.channelCount
      var frames = 0
      try open.output.start()
      for case .take(let pattern, _, _) in PlanSchedule(plan, patternCount: patterns.count).steps {
        let take = builder.build(patterns[pattern])
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
      guard case .file(let files) = rig.drive.device, let path = files.stimulus, !isQuiet else {
        return
      }
      let seconds = Int((Double(frames) / rig.drive.rate.hertz).rounded(.up))
      Console.out(
        """
        stimulus: \(path), \(width) channels at \(rig.drive.rate), \(seconds) s
        Start a recorder with \(rig.capture.channels.count) channels at \(rig.drive.rate), play the \
        stimulus, and give the recording to the same command with --response instead of --stimulus.

        """)
    } catch {
      // The only device here is the file that a person named.
      throw ExitStatus(ExitStatus.wrongInput, "haprig: \(error)")
    }
  }
}
