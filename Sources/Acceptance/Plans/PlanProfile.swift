/// Which calibration an actuator is driven by, as a plan names it.
public enum PlanProfile: Sendable, Equatable {
  /// One file or folder for every actuator, or ``none``.
  case all(String)
  /// A file, a folder or ``none`` for each actuator by its id.
  case byActuator([String: String])

  /// The word for driving an actuator uncalibrated.
  public static let none = "none"

  /// The file, the folder or ``none`` for an actuator; `nil` where the plan leaves it open.
  public func choice(for actuator: String) -> String? {
    switch self {
    case .all(let path): path
    case .byActuator(let paths): paths[actuator]
    }
  }
}
