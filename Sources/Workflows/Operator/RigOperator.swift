package import Bench
package import Devices

/// Whoever works the rig: is told what happens, is asked for what only hands can do, and may stop it.
package struct RigOperator: Sendable {
  package let version: String
  /// The request to stop, which everything that plays looks at.
  package let stop: StopSignal
  private let listener: @Sendable (WorkflowEvent) -> Void
  private let hands: @Sendable (String) -> Bool

  /// `hands` returns when something was done by hand: `false` where nobody answers any more, or asked to stop.
  ///
  /// `listener` is called from any thread.
  package init(
    version: String, stop: StopSignal = StopSignal(),
    listener: @escaping @Sendable (WorkflowEvent) -> Void = { _ in },
    hands: @escaping @Sendable (String) -> Bool = { _ in false }
  ) {
    self.version = version
    self.stop = stop
    self.listener = listener
    self.hands = hands
  }

  var software: String { "haprig \(version)" }

  func tell(_ event: WorkflowEvent) { listener(event) }

  func notice(_ kind: WorkflowNotice, _ text: String) { listener(.notice(kind, text)) }

  func ask(_ request: String) -> Bool { hands(request) }

  /// Ends the work where somebody asked to stop; `where` goes on from "stopped by signal 2".
  func check(_ where: String) throws(WorkflowError) {
    if let number = stop.requested { throw .stopped(by: number, `where`) }
  }
}

/// What happens in a workflow while it is under way.
package enum WorkflowEvent: Sendable {
  case notice(WorkflowNotice, String)
  /// A run got on, of so many takes in all.
  case run(PlanRun.Progress, takes: Int)
  case segment(SegmentRun.Progress)
  /// Something without parts of its own got on: what it is, and the share 0...1 that is done.
  case step(String, share: Double)
  case idle
}

package enum WorkflowNotice: Sendable {
  /// A device, or the program that stands for one, says so.
  case device
  /// Something is not as it should be, and the work goes on.
  case warning
  /// Worth knowing, and nothing that went wrong.
  case note
  /// A step by hand is done.
  case done
  /// A step by hand or a recording is to be repeated.
  case again
  /// A drive is not what its pattern asks for.
  case drive
}

/// Why a workflow ended that no module below it has an error for.
package enum WorkflowError: Error, Sendable, CustomStringConvertible {
  /// Somebody asked to stop: the number of the signal, and what became of the work.
  case stopped(by: Int32, String)
  /// The rig could not do it, or is held by another process.
  case fault(String)
  /// A device's fault, and what is left to go on with.
  case ended(DeviceError, String)

  package var description: String {
    switch self {
    case .stopped(let number, let rest): "stopped by signal \(number)\(rest)"
    case .fault(let sentence): sentence
    case .ended(let error, let rest): "\(error); \(rest)"
    }
  }
}
