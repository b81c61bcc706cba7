/// How a thread is scheduled, as the operating system granted it.
public enum Scheduling: Sendable, Hashable, LosslessStringConvertible {
  /// First in, first out at a priority: runs before every ordinary thread.
  case fifo(priority: Int)
  /// Like any other thread, with the reason it is not better.
  case ordinary(reason: String)

  /// What was granted, and what to set where it was not.
  public var description: String {
    switch self {
    case .fifo(let priority): "SCHED_FIFO at priority \(priority)"
    case .ordinary(let reason): "ordinary scheduling (\(reason))"
    }
  }

  /// What a description was made of; `nil` for a text that is none.
  public init?(_ description: String) {
    let (fifo, ordinary) = ("SCHED_FIFO at priority ", "ordinary scheduling (")
    if description.hasPrefix(fifo), let priority = Int(description.dropFirst(fifo.count)) {
      self = .fifo(priority: priority)
    } else if description.hasPrefix(ordinary), description.hasSuffix(")") {
      self = .ordinary(reason: String(description.dropFirst(ordinary.count).dropLast()))
    } else {
      return nil
    }
  }
}
