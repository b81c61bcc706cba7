import JSONText

extension FeedForward {
  var json: JSONValue {
    [
      "gain": .finite(gain),
      "leak": .finite(leak),
      "sections": .array(
        sections.map {
          ["numerator": $0.numerator.json, "denominator": $0.denominator.json]
        }),
    ]
  }

  init(_ field: ProfileField) throws(ProfileError) {
    let field = try field.object("gain", "leak", "sections")
    let list = try field["sections"]
    var sections: [Section] = []
    for section in try list.elements() {
      let section = try section.object("numerator", "denominator")
      let (numerator, denominator) = (try section["numerator"], try section["denominator"])
      let read = Section(
        numerator: try Polynomial(numerator), denominator: try Polynomial(denominator))
      guard (read.numerator.c2 > 0) == (read.denominator.c2 > 0) else {
        throw section.error(
          "\(section.path) has polynomials of different degree, but both must have the same")
      }
      sections.append(read)
    }
    guard sections.count <= Self.sectionLimit else {
      throw list.error(
        "\(list.path) has \(sections.count) sections, but at most \(Self.sectionLimit) are used")
    }
    let gain = try field["gain"].number(in: -1e9...1e9)
    guard gain != 0 else {
      throw try field["gain"].error("\(try field["gain"].path) is 0, but must not be")
    }
    self.init(sections: sections, gain: gain, leak: try field["leak"].number(in: 0...20_000, "Hz"))
  }
}

extension FeedForward.Polynomial {
  fileprivate var json: JSONValue { .numbers([c0, c1, c2]) }

  /// Reads [c0, c1, c2], of first or second degree with its roots left of the imaginary axis.
  fileprivate init(_ field: ProfileField) throws(ProfileError) {
    let elements = try field.elements()
    guard elements.count == 3 else {
      throw field.error("\(field.path) has \(elements.count) numbers, but must have 3")
    }
    self.init(
      try elements[0].positive(upTo: 1e12), try elements[1].positive(upTo: 1e12),
      try elements[2].number(in: 0...1e12))
  }
}
