// SPDX-License-Identifier: Apache-2.0

import Bench
import Devices
package import RunArchive

/// The run of `haprig demo`, which is played once for a program and its inputs: both make the name of its job.
package struct DemoRun: Sendable {
  private let request: RunRequest
  private let user: RigOperator

  /// Reads what is played from the folder `rigs`; `program` is the file of the running program.
  ///
  /// With `again` the run has no job, and is played whatever was played before.
  package init(
    rigs: String, in location: ArchiveLocation, program: String, again: Bool, by user: RigOperator
  ) throws {
    var order = RunOrder(
      [rigs + "/plans/demo.yaml"], on: RigChoice(file: rigs + "/simulated-lra.yaml"),
      folder: location.folder)
    order.archive = location
    var request = try RunRequest(order, by: user)
    if !again {
      request.order.environment[ReadingSeries.jobMark] = "demo-" + (try request.identity(program))
    }
    self.request = request
    self.user = user
  }

  /// Plays, or tells that this was played before, which is the outcome then.
  package func execute() async throws -> RunWorkflow.Outcome {
    try await RunWorkflow(request, by: user).execute { run in
      "program and inputs are those of \(run): nothing is played ('haprig demo --again' plays it again)"
    }
  }
}

extension RunRequest {
  /// What tells a run's program and inputs from all others.
  fileprivate func identity(_ program: String) throws -> String {
    var parts = [
      try RegularFile(path: program).bytes(limit: 1 << 30),
      try RigFolder(file: order.rig.file).read().text,
    ]
    if let planFile { parts.append(try RegularFile(path: planFile).bytes(limit: 1 << 20)) }
    for pattern in patterns {
      parts.append(pattern.source)
      for (_, sound) in pattern.soundFiles.sorted(by: { $0.key < $1.key }) {
        parts.append(try RegularFile(path: sound).bytes(limit: 1 << 30))
      }
    }
    let hashes = parts.map { ContentHash(of: $0).description }
    return String(ContentHash(of: hashes.joined()).description.prefix(16))
  }
}
