// SPDX-License-Identifier: Apache-2.0

import Actuators
package import Bench
package import CoreHaptics
import Devices
import LiveRuns

/// A rig that is opened to be played on by hand.
package enum StageWorkflow {
  /// Opens a rig, which drives zero until something is asked of it.
  ///
  /// A request to the operator to stop leaves the drive at zero at once. `isStepped` is for tests: nothing moves
  /// but by `RigStage.advance`.
  package static func open(
    _ builder: TakeBuilder, title: String, patterns: [String] = [], isStepped: Bool = false,
    by user: RigOperator
  ) throws -> RigStage {
    let rig = builder.rig
    if case .file = rig.drive.device {
      throw InputError("\(rig.name): a file is not played on by hand: name a rig that is on line")
    }
    user.tell(
      .work(
        LiveEvent.Work(
          rig: rig.name, title: title, actuators: rig.actuators.map(\.id), patterns: patterns)))
    return try RigStage(
      rig, laws: builder.configuration, limits: builder.limits, isStepped: isStepped,
      stop: user.stop, tap: { user.tap($0) }, log: { user.notice(.device, $0) })
  }
}
