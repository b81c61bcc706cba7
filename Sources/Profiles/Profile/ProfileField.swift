import JSONText

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

  func positive() throws(ProfileError) -> Double {
    let number = try number()
    guard number > 0 else { throw error("\(name) is \(number), but must be above 0") }
    return number
  }

  func notNegative() throws(ProfileError) -> Double {
    let number = try number()
    guard number >= 0 else { throw error("\(name) is \(number), but must be 0 or above") }
    return number
  }

  /// Numbers that rise from one to the next.
  func risingNumbers() throws(ProfileError) -> [Double] {
    var numbers: [Double] = []
    for element in try elements() {
      let number = try element.number()
      guard number > numbers.last ?? -.infinity else {
        throw element.error("\(element.path) is \(number), but must be above the one before it")
      }
      numbers.append(number)
    }
    return numbers
  }
}
