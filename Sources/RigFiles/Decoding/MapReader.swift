// SPDX-License-Identifier: Apache-2.0

/// The keys of one kind of map, as a file writes them.
protocol FileKey: RawRepresentable<String>, CaseIterable, Hashable, Sendable {}

/// A map whose keys are known: a key that is not, is an error before any value is read.
struct MapReader<Key: FileKey> {
  let node: YAMLNode
  /// What the map describes: `the drive`.
  let subject: String
  private let entries: [Key: YAMLNode.Entry]

  init(_ node: YAMLNode, _ subject: String) throws(RigFileError) {
    self.node = node
    self.subject = subject
    var entries: [Key: YAMLNode.Entry] = [:]
    for entry in try node.entries() {
      let name = try entry.key.text()
      guard let key = Key(rawValue: name) else {
        let names = Key.allCases.map(\.rawValue)
        var error = entry.key.error(
          "\(name.quoted) is not a key of \(subject)\(Nearest.hint(for: name, in: names)): "
            + "use \(names.joined(separator: ", "))")
        error.meant = Nearest.meant(by: name, in: names)
        throw error
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

  var isEmpty: Bool { entries.isEmpty }

  subscript(key: Key) -> YAMLNode? { entries[key]?.value }

  func require(_ key: Key, example: String) throws(RigFileError) -> YAMLNode {
    guard let entry = entries[key] else {
      var error = node.error(
        "\(subject) needs '\(key.rawValue)': write for example '\(key.rawValue): \(example)'")
      error.missing = RigFileError.Missing(
        key: key.rawValue, example: example, map: node.position)
      throw error
    }
    return entry.value
  }

  /// Refuses keys that do not go with the rest of the map.
  func refuse(_ keys: [Key], because reason: String) throws(RigFileError) {
    // In the order of the file, so that the first error is the first line.
    let wrong = entries.filter { keys.contains($0.key) }.map(\.value.key)
    let first = wrong.min {
      ($0.position.line, $0.position.column) < ($1.position.line, $1.position.column)
    }
    guard let first else { return }
    var error = first.error("\(try first.text().quoted) cannot stand here: \(reason)")
    error.isRefusal = true
    throw error
  }

  /// Refuses keys that go with some choices of another key, where that says something else.
  func keep<Choice: RawRepresentable<String> & Equatable>(
    _ keys: [Key], with key: String, _ wanted: [Choice], _ chosen: Choice, inWords: String? = nil
  ) throws(RigFileError) {
    guard !wanted.contains(chosen) else { return }
    let names = wanted.map(\.rawValue)
    let others = names.dropFirst().map { "'\($0)'" }
    let choices = ["'\(key): \(names[0])'"] + others
    let rest = choices.dropLast().joined(separator: ", ")
    try refuse(
      keys,
      because: "it goes with \(rest.isEmpty ? "" : rest + " or ")\(choices[choices.count - 1]), "
        + "and this is \(inWords ?? chosen.rawValue)")
  }

  func error(at key: Key, _ message: String) -> RigFileError {
    (entries[key]?.key ?? node).error(message)
  }
}
