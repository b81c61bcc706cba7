import JSONText

/// The state of one reading, and its way of reporting.
///
/// The stages: `reportLayout` (commas, keys, marks), `readTopLevel`, then for each entry `readEvent`,
/// `readParameter` or `readCurve`, and at last `reportWhole` on the pattern as a whole.
struct PatternReader {
  let bytes: [UInt8]
  let fileName: String
  let options: AHAPOptions
  var findings: Findings
  var pattern = HapticPattern()
  /// The entries as written.
  var entries = EntryCounts()
  /// Entries are read in the order of the text, so all of their places cost one pass over it.
  var finder = JSONPositionFinder()
  /// Curves whose first point lies after 0, and the offset of that point.
  var lateCurves: [(index: Int, offset: Int)] = []
  /// The names suggested so far.
  var suggestions: [SpellingQuestion: String?] = [:]
  /// The offset of the first event that starts before an earlier one.
  var firstDisorder: Int?

  init(bytes: [UInt8], fileName: String, options: AHAPOptions) {
    self.bytes = bytes
    self.fileName = fileName
    self.options = options
    findings = Findings(limit: options.diagnosticsPerCode)
  }

  /// The rank of the next entry.
  var nextOrder: Int { pattern.events.count + pattern.parameters.count + pattern.curves.count }

  /// Notes a finding, or throws it if its code is an error in Apple mode and this is that mode.
  mutating func report(
    _ code: DiagnosticCode, at offset: Int, _ message: @autoclosure () -> String,
    used: @autoclosure () -> String? = nil, fix: @autoclosure () -> String? = nil
  ) throws(AHAPError) {
    guard options.mode == .strict || code.defaultSeverity != .error else {
      throw failure(code, at: offset, message(), used: used(), fix: fix())
    }
    guard findings.admits(code) else { return }
    findings.append(
      Findings.Finding(code: code, offset: offset, message: message(), used: used(), fix: fix()))
  }

  /// Makes the error that ends the reading.
  func failure(
    _ code: DiagnosticCode, at offset: Int, _ message: String, used: String? = nil,
    fix: String? = nil
  ) -> AHAPError {
    let diagnostic = Diagnostic(
      code: code, severity: .error, position: JSONPosition(offset: offset, in: bytes),
      message: message, used: used, fix: fix)
    return AHAPError(diagnostic, fileName: fileName, bytes: bytes)
  }

  mutating func mark(_ offset: Int) -> SourceMark {
    let bytes = bytes
    return SourceMark(finder.position(of: offset, in: bytes.span))
  }

  /// The findings in the order of the text, with lines and columns.
  func locatedDiagnostics() -> [Diagnostic] {
    var finder = JSONPositionFinder()
    let ordered = findings.items.enumerated().sorted {
      ($0.element.offset, $0.offset) < ($1.element.offset, $1.offset)
    }
    return ordered.map { _, finding in
      Diagnostic(
        code: finding.code, severity: finding.code.severity(in: options.mode),
        position: finder.position(of: finding.offset, in: bytes.span), message: finding.message,
        used: finding.used, fix: finding.fix)
    }
  }
}
