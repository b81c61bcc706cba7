public import Bench
public import Devices

/// Whoever works the rig: is told what happens, is asked for what only hands can do, and may stop it.
public struct RigOperator: Sendable {
  /// The program's version, as records name it.
  public let version: String
  /// The request to stop, which everything that plays looks at.
  public let stop: StopSignal
  private let listener: @Sendable (WorkflowEvent) -> Void
  private let hands: @Sendable (String) -> Bool

  /// Makes an operator.
  ///
  /// - Parameters:
  ///   - version: The program's version.
  ///   - stop: The request to stop.
  ///   - listener: Takes what happens, from any thread; nothing waits for what it does with it.
  ///   - hands: Takes what is to be done by hand, and returns when it is done: `true`. `false` where nobody
  ///     answers any more, or asked to stop.
  public init(
    version: String, stop: StopSignal = StopSignal(),
    listener: @escaping @Sendable (WorkflowEvent) -> Void = { _ in },
    hands: @escaping @Sendable (String) -> Bool = { _ in false }
  ) {
    self.version = version
    self.stop = stop
    self.listener = listener
    self.hands = hands
  }

  /// The program as records name it.
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
public enum WorkflowEvent: Sendable {
  /// A sentence to be read.
  case notice(WorkflowNotice, String)
  /// A run got on, of so many takes in all.
  case run(PlanRun.Progress, takes: Int)
  /// A calibration or a check got on.
  case segment(SegmentRun.Progress)
  /// Something without parts of its own got on: what it is, and the share 0...1 that is done.
  case step(String, share: Double)
  /// What was under way is over.
  case idle
}

/// What kind of sentence a notice is.
public enum WorkflowNotice: Sendable {
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
