/// How a file is read.
public struct AHAPOptions: Sendable, Hashable {
  /// How the file is judged.
  public var mode: AHAPMode
  /// The most bytes that a file may have.
  public var maximumBytes: Int
  /// The most entries that `Pattern` may have.
  public var maximumEntries: Int
  /// How many arrays and objects may lie inside each other.
  public var nestingLimit: Int
  /// How many diagnostics of one code are kept; the others are counted.
  public var diagnosticsPerCode: Int
  /// Whether continuous events are limited to 30 s, as Core Haptics limits them.
  ///
  /// Without it they keep the length that is written, for what splits them.
  public var limitsDurations: Bool
  /// The defaults to name in diagnostics about values that are left out.
  public var defaults: EventDefaults

  /// Creates options; the limits protect against files made to exhaust a machine.
  public init(
    mode: AHAPMode = .apple, maximumBytes: Int = 64 << 20, maximumEntries: Int = 1_000_000,
    nestingLimit: Int = 512, diagnosticsPerCode: Int = 1000, limitsDurations: Bool = true,
    defaults: EventDefaults = .apple
  ) {
    self.mode = mode
    self.maximumBytes = maximumBytes
    self.maximumEntries = maximumEntries
    self.nestingLimit = nestingLimit
    self.diagnosticsPerCode = diagnosticsPerCode
    self.limitsDurations = limitsDurations
    self.defaults = defaults
  }
}
