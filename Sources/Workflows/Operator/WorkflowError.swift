public import Devices

/// Why a workflow ended that no module below it has an error for.
public enum WorkflowError: Error, Sendable, CustomStringConvertible {
  /// Somebody asked to stop: the number of the signal, and what became of the work.
  case stopped(by: Int32, String)
  /// The rig could not do it, or is held by another process.
  case fault(String)
  /// A device's fault, and what is left to go on with.
  case ended(DeviceError, String)

  /// One sentence.
  public var description: String {
    switch self {
    case .stopped(let number, let rest): "stopped by signal \(number)\(rest)"
    case .fault(let sentence): sentence
    case .ended(let error, let rest): "\(error); \(rest)"
    }
  }
}
