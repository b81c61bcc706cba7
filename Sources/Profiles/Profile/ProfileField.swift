import JSONText

/// A value of a profile on its way in, with the path that error messages name.
struct ProfileField {
  let node: JSONNode
  let path: String

  /// No list of a profile is longer: a longer one is no profile, whatever else it is.
  static let longestList = 4096

  /// The same object, once its keys are known to be among some, each there once.
  func object(_ keys: String...) throws(ProfileError) -> ProfileField {
    try expect(.object, "an object")
    var seen: Set<String> = []
    for (key, value) in node.members {
      let name = key.string ?? ""
      guard keys.contains(name) else {
        throw ProfileError(
          position: key.position, path: path(of: name),
          message: "'\(Self.shortened(name))' is no key of "
            + "\(path.isEmpty ? "a profile" : path): known are \(keys.joined(separator: ", "))")
      }
      guard seen.insert(name).inserted else {
        throw ProfileError(
          position: value.position, path: path(of: name),
          message: "\(path(of: name)) is there twice: remove one of the two")
      }
    }
    return self
  }

  /// The member of an object, which must be there.
  subscript(key: String) -> ProfileField {
    get throws(ProfileError) {
      guard let field = member(key) else {
        throw error("\(path(of: key)) is missing: every profile of this schema has it")
      }
      return field
    }
  }

  /// The member of an object, or `nil` where it is absent.
  func member(_ key: String) -> ProfileField? {
    node[key].map { ProfileField(node: $0, path: path(of: key)) }
  }

  /// The elements of a list of bounded length.
  func elements() throws(ProfileError) -> [ProfileField] {
    try expect(.array, "an array")
    guard node.count <= Self.longestList else {
      throw error(
        "\(name) has \(node.count) elements, but a profile's lists have at most "
          + "\(Self.longestList)")
    }
    return node.elements.enumerated().map { index, element in
      ProfileField(node: element, path: "\(path)[\(index)]")
    }
  }

  func string() throws(ProfileError) -> String {
    guard let string = node.string else { throw mismatch("a string") }
    return string
  }

  func number() throws(ProfileError) -> Double {
    guard let number = node.number else { throw mismatch("a number") }
    return number
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

  func integer() throws(ProfileError) -> Int {
    guard let integer = node.integer else { throw mismatch("a whole number") }
    return integer
  }

  func bool() throws(ProfileError) -> Bool {
    guard let bool = node.bool else { throw mismatch("true or false") }
    return bool
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

  /// A word out of a list.
  func word<Word: RawRepresentable<String> & CaseIterable>(
    _: Word.Type
  ) throws(ProfileError) -> Word {
    let text = try string()
    guard let word = Word(rawValue: text) else {
      let choices = Word.allCases.map(\.rawValue).joined(separator: ", ")
      throw error("\(name) is '\(Self.shortened(text))', but must be one of: \(choices)")
    }
    return word
  }

  func error(_ message: String) -> ProfileError {
    ProfileError(position: node.position, path: path, message: message)
  }

  private func expect(_ kind: JSONNode.Kind, _ wanted: String) throws(ProfileError) {
    guard node.kind == kind else { throw mismatch(wanted) }
  }

  private func mismatch(_ wanted: String) -> ProfileError {
    error("\(name) must be \(wanted), but here is \(node.kind.phrase)")
  }

  private var name: String { path.isEmpty ? "a profile" : path }

  private func path(of key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

  /// The beginning of a text from a file, short enough for a sentence.
  static func shortened(_ text: String) -> String {
    text.count > 60 ? text.prefix(60) + "..." : text
  }
}
