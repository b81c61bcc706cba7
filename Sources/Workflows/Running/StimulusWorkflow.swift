import Acceptance
import Bench
import Devices
import HapticRendering
import RigDevices
import Units

/// Writes what a run would send as one sound file, for a rig that is not on line.
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
