/// The keys of one kind of map, as a file writes them.
protocol FileKey: RawRepresentable<String>, CaseIterable, Hashable, Sendable {}

/// A map whose keys are known: a key that is not, is an error before any value is read.
struct MapReader<Key: FileKey> {
  /// The map's node.
  let node: YAMLNode
  /// What the map describes: `the drive`.
  let subject: String
  private let entries: [Key: YAMLNode.Entry]

  /// Reads the keys of a map.
  init(_ node: YAMLNode, _ subject: String) throws(RigFileError) {
    self.node = node
    self.subject = subject
    var entries: [Key: YAMLNode.Entry] = [:]
    for entry in try node.entries() {
      let name = try entry.key.text()
      guard let key = Key(rawValue: name) else {
        let names = Key.allCases.map(\.rawValue)
        throw entry.key.error(
          "\(name.quoted) is not a key of \(subject)\(Nearest.hint(for: name, in: names)): "
            + "use \(names.joined(separator: ", "))")
      }
      entries[key] = entry
    }
    self.entries = entries
  }

  /// What some of the map's keys describe, as a map of these keys alone.
  func part<Part: FileKey>(_: Part.Type = Part.self) -> MapReader<Part> {
    let pairs = entries.compactMap { key, entry in Part(rawValue: key.rawValue).map { ($0, entry) }
    }
    return MapReader<Part>(
      node: node, subject: subject, entries: Dictionary(uniqueKeysWithValues: pairs))
  }

  private init(node: YAMLNode, subject: String, entries: [Key: YAMLNode.Entry]) {
    self.node = node
    self.subject = subject
    self.entries = entries
  }

  /// Whether no key is written.
  var isEmpty: Bool { entries.isEmpty }

  /// The value of a key, where the map has it.
  subscript(key: Key) -> YAMLNode? { entries[key]?.value }

  /// The value of a key that must be there.
  func require(_ key: Key, example: String) throws(RigFileError) -> YAMLNode {
    guard let entry = entries[key] else {
      throw node.error(
        "\(subject) needs '\(key.rawValue)': write for example '\(key.rawValue): \(example)'")
    }
    return entry.value
  }

  /// Refuses keys that do not go with the rest of the map.
  func refuse(_ keys: [Key], because reason: String) throws(RigFileError) {
    // In the order of the file, so that the first error is the first line.
    let wrong = entries.filter { keys.contains($0.key) }.map(\.value.key)
    guard let first = wrong.min(by: { $0.position.isBefore($1.position) }) else { return }
    throw first.error("\(try first.text().quoted) cannot stand here: \(reason)")
  }

  /// Makes the error of a key's own place.
  func error(at key: Key, _ message: String) -> RigFileError {
    (entries[key]?.key ?? node).error(message)
  }
}

extension Position {
  fileprivate func isBefore(_ other: Position) -> Bool {
    (line, column) < (other.line, other.column)
  }
}
