// SPDX-License-Identifier: Apache-2.0

import Actuators
package import Bench
package import Devices
import LiveRuns
import Units

/// Plays patterns one after the other; measures nothing, and writes nothing.
package struct PlayWorkflow: Sendable {
  private let rig: RigDescription
  private let patterns: [LoadedPattern]
  private let builder: TakeBuilder
  private let user: RigOperator

  package init(
    _ patterns: [LoadedPattern], on rig: RigDescription, by builder: TakeBuilder,
    for user: RigOperator
  ) {
    self.rig = rig
    self.patterns = patterns
    self.builder = builder
    self.user = user
  }

  /// Plays all, and tells of each how many seconds it lasted as soon as it was played.
  package func execute(_ played: (LoadedPattern, _ seconds: Double) -> Void) async throws {
    user.tell(
      .work(
        LiveEvent.Work(
          rig: rig.name, title: "play", actuators: rig.actuators.map(\.id),
          patterns: patterns.map(\.name), takes: patterns.count)))
    let open = try OpenSession(
      rig, without: "a stimulus is written by 'haprig run --stimulus'", by: user)
    let tell = user.telling()
    let lengths = patterns.map { builder.frameCount(of: $0) }
    let total = Double(max(1, lengths.reduce(0, +)))
    var done = 0
    for (index, pattern) in patterns.enumerated() {
      let (before, length) = (Double(done), Double(lengths[index]))
      tell(
        .began(
          pattern: pattern.name, take: 1, done: index, total: patterns.count,
          seconds: rig.drive.rate.seconds(length)))
      let take = builder.build(pattern)
      let recording = await open.session.play(take) { share in
        tell(
          .playing(
            pattern: pattern.name, share: share, overall: (before + share * length) / total))
      }
      user.tell(.idle)
      if let fault = recording.fault { throw fault }
      played(pattern, take.rate.seconds(Double(take.layout.patternLength)))
      done += lengths[index]
    }
    try open.finish()
  }
}
