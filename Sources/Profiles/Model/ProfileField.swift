public import JSONText

/// A text that is not a calibration profile: what is wrong, and where.
public typealias ProfileError = JSONFieldError

/// A value of a profile on its way in.
typealias ProfileField = JSONField

extension JSONField.Schema {
  /// No list of a profile is longer: a longer one is no profile, whatever else it is.
  static let profile = JSONField.Schema(name: "profile", longestList: 4096)
}

extension JSONField {
  /// The same object, once its keys are known to be among some, each there once.
  func object(_ keys: String...) throws(ProfileError) -> ProfileField {
    var seen: Set<String> = []
    for ((name, field), (key, _)) in zip(try members(), node.members) {
      guard keys.contains(name) else {
        throw ProfileError(
          position: key.position, path: field.path,
          message: "'\(Self.shortened(name))' is no key of "
            + "\(self.name): known are \(keys.joined(separator: ", "))")
      }
      guard seen.insert(name).inserted else {
        throw field.error("\(field.path) is there twice: remove one of the two")
      }
    }
    return self
  }

  /// A number within what can be, in a unit that the sentence names.
  func number(
    in range: ClosedRange<Double>, _ unit: String = ""
  ) throws(ProfileError) -> Double {
    let number = try number()
    guard range.contains(number) else {
      throw error(
        "\(name) is \(Self.text(number, unit)), but must be from \(range.lowerBound) to "
          + Self.text(range.upperBound, unit))
    }
    return number
  }

  /// A number above 0 and no larger than can be.
  func positive(upTo highest: Double, _ unit: String = "") throws(ProfileError) -> Double {
    let number = try number()
    guard number > 0 else {
      throw error("\(name) is \(Self.text(number, unit)), but must be above 0")
    }
    guard number <= highest else {
      throw error(
        "\(name) is \(Self.text(number, unit)), but must be at most \(Self.text(highest, unit))")
    }
    return number
  }

  private static func text(_ number: Double, _ unit: String) -> String {
    unit.isEmpty || unit == "1" ? "\(number)" : "\(number) \(unit)"
  }

  /// A frequency that an actuator, or what is felt of it, can have, in hertz.
  func frequency() throws(ProfileError) -> Double { try positive(upTo: 20_000, "Hz") }

  /// A text that says something.
  func filled() throws(ProfileError) -> String {
    let text = try string()
    guard !text.isEmpty else { throw error("\(name) is empty, but must say something") }
    return text
  }

  /// Numbers within what can be that rise from one to the next.
  func risingNumbers(
    in range: ClosedRange<Double>, _ unit: String
  ) throws(ProfileError) -> [Double] {
    var numbers: [Double] = []
    for element in try elements() {
      let number = try element.number(in: range, unit)
      guard number > numbers.last ?? -.infinity else {
        throw element.error("\(element.path) is \(number), but must be above the one before it")
      }
      numbers.append(number)
    }
    return numbers
  }

  /// What the elements of a list say.
  func list<Value>(
    _ read: (ProfileField) throws(ProfileError) -> Value
  ) throws(ProfileError) -> [Value] {
    var values: [Value] = []
    for element in try elements() { values.append(try read(element)) }
    return values
  }

  /// What a member says; nil where it is not there.
  func optional<Value>(
    _ key: String, _ read: (ProfileField) throws(ProfileError) -> Value
  ) throws(ProfileError) -> Value? {
    guard let field = try member(key) else { return nil }
    return try read(field)
  }
}
