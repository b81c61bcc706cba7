// SPDX-License-Identifier: Apache-2.0

public import JSONText

/// A way to mend one finding by small edits; all else of the text stays byte for byte.
public struct Fix: Sendable, Hashable {
  /// What the fix may change.
  public var kind: FixKind
  /// The finding that the fix mends.
  public var code: DiagnosticCode
  /// Where that finding is reported.
  public var position: JSONPosition
  /// What is done, as one clause.
  public var summary: String
  /// The edits, none of which overlaps another of this fix.
  public var edits: [TextEdit]
  /// Whether whole entries or points change places, which must wait for the edits within them.
  var isReordering = false
  /// Whether the fix is of a part that is not played at all before it, and then is.
  var bringsToLife = false

  var firstOffset: Int { edits.first?.range.lowerBound ?? position.offset }
}

/// A file's text after its fixes.
public struct FixedText: Sendable, Hashable {
  /// The text.
  public var bytes: [UInt8]
  /// The fixes that were applied, each at its place in the text as it was.
  ///
  /// Some fixes show only when others are applied: the edits of such a fix count in the text
  /// between, and its place is the nearest one in the text as it was.
  public var applied: [Fix]
}

/// The replacement of a run of bytes of a text.
public struct TextEdit: Sendable, Hashable {
  /// The bytes to replace; empty for an insertion.
  public var range: Range<Int>
  /// What stands there instead; empty for a removal.
  public var replacement: String

  /// Creates an edit.
  public init(range: Range<Int>, replacement: String) {
    self.range = range
    self.replacement = replacement
  }
}

/// Why a file's text was not fixed.
public enum FixError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The file is no JSON or has no list of entries, or had none once its names are right; the place is in the
  /// text as it was.
  case unreadable(AHAPError)
  /// The fixes would change what is felt, or never end: a fault of the fixer, told instead of a
  /// damaged file.
  case refused(fileName: String, codes: [DiagnosticCode])

  /// The whole message.
  public var description: String {
    switch self {
    case .unreadable(let error): return error.text
    case .refused(let fileName, let codes):
      let list = Set(codes.map(\.rawValue)).sorted().joined(separator: ", ")
      return "\(fileName): the fixes of \(list) would change what is felt, so nothing is fixed; "
        + "please report this file"
    }
  }
}

/// Mends AHAP texts by the smallest edits.
///
/// Indentation, the forms of numbers, the order of keys and whatever the reader ignores stay byte for
/// byte. Numbers are written as the shortest decimal that reads back the same.
public enum AHAPFixer {
  /// A text settles in a few passes; more than this means that two fixes undo each other.
  private static let passLimit = 64

  /// Finds the fixes of a text, one for each finding that has one.
  ///
  /// Each can be applied without the others. Several may overlap, such as a removal and an edit
  /// within what is removed, and some fixes show only when others are applied: for all of them at
  /// once there is ``fixed(_:fileName:kinds:)``. The text must be JSON, but need not be a pattern that
  /// can be read. Time is linear in the text but for sorting.
  public static func fixes(
    for bytes: [UInt8], fileName: String = "pattern.ahap", kinds: Set<FixKind> = [.safe]
  ) throws(AHAPError) -> [Fix] {
    fixes(in: try document(bytes, fileName), of: bytes, kinds: kinds)
  }

  /// Finds the fixes of a text that has been parsed, as ``fixes(for:fileName:kinds:)`` does.
  package static func fixes(
    in document: JSONDocument, of bytes: [UInt8], kinds: Set<FixKind>
  ) -> [Fix] {
    FixScan.fixes(in: document, bytes: bytes, kinds: kinds).located(\.position, in: bytes)
  }

