import JSONText

extension FixScan {
  mutating func scanTop(_ root: LocatedNode) {
    guard root.node.kind == .object else { return }
    let fields = Fields(root, known: Keys.top, in: source)
    let meant = scanKeys(fields, known: Keys.top)
    scanVersion(fields, meant: meant)
    guard let list = fields["Pattern"], list.node.kind == .array else { return }
    let entries = source.elements(of: list)
    var removed: [(index: Int, code: DiagnosticCode, offset: Int, summary: String)] = []
    for (index, entry) in entries.enumerated() where entry.node.kind == .object {
      if entry.node.count == 0 {
        removed.append((index, .entryAmbiguous, entry.node.offset, "remove the empty entry"))
      } else if let points = scanEntry(entry, slot: index) {
        removed.append((index, .curveEmpty, points, "remove the curve without points"))
      }
    }
    let edits = source.removals(
      of: removed.map(\.index), from: entries.map(\.range), closing: list.end - 1)
    for (removal, edit) in zip(removed, edits) {
      add(.safe, removal.code, at: removal.offset, removal.summary, [edit])
    }
    scanWhole(entries)
  }

  private mutating func scanVersion(_ fields: Fields, meant: Set<String>) {
    guard let version = fields["Version"] else {
      guard !meant.contains("Version") else { return }
      return add(
        .safe, .versionMissing, at: fields.object.node.offset, "write the 'Version' 1.0",
        source.insertion(first: "Version", "1.0", into: fields.members).map { [$0] } ?? [])
    }
    if version.node.number != 1 {
      replace(
        .safe, .versionUnusual, version, by: "1.0", "write the 'Version' 1.0, the only one there is"
      )
    } else if version.node.integer != nil {
      replace(.safe, .versionInteger, version, by: "1.0", "write the 'Version' as 1.0")
    }
  }

  /// Gives the offset of an empty list of control points, if that is all that the entry holds.
  private mutating func scanEntry(_ entry: LocatedNode, slot: Int) -> Int? {
    let fields = Fields(entry, known: Keys.entry, in: source)
    _ = scanKeys(fields, known: Keys.entry)
    if let index = fields.index(of: "Event") {
      let isAlone = fields["Parameter"] == nil && fields["ParameterCurve"] == nil
      let member = fields.members[index]
      scanEvent(member.value, key: member.key.offset, slot: isAlone ? slot : nil)
    }
    if let parameter = fields["Parameter"] { scanParameter(parameter) }
    guard let curve = fields["ParameterCurve"], let points = scanCurve(curve) else { return nil }
    if fields.members.count == 1 { return points }
    if let index = fields.index(of: "ParameterCurve"), !fields.isRepeated("ParameterCurve") {
      add(
        .safe, .curveEmpty, at: points, "remove the curve without points",
        source.removals(
          of: [index], from: fields.members.map(\.range), closing: entry.end - 1))
    }
    return nil
  }
}
