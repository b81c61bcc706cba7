/// What a profile holds for: outside of these conditions its numbers are not proven.
public struct ProfileConditions: Sendable, Equatable {
  /// The temperature, in degrees Celsius; nil where nobody gave one.
  public var temperature: Double?
  /// The mass that the actuator shook, in kilograms; nil where nobody gave one.
  public var mass: Double?
  /// What the mass touches: free, phantom, hand.
  public var contact: String?
  /// The axis that was measured.
  public var axis: String?
  /// How sensor and actuator were fixed.
  public var mount: String?
  /// What the actuator was driven from, as far as Q depends on it.
  public var source: String?

  /// Makes conditions.
  public init(
    temperature: Double? = nil, mass: Double? = nil, contact: String? = nil, axis: String? = nil,
    mount: String? = nil, source: String? = nil
  ) {
    self.temperature = temperature
    self.mass = mass
    self.contact = contact
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
