// SPDX-License-Identifier: Apache-2.0

public import JSONText
private import Units

/// A method with its parameters: what, beside the sound, a pattern depends on.
public struct ComposeSettings: Sendable, Hashable {
  /// The method.
  public let method: ComposeMethod
  private var changed: [ComposeParameter: Double] = [:]

  /// The standard settings of a method.
  public init(_ method: ComposeMethod) { self.method = method }

  /// The value of a parameter; nil where the method does not use it.
  ///
  /// Setting traps for such a parameter, and for a value out of range.
  public subscript(parameter: ComposeParameter) -> Double? {
    get { changed[parameter] ?? parameter.standard(for: method) }
    set {
      let standard = parameter.standard(for: method)
      precondition(
        standard != nil, "\(method.rawValue) has no parameter \(parameter.rawValue)")
      precondition(
        newValue.map(parameter.range.contains) ?? true,
        "\(parameter.rawValue) is \(newValue ?? 0), not in \(parameter.range)")
      changed[parameter] = newValue == standard ? nil : newValue
    }
  }

  /// The value of a parameter that the method uses.
  func value(_ parameter: ComposeParameter) -> Double {
    guard let value = self[parameter] else {
      preconditionFailure("\(method.rawValue) has no parameter \(parameter.rawValue)")
    }
    return value
  }

  /// The parameters that the method uses.
  public var parameters: [ComposeParameter] {
    ComposeParameter.allCases.filter { $0.methods.contains(method) }
  }
}

extension ComposeSettings {
  /// Reads a preset: an object of `method` and of the parameters that differ from the standard.
  ///
  /// Unknown keys, parameters that the method does not use, and values out of range are errors that say where
  /// they stand.
  public init(preset bytes: [UInt8]) throws(JSONFieldError) {
    let document: JSONDocument
    do {
      document = try JSONDocument(bytes)
    } catch {
      throw JSONFieldError(position: error.position, path: "", message: error.message)
    }
    let root = JSONField(
      root: document.root, of: JSONField.Schema(name: "preset", isClosed: true))
    self.init(try root["method"].word(ComposeMethod.self))
    try root.checkKeys(["method"] + parameters.map(\.rawValue))
    for parameter in parameters {
      guard let field = try root.member(parameter.rawValue) else { continue }
      let value = try field.number()
      try field.check(
        parameter.range.contains(value),
        "is \(value), but must be from \(parameter.range.lowerBound) to "
          + "\(parameter.range.upperBound) \(parameter.unit.rawValue)")
      self[parameter] = value
    }
  }

  /// The preset that reads back as these settings.
  public var preset: JSONValue {
    let changes = parameters.compactMap { parameter in
      changed[parameter].map { JSONMember(parameter.rawValue, .number($0)) }
    }
    return .object([JSONMember("method", .string(method.rawValue))] + changes)
  }
}