  /// Applies the fixes of a text until nothing is left to fix.
  ///
  /// Fixing the result again changes nothing. What Core Haptics refuses and no fix reaches stays. Where only kinds
  /// are named that keep what is felt, the entries that could be played play as before, which is checked; those
  /// that a right name brings to life come to them. Throws where the text has no list of entries.
  public static func fixed(
    _ bytes: [UInt8], fileName: String = "pattern.ahap", kinds: Set<FixKind> = [.safe]
  ) throws(FixError) -> FixedText {
    var text = FixingText(bytes: bytes, fileName: fileName, passesLeft: passLimit)
    let keeping = kinds.filter(\.keepsWhatIsFelt)
    let changing = kinds.subtracting(keeping)
    var count = -1
    while count < text.passes.count {
      count = text.passes.count
      var named = -1
      while named < text.passes.count {
        named = text.passes.count
        try text.settle(keeping, where: \.bringsToLife)
        try text.settle(changing)
      }
      let before = try text.felt()
      try text.settle(keeping) { !$0.bringsToLife }
      guard text.passes.count > count else { break }
      guard try text.felt() == before else { throw text.refusal }
    }
    return FixedText(bytes: text.bytes, applied: text.applied)
  }

  fileprivate static func document(
    _ bytes: [UInt8], _ fileName: String
  ) throws(AHAPError) -> JSONDocument {
    try JSONDocument(
      ahap: bytes, fileName: fileName, options: AHAPOptions(), purpose: "fixed")
  }
}

private struct FixingText {
  let original: [UInt8]
  let fileName: String
  private(set) var bytes: [UInt8]
  private(set) var passes: [EditPass] = []
  private var passesLeft: Int

  init(bytes: [UInt8], fileName: String, passesLeft: Int) {
    original = bytes
    self.bytes = bytes
    self.fileName = fileName
    self.passesLeft = passesLeft
  }

  mutating func settle(
    _ kinds: Set<FixKind>, where isWanted: (Fix) -> Bool = { _ in true }
  ) throws(FixError) {
    guard !kinds.isEmpty else { return }
    while true {
      let found: [Fix]
      do throws(AHAPError) {
        let document = try AHAPFixer.document(bytes, fileName)
        found = FixScan.fixes(in: document, bytes: bytes, kinds: kinds).filter(isWanted)
      } catch {
        throw unreadable(error)
      }
      if found.isEmpty { return }
      let pass = EditPass(found, to: bytes)
      passes.append(pass)
      bytes = pass.bytes
      passesLeft -= 1
      guard passesLeft > 0 else { throw refusal }
    }
  }

  func felt() throws(FixError) -> HapticPattern {
    do throws(AHAPError) {
      let options = AHAPOptions(mode: .strict, diagnosticsPerCode: 0)
      return try AHAPReader.read(bytes, fileName: fileName, options: options).pattern.felt
    } catch {
      throw unreadable(error)
    }
  }

  var refusal: FixError {
    .refused(fileName: fileName, codes: passes.flatMap { $0.chosen.map(\.code) })
  }

  /// All fixes with their places in the text as it was.
  var applied: [Fix] {
    var all: [Fix] = []
    for (index, pass) in passes.enumerated() {
      all += pass.chosen.map { fix in
        var fix = fix
        fix.position.offset = originalOffset(of: fix.position.offset, before: index)
        return fix
      }
    }
    return all.located(\.position, in: original)
  }

  private func originalOffset(of offset: Int, before pass: Int) -> Int {
    passes[..<pass].reversed().reduce(offset) { $1.oldOffset(of: $0) }
  }

  /// An error in the text as it is now, told with its place in the text as it was.
  private func unreadable(_ error: AHAPError) -> FixError {
    var diagnostic = error.diagnostic
    let offset = originalOffset(of: error.position.offset, before: passes.count)
    diagnostic.position = JSONPosition(offset: offset, in: original)
    return .unreadable(AHAPError(diagnostic, fileName: fileName, bytes: original))
  }
}

extension HapticPattern {
  /// What of the pattern can be felt or heard: two patterns for which it is equal play alike.
  ///
  /// Events stand by time, those at one time in the order of the file, with the defaults filled in;
  /// parameters and curves have their rank among each other, which tells the newest.
  fileprivate var felt: HapticPattern {
    var felt = HapticPattern()
    felt.events = eventsByTime.map { event in
      var felt = event
      felt.order = 0
      felt.parameters = EventParameters { event.value(of: $0) }
      felt.parameters.sustained = event.resolved().isSustained ? 1 : 0
      return felt
    }
    let controls = PatternEntry.entries(of: self).filter { entry in
      switch entry {
      case .event: false
      case .parameter: true
      case .curve(let curve): !curve.points.isEmpty
      }
    }
    for (rank, control) in controls.enumerated() { control.append(to: &felt, order: rank) }
    return felt
  }
}
