/// What makes two calibrations the same work: a value for each name, one a line in a file.
struct CalibrationKey {
  private let parts: [(name: String, value: String)]

  init(_ parts: [(name: String, value: String)]) { self.parts = parts }

  /// What differs where the names do: another version asked for other things.
  private static let version = "another version of haprig"

  /// The file's text.
  var text: String { parts.map { "\($0.name): \($0.value)\n" }.joined() }

  /// What differs from an earlier key, in words that 'made with' stands before; nil where nothing does.
  func change(since earlier: [UInt8]) -> String? {
    guard earlier != Array(text.utf8) else { return nil }
    let lines = String(decoding: earlier, as: UTF8.self).split(separator: "\n")
    var changes: [String] = []
    for (name, value) in parts {
      guard let line = lines.first(where: { $0.hasPrefix(name + ": ") }) else {
        return Self.version
      }
      let old = line.dropFirst(name.count + 2)
      guard old != value else { continue }
      // A rig file stands in the key as its hash, which tells a reader nothing.
      changes.append(
        name == "rig file" ? "another rig file" : "another \(name) (\(old), not \(value))")
    }
    return changes.isEmpty ? Self.version : changes.joined(separator: " and ")
  }
}
