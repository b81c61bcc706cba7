/// One node of a YAML file: what it holds, where it stands, and how a sentence names it.
///
/// Scalars are kept as they are written; nothing is guessed from how they look.
struct YAMLNode: Sendable {
  enum Content: Sendable {
    case scalar(String)
    case list([YAMLNode])
    case map([Entry])
  }

  struct Entry: Sendable {
    let key: YAMLNode
    let value: YAMLNode
  }

  let content: Content
  let position: Position
  /// `'full-scale'` for the value of that key, `item 2 of 'limits'` for one of a list.
  let label: String
  let source: SourceText

  /// Makes the error of this place.
  func error(_ message: String) -> RigFileError { source.error(at: position, message) }

  /// What the node is, for a sentence that asks for something else.
  var shape: String {
    switch content {
    case .scalar(let text): text.isEmpty ? "is empty" : "is the single value \(text.quoted)"
    case .list: "is a list"
    case .map: "is a map"
    }
  }
}

extension String {
  /// The text in quotes, cut where it is long.
  var quoted: String { count <= 60 ? "'\(self)'" : "'\(prefix(57))...'" }
}
