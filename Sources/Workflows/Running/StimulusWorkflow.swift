import Acceptance
import Bench
import Devices
import HapticRendering
import RigDevices
import Units

/// Writes what a run would send as one sound file, for a rig that is not on line.
public struct StimulusWorkflow: Sendable {
  private let request: RunRequest
  private let user: RigOperator

  /// Makes a workflow that has not begun.
  public init(_ request: RunRequest, by user: RigOperator) {
    self.request = request
    self.user = user
  }

  /// Writes the takes one after the other.
  ///
  /// - Returns: How many seconds they last.
  public func execute() async throws -> Double {
    let (rig, plan, patterns) = (request.rig, request.plan, request.patterns)
    do {
      let builder = TakeBuilder(
        rig: rig, laws: request.laws.configuration, profile: request.profile?.profile,
        hasProbe: plan.probe)
      try builder.checkLimits(of: patterns)
      let open = try OpenRig(rig) { user.notice(.device, $0) }
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
      return Double(frames) / rig.drive.rate.hertz
    } catch {
      // The only device here is the file that a person named.
      throw InputError("\(error)")
    }
  }
}
