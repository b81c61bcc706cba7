// SPDX-License-Identifier: Apache-2.0

public import AHAP
import JSONText

/// A pattern's text as it is edited: the bytes of its file, and its entries as a page shows them.
///
/// Made anew for each state of the text, at the cost of one parse. A text that cannot be read keeps the
/// entries of the last one that could, and says what is wrong; then only its text can be edited.
public struct PatternText: Sendable {
  /// The most bytes of a text that is edited: one step costs one parse.
  public static let longestEditable = 8 << 20

  /// The text, byte for byte as in its file.
  public let bytes: [UInt8]
  /// The offsets of the text as a page counts them.
  public let offsets: UTF16Offsets
  /// The entries of `Pattern`; of a broken text those of the last one that could be read.
  public let entries: [PatternEntry]
  /// Where each entry lies, in bytes of the text that the entries are of.
  public let places: [Range<Int>]
  /// Why the text has no entries of its own; nil where it has.
  public let broken: Diagnostic?
  /// Whether the bytes are UTF-8; others are shown and not edited.
  public let isUTF8: Bool
  /// The name that messages call the file by.
  let fileName: String
  /// The tree; nil where the text is broken.
  let document: JSONDocument?

  /// Reads a text.
  ///
  /// `earlier` is the state before, whose entries stay where this one cannot be read. Linear.
  public init(
    _ bytes: [UInt8], fileName: String = "pattern.ahap", after earlier: PatternText? = nil
  ) {
    self.bytes = bytes
    self.fileName = fileName
    isUTF8 = String(validating: bytes, as: UTF8.self) != nil
    offsets = UTF16Offsets(bytes)
    do throws(AHAPError) {
      let parsed = try JSONDocument(ahap: bytes, fileName: fileName, options: Self.options)
      let list = try Self.list(of: parsed, bytes, fileName)
      document = parsed
      (entries, places) = list
      broken = nil
    } catch {
      document = nil
      (entries, places) = (earlier?.entries ?? [], earlier?.places ?? [])
      broken = error.diagnostic
    }
  }

  /// The same text after some replacements, and where it cannot be read, with these entries.
  public func replacing(_ edits: TextEdits) -> PatternText {
    PatternText(edits.applied(to: bytes), fileName: fileName, after: self)
  }

  /// The text as a string; bytes that are not UTF-8 become U+FFFD.
  public var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The entry that holds a byte offset of the text.
  public func entry(at offset: Int) -> Int? {
    guard broken == nil else { return nil }
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if places[middle].lowerBound <= offset { low = middle + 1 } else { high = middle }
    }
    guard low > 0, places[low - 1].contains(offset) else { return nil }
    return low - 1
  }

  /// Findings of one code beyond so many are counted and not shown: a page gets all of them at each edit.
  private static let findingsPerCode = 100

  static let options = AHAPOptions(mode: .strict, diagnosticsPerCode: findingsPerCode)

  private static func list(
    of document: JSONDocument, _ bytes: [UInt8], _ fileName: String
  ) throws(AHAPError) -> ([PatternEntry], [Range<Int>]) {
    let found = document.withUnsafeView { root -> ([PatternEntry], [Range<Int>])? in
      guard let list = PatternList(root, in: SourceText(bytes: bytes)) else { return nil }
      return (list.entries.map { PatternEntry($0.node) }, list.entries.map(\.range))
    }
    if let found { return found }
    // No list of entries: the reader has the sentence for it.
    _ = try AHAPReader.read(document, of: bytes, fileName: fileName, options: options)
    return ([], [])
  }
}

/// The list of entries in a text's tree.
struct PatternList {
  /// The array itself.
  let array: LocatedNode
  let entries: [LocatedNode]
  /// The white space between the file's first bracket and its first key.
  let opening: String

  /// Finds the list; nil where the text has none.
  init?(_ root: JSONView, in source: SourceText) {
    let root = source.located(root: root)
    let members = source.members(of: root)
    guard let list = members.last(where: { $0.key.matches("Pattern") }),
      list.value.node.kind == .array
    else { return nil }
    array = list.value
    entries = source.elements(of: list.value)
    opening = source.text(root.node.offset + 1..<members[0].key.offset)
  }
}
