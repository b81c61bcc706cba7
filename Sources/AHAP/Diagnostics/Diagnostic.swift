// SPDX-License-Identifier: Apache-2.0

public import JSONText

/// How much a diagnostic matters.
public enum Severity: String, Sendable, Comparable, CustomStringConvertible {
  /// Worth knowing; what is played is what was meant.
  case note
  /// What is played may not be what was meant.
  case warning
  /// The file, or the entry in strict mode, cannot be used.
  case error

  /// The word that is printed.
  public var description: String { rawValue }

  private var rank: Int { self == .note ? 0 : self == .warning ? 1 : 2 }

  /// Orders notes before warnings before errors.
  public static func < (first: Self, second: Self) -> Bool { first.rank < second.rank }
}

/// How a file is judged.
public enum AHAPMode: String, Sendable, CaseIterable {
  /// As Apple documents its reader: limit values, ignore unknown keys, use defaults, and stop at what
  /// is missing and required.
  case apple
  /// As a lint: nearly everything unusual is an error, and reading goes on behind a wrong entry.
  case strict
}

/// Something that the reader found in a file, at its place.
public struct Diagnostic: Sendable, Hashable {
  /// What was found.
  public var code: DiagnosticCode
  /// How much it matters in the mode that the file was read in.
  public var severity: Severity
  /// Where it was found.
  public var position: JSONPosition
  /// One sentence with the values in it, without the place.
  public var message: String
  /// What is used instead of what is written.
  public var used: String?
  /// What to write instead.
  public var fix: String?

  /// Renders `file:line:column: severity: sentence [code]`, the source line and a caret.
  public func text(fileName: String, bytes: [UInt8]) -> String {
    SourceSnippet.report(
      bytes: bytes, fileName: fileName, position: position,
      sentence: "\(severity): \(message) [\(code.rawValue)]")
  }
}

/// A file that cannot be read as a pattern: the reason, and where it lies.
public struct AHAPError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The reason and its place.
  public var diagnostic: Diagnostic
  /// The name of the file.
  public var fileName: String
  /// The whole message: place, sentence, code, source line and caret.
  public var text: String

  init(_ diagnostic: Diagnostic, fileName: String, bytes: [UInt8]) {
    self.diagnostic = diagnostic
    self.fileName = fileName
    text = diagnostic.text(fileName: fileName, bytes: bytes)
  }

  /// What is wrong.
  public var code: DiagnosticCode { diagnostic.code }

  /// Where it is wrong.
  public var position: JSONPosition { diagnostic.position }

  /// The error number of Core Haptics for the fault, such as -4814.
  public var appleError: Int? { diagnostic.code.appleError }

  /// The whole message.
  public var description: String { text }
}

extension JSONPosition {
  /// A place whose line and column are looked for later, with those of others.
  init(unlocated offset: Int) { self.init(offset: offset, line: 1, column: 1) }
}

extension Array {
  /// The elements in the order of the text, their unlocated positions with lines and columns.
  func located(
    _ position: WritableKeyPath<Element, JSONPosition>, in bytes: [UInt8]
  ) -> [Element] {
    var finder = JSONPositionFinder()
    return sorted { $0[keyPath: position] < $1[keyPath: position] }.map { element in
      var located = element
      located[keyPath: position] = finder.position(
        of: element[keyPath: position].offset, in: bytes.span)
      return located
    }
  }
}
