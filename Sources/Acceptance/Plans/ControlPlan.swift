/// What a run measures besides the device under test, in the same way: the A/A control.
///
/// Where its readings moved, the rig or the program moved, not the product.
public struct ControlPlan: Sendable, Equatable {
  /// What is measured.
  public enum Subject: Sendable, Equatable {
    /// Another rig, a simulated one as a rule: its file, relative to the plan's folder.
    case rig(String)
    /// The electrical loop of the same rig, from drive to capture by the reference wire.
    case loop
  }

  /// The rig file, where another rig is the control.
  public var rigName: String? { if case .rig(let name) = subject { name } else { nil } }

  /// What is measured.
  public var subject: Subject
  /// Files and folders of patterns, relative to the plan's folder; none stands for the plan's own.
  public var patterns: [String]
  /// After how many takes it is measured again; `nil` for once, before the first.
  public var every: Int?

  /// Makes a control.
  public init(_ subject: Subject, patterns: [String] = [], every: Int? = nil) {
    precondition((every ?? 1) > 0, "a control comes after at least one take")
    self.subject = subject
    self.patterns = patterns
    self.every = every
  }
}
