public import Acceptance

extension Plan {
  private enum Key: String, FileKey {
    case name, patterns, repeats, seed, probe, recordings, limits
  }

  /// Reads a plan.
  ///
  /// Paths of patterns stay as written, to be taken from the plan's own folder; nothing is opened.
  /// The form is in docs/FILE-FORMATS.md. A file has at most 1 MiB.
  ///
  /// - Parameters:
  ///   - bytes: The file's content.
  ///   - file: The file's path, as errors shall show it.
  /// - Throws: The first thing that is wrong, with its line and column.
  public init(yaml bytes: [UInt8], file: String) throws(RigFileError) {
    let root = try YAMLNode(SourceText(bytes: bytes, file: file))
    let map = try MapReader<Key>(root, "a plan")
    self.init(
      name: try map.require(.name, example: "nightly").text(),
      patterns: try map[.patterns]?.texts(example: "[../patterns]") ?? [],
      repeats: try map[.repeats]?.integer(1...10_000) ?? 1,
      seed: try map[.seed]?.integer(0...UInt64.max) ?? 1,
      limits: try Self.limits(map[.limits]),
      probe: try map[.probe]?.flag() ?? true,
      keepsRecordings: try map[.recordings]?.flag() ?? true)
  }

  private static func limits(_ node: YAMLNode?) throws(RigFileError) -> [Limit] {
    guard let node else { return [] }
    var limits: [(node: YAMLNode, limit: Limit)] = []
    for item in try node.items(example: "[{reading: xruns, below: 0}]") {
      let limit = try Limit(item)
      // A reading is judged by the first limit that holds for its pattern.
      if let earlier = limits.first(where: { $0.limit.hides(limit) }) {
        throw item.error(
          "this limit is never used, because the one on line \(earlier.node.position.line) holds "
            + "for the same patterns: remove one, or put the one with fewer patterns first")
      }
      limits.append((item, limit))
    }
    return limits.map(\.limit)
  }
}

extension Limit {
  fileprivate func hides(_ later: Limit) -> Bool {
    reading == later.reading
      && (patterns.isEmpty
        || !later.patterns.isEmpty && later.patterns.allSatisfy(patterns.contains))
  }
}

extension YAMLNode {
  /// A list of single values as they are written.
  func texts(example: String) throws(RigFileError) -> [String] {
    try items(example: example).map { item throws(RigFileError) in try item.text() }
  }
}
