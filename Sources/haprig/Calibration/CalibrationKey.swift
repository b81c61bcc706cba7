/// What makes two calibrations the same work: a value for each name, one a line in a file.
struct CalibrationKey {
  private let parts: [(name: String, value: String)]

  init(_ parts: [(name: String, value: String)]) { self.parts = parts }

  /// The file's text.
  var text: String { parts.map { "\($0.name): \($0.value)\n" }.joined() }

  /// What differs from an earlier key, in words that 'made with' stands before; nil where nothing does.
  func change(since earlier: [UInt8]) -> String? {
    guard earlier != Array(text.utf8) else { return nil }
    let lines = String(decoding: earlier, as: UTF8.self).split(separator: "\n")
    let changes = parts.compactMap { name, value -> String? in
      guard let line = lines.first(where: { $0.hasPrefix(name + ": ") }) else {
        return "another version of haprig"
      }
      let old = line.dropFirst(name.utf8.count + 2)
      guard old != value else { return nil }
      switch name {
      case "rig file": return "another rig file"
      default: return "another \(name) (\(old), not \(value))"
      }
    }
    return changes.contains("another version of haprig")
      ? "another version of haprig" : changes.joined(separator: " and ")
  }
}
