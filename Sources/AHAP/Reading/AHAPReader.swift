// SPDX-License-Identifier: Apache-2.0

package import JSONText

/// How a file is read.
public struct AHAPOptions: Sendable, Hashable {
  /// How the file is judged.
  public var mode: AHAPMode
  /// The most bytes that a file may have.
  public var maximumBytes: Int
  /// The most entries that `Pattern` may have.
  public var maximumEntries: Int
  /// How many arrays and objects may lie inside each other.
  public var nestingLimit: Int
  /// How many diagnostics of one code are kept; the others are counted.
  public var diagnosticsPerCode: Int
  /// Whether continuous events are limited to 30 s, as Core Haptics limits them.
  ///
  /// Without it they keep the length that is written, for what splits them.
  public var limitsDurations: Bool
  /// The defaults to name in diagnostics about values that are left out.
  public var defaults: EventDefaults

  /// Creates options; the limits protect against files made to exhaust a machine.
  public init(
    mode: AHAPMode = .apple, maximumBytes: Int = 64 << 20, maximumEntries: Int = 1_000_000,
    nestingLimit: Int = 512, diagnosticsPerCode: Int = 1000, limitsDurations: Bool = true,
    defaults: EventDefaults = .apple
  ) {
    self.mode = mode
    self.maximumBytes = maximumBytes
    self.maximumEntries = maximumEntries
    self.nestingLimit = nestingLimit
    self.diagnosticsPerCode = diagnosticsPerCode
    self.limitsDurations = limitsDurations
    self.defaults = defaults
  }
}

/// How many entries a file holds as written, those included that the reader leaves out.
public struct EntryCounts: Sendable, Hashable {
  /// Entries that hold an `Event`.
  public var events = 0
  /// Entries that hold a `Parameter`.
  public var parameters = 0
  /// Entries that hold a `ParameterCurve`.
  public var curves = 0
  /// Control points of all curves.
  public var controlPoints = 0
}

/// What was read from a file: the pattern, and what there is to say about the file.
public struct AHAPDocument: Sendable, Hashable {
  /// The pattern; in strict mode without the entries that have errors.
  public var pattern: HapticPattern
  /// What was found, in the order of the text.
  public var diagnostics: [Diagnostic]
  /// How many diagnostics were left out because there were too many of their code.
  public var omittedDiagnostics: Int
  /// What the file holds as written.
  public var entries = EntryCounts()

  /// The highest severity among the diagnostics; nil if there are none.
  public var worstSeverity: Severity? { diagnostics.map(\.severity).max() }

  /// The document with the severities of a mode.
  ///
  /// A file read in strict mode and judged in Apple mode shows all that Core Haptics refuses, not the
  /// first of it alone.
  public func judged(in mode: AHAPMode) -> AHAPDocument {
    var document = self
    for index in diagnostics.indices {
      document.diagnostics[index].severity = diagnostics[index].code.severity(in: mode)
    }
    return document
  }
}

/// Reads AHAP files.
public enum AHAPReader {
  /// Reads a file's bytes into a pattern.
  ///
  /// In Apple mode the first fault that Core Haptics refuses is thrown. In strict mode faults of single
  /// entries become diagnostics, their entries are left out, and only what leaves no pattern is thrown.
  /// Time and memory are linear in the file, but for the sorting of control points and diagnostics.
  public static func read(
    _ bytes: [UInt8], fileName: String = "pattern.ahap", options: AHAPOptions = AHAPOptions()
  ) throws(AHAPError) -> AHAPDocument {
    let document = try JSONDocument(ahap: bytes, fileName: fileName, options: options)
    return try read(document, of: bytes, fileName: fileName, options: options)
  }

  /// Reads a text that has been parsed, as ``read(_:fileName:options:)`` does.
  package static func read(
    _ document: JSONDocument, of bytes: [UInt8], fileName: String, options: AHAPOptions
  ) throws(AHAPError) -> AHAPDocument {
    var reader = PatternReader(bytes: bytes, fileName: fileName, options: options)
    do throws(ReadingStop) {
      try reader.reportLayout(of: document)
      try document.withUnsafeView { root throws(ReadingStop) in try reader.readTopLevel(root) }
    } catch {
      guard case .file(let error) = error else {
        preconditionFailure("a part was left out that is the whole of \(fileName)")
      }
      throw error
    }
    return AHAPDocument(
      pattern: reader.pattern, diagnostics: reader.locatedDiagnostics(),
      omittedDiagnostics: reader.omitted, entries: reader.entries)
  }
}

extension JSONDocument {
  /// Parses a file's text as leniently as AHAP is read, within the limits of the options.
  package init(
    ahap bytes: [UInt8], fileName: String, options: AHAPOptions, purpose: String = "read"
  ) throws(AHAPError) {
    func failure(
      _ code: DiagnosticCode, at position: JSONPosition, _ message: String
    ) -> AHAPError {
      AHAPError(
        Diagnostic(code: code, severity: .error, position: position, message: message),
        fileName: fileName, bytes: bytes)
    }
    guard bytes.count <= options.maximumBytes else {
      throw failure(
        .inputTooLarge, at: JSONPosition(offset: 0, in: bytes),
        "the file has \(bytes.count) bytes; at most \(options.maximumBytes) are \(purpose)")
    }
    do throws(JSONError) {
      try self.init(
        bytes, options: JSONOptions(allowsTrailingCommas: true, nestingLimit: options.nestingLimit))
    } catch {
      throw failure(.brokenJSON, at: error.position, error.message)
    }
  }
}
