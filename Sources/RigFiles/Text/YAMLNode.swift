// SPDX-License-Identifier: Apache-2.0

private import Yams

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

  func error(_ message: String) -> RigFileError { source.error(at: position, message) }

  /// Fails at this place where something does not hold.
  func check(
    _ holds: Bool, _ message: @autoclosure () throws(RigFileError) -> String
  ) throws(RigFileError) {
    if !holds { throw error(try message()) }
  }

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

// The one file that knows Yams. Its resolver is empty, so that every scalar stays the text that
// was written: 'yes', '0o17' and '12:30' are those three, four and five characters.
extension YAMLNode {
  init(_ source: SourceText) throws(RigFileError) {
    do {
      let parser = try Parser(yaml: source.text, resolver: .basic, encoding: .utf8)
      let root = try parser.singleRoot()
      // The parser owns the anchors, and nodes only point at them.
      self = try withExtendedLifetime(parser) {
        guard let root else {
          throw source.error(at: Position(), "the file is empty: it must hold a map of keys")
        }
        return try YAMLNode(root, label: "the file", depth: 0, source)
      }
    } catch let error as RigFileError {
      throw error
    } catch let error as YamlError {
      throw Self.located(error, source)
    } catch {
      throw source.error(at: Position(), "the file cannot be read as YAML: \(error)")
    }
  }

  fileprivate init(
    _ node: Node, label: String, depth: Int, _ source: SourceText
  ) throws(RigFileError) {
    let position = Position(node.mark)
    // No form needs more than six; labels grow with the depth.
    guard depth <= 16 else {
      throw source.error(at: position, "lists and maps are nested more than 16 deep here")
    }
    if node.anchor != nil {
      throw source.error(at: position, Self.anchorMessage)
    }
    let tag: Tag
    let content: Content
    switch node {
    case .scalar(let scalar):
      tag = scalar.tag
      content = .scalar(try Self.checked(scalar.string, at: position, source))
    case .sequence(let items):
      tag = items.tag
      content = .list(try Self.list(items, label: label, depth: depth + 1, source))
    case .mapping(let pairs):
      tag = pairs.tag
      content = .map(
        try pairs.map { pair throws(RigFileError) in try Entry(pair, depth: depth + 1, source) })
    case .alias:
      throw source.error(at: position, Self.anchorMessage)
    }
    // What Yams gives to a node that has no tag of its own.
    let usual: [Tag.Name] = [.implicit, .nonSpecific, .str, .seq, .map]
    guard usual.map(\.rawValue).contains(tag.description) else {
      throw source.error(at: position, "tags (\(tag.description.quoted)) are not read: remove it")
    }
    self.init(content: content, position: position, label: label, source: source)
  }

  private static let anchorMessage =
    "anchors and aliases (&name, *name) are not read: write the value out"

  private static func list(
    _ items: Node.Sequence, label: String, depth: Int, _ source: SourceText
  ) throws(RigFileError) -> [YAMLNode] {
    try items.enumerated().map { item throws(RigFileError) in
      try YAMLNode(item.element, label: "item \(item.offset + 1) of \(label)", depth: depth, source)
    }
  }

  private static func checked(
    _ text: String, at position: Position, _ source: SourceText
  ) throws(RigFileError) -> String {
    guard text.utf8.count <= 1024 else {
      throw source.error(at: position, "this text has \(text.utf8.count) bytes: at most 1024")
    }
    // Escapes in double quotes can bring in what the file's own text may not hold.
    let hasControl = text.unicodeScalars.contains {
      $0.properties.generalCategory == .control && !"\t\n\r".unicodeScalars.contains($0)
    }
    guard !hasControl else {
      throw source.error(at: position, "this text holds a control character: remove it")
    }
    return text
  }
}

extension YAMLNode.Entry {
  fileprivate init(
    _ pair: (key: Node, value: Node), depth: Int, _ source: SourceText
  ) throws(RigFileError) {
    key = try YAMLNode(pair.key, label: "a key", depth: depth, source)
    guard case .scalar(let name) = key.content else {
      throw key.error("a key must be a single word, but this \(key.shape)")
    }
    value = try YAMLNode(pair.value, label: name.quoted, depth: depth, source)
  }
}

extension YAMLNode {
  private static func located(_ error: YamlError, _ source: SourceText) -> RigFileError {
    switch error {
    case .scanner(let context, let problem, let mark, yaml: _),
      .parser(let context, let problem, let mark, yaml: _):
      source.error(
        at: Position(mark), sentence(problem, within: context, at: Position(mark), source))
    case .composer(let context, let problem, let mark, yaml: _):
      source.error(
        at: Position(mark),
        context == nil
          ? "aliases (*name) are not read: write the value out (\(problem))"
          : "a second document begins here, and a file holds one: remove it")
    case .duplicatedKeysInMapping(let duplicates, let context):
      source.error(
        at: Position(context.mark),
        "\((duplicates.first ?? "").quoted) is written more than once in this map: keep one")
    case .reader(let problem, offset: _, value: _, yaml: _):
      source.error(at: Position(), "the file cannot be read as YAML: \(problem)")
    default:
      source.error(at: Position(), "the file cannot be read as YAML: \(error)")
    }
  }

  private static func sentence(
    _ problem: String, within context: YamlError.Context?, at position: Position,
    _ source: SourceText
  ) -> String {
    switch problem {
    case _ where problem.contains("tab character") || source.scalar(at: position) == "\t":
      SourceText.tabMessage
    case "mapping values are not allowed in this context":
      "no key can stand here: check the indentation, and quote a text that holds ': '"
    default:
      "this is not YAML: \(context.map { "\($0.text), " } ?? "")\(problem)"
    }
  }
}

extension SourceText {
  fileprivate func scalar(at position: Position) -> Unicode.Scalar? {
    var cursor = Cursor()
    for scalar in text.unicodeScalars {
      if cursor.position == position { return scalar }
      cursor.advance(over: scalar)
    }
    return nil
  }
}

extension Position {
  fileprivate init(_ mark: Mark?) {
    self.init(line: mark?.line ?? 1, column: mark?.column ?? 1)
  }
}
