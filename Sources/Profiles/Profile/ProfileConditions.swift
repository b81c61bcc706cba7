/// How an actuator was measured: outside of these conditions a profile's numbers are not proven.
public struct ProfileConditions: Sendable, Equatable {
  /// The axis that was measured.
  public var axis: String?
  /// How sensor and actuator were fixed.
  public var mount: String?
  /// What the actuator was driven from, as far as Q depends on it.
  public var source: String?

  /// Makes conditions.
  public init(axis: String? = nil, mount: String? = nil, source: String? = nil) {
    self.axis = axis
    self.mount = mount
    self.source = source
  }

  /// The axes as a set; nil where they are not known or are not called x, y and z.
  var axes: Set<String>? {
    let names = Set((axis ?? "").lowercased().split(separator: " ").map(String.init))
    return names.isEmpty || !names.isSubset(of: ["x", "y", "z"]) ? nil : names
  }
}
