import JSONText

/// Finds what can be fixed in one parsed text, by the rules of the reader.
///
/// It works on the text's tree, not on the pattern, so that a file which cannot be read until a name
/// is right can be fixed. The stages: `scanLayout`, `scanTop`, then for each entry `scanEvent`,
/// `scanParameter` or `scanCurve`, and at last `scanWhole`.
struct FixScan {
  /// A curve whose first point equals its time, judged when the pattern's end is known.
  struct SuspectCurve {
    var origin: Int
    var end: Double
    var start: LocatedNode
    var times: [LocatedNode]
  }

  /// An event in the order of the text.
  struct TimedEvent {
    var key: Int
    var time: Double
    /// The index of its entry, if the entry can change places.
    var slot: Int?
  }

  let source: SourceText
  let document: JSONDocument
  let kinds: Set<FixKind>
  var found: [FoundFix] = []
  var names = NameFixer()
  var suspects: [SuspectCurve] = []
  var events: [TimedEvent] = []
  /// Whether an event has no usable time or kind, so that nothing is known of the order.
  var hasUnknownEvent = false
  var patternEnd = 0.0
  /// Where events end, in seconds.
  var eventEnds: [Double] = []

  init(_ document: JSONDocument, bytes: [UInt8], kinds: Set<FixKind>) {
    source = SourceText(bytes: bytes)
    self.document = document
    self.kinds = kinds
  }

  /// Finds the fixes of some kinds in a parsed text; linear but for the sorting of what is out of
  /// order.
  static func fixes(
    in document: JSONDocument, bytes: [UInt8], kinds: Set<FixKind>
  ) -> [FoundFix] {
    var scan = FixScan(document, bytes: bytes, kinds: kinds)
    let root = scan.source.root(of: document)
    scan.scanLayout(root)
    scan.scanTop(root)
    return scan.found
  }

  /// Notes a fix if its kind is asked for.
  mutating func add(
    _ kind: FixKind, _ code: DiagnosticCode, at offset: Int, _ summary: String,
    isReordering: Bool = false, _ edits: [TextEdit]
  ) {
    guard kinds.contains(kind), !edits.isEmpty else { return }
    found.append(
      FoundFix(
        kind: kind, code: code, offset: offset, summary: summary, edits: edits,
        isReordering: isReordering))
  }

  /// Notes the fix that writes another value.
  mutating func replace(
    _ kind: FixKind, _ code: DiagnosticCode, _ value: LocatedNode, by text: String,
    _ summary: String
  ) {
    add(
      kind, code, at: value.node.offset, summary,
      [TextEdit(range: value.range, replacement: text)])
  }
}
