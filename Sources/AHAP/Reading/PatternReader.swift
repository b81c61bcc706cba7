// SPDX-License-Identifier: Apache-2.0

import JSONText

/// Why the reading of a part of a file ends before it is over.
enum ReadingStop: Error {
  /// The whole file cannot be used.
  case file(AHAPError)
  /// The part is left out, and why has been noted.
  case part
}

/// The state of one reading, and its way of reporting.
///
/// The stages: `reportLayout` (commas, keys, marks), `readTopLevel`, then for each entry `readEvent`,
/// `readParameter` or `readCurve`, and at last `reportWhole` on the pattern as a whole.
struct PatternReader {
  let bytes: [UInt8]
  let fileName: String
  let options: AHAPOptions
  var pattern = HapticPattern()
  var entries = EntryCounts()
  /// Curves whose first point lies after 0, and the offset of that point.
  var lateCurves: [(index: Int, offset: Int)] = []
  var names = NameFixer()
  /// Whether what is written as an event was left out: the pattern's events and its end are not known then.
  var lacksEvents = false
  /// The offset of the first event that starts before an earlier one.
  var firstDisorder: Int?
  /// Findings left out because there were too many of their code.
  private(set) var omitted = 0

  /// What was found, by offset alone until the reading is over.
  private var findings: [Diagnostic] = []
  private var counts: [DiagnosticCode: Int] = [:]
  /// Stands at the start of the entry that is read, so that the places in a file cost one pass over it.
  ///
  /// Entries are read in the order of the text; what one entry holds is not.
  private var finder = JSONPositionFinder()

  init(bytes: [UInt8], fileName: String, options: AHAPOptions) {
    self.bytes = bytes
    self.fileName = fileName
    self.options = options
  }

  /// The rank of the next entry.
  var nextOrder: Int { pattern.events.count + pattern.parameters.count + pattern.curves.count }

  /// Notes a finding, or throws it if its code is an error in Apple mode and this is that mode.
  mutating func report(
    _ code: DiagnosticCode, at offset: Int, _ message: @autoclosure () -> String,
    used: @autoclosure () -> String? = nil, fix: @autoclosure () -> String? = nil
  ) throws(ReadingStop) {
    guard options.mode == .strict || code.defaultSeverity != .error else {
      throw failure(code, at: offset, message(), fix: fix())
    }
    let count = counts[code, default: 0]
    counts[code] = count + 1
    guard count < options.diagnosticsPerCode else {
      omitted += 1
      return
    }
    findings.append(
      Diagnostic(
        code: code, severity: code.severity(in: options.mode),
        position: JSONPosition(unlocated: offset), message: message(),
        used: used(), fix: fix()))
  }

  /// Reads a part of an entry; nil where it is left out, so that what is wrong with the other parts shows too.
  @inline(__always)
  mutating func attempt<Part>(
    _ read: (inout Self) throws(ReadingStop) -> Part
  ) throws(ReadingStop) -> Part? {
    do throws(ReadingStop) {
      return try read(&self)
    } catch .part {
      return nil
    }
  }

  /// Notes a finding for which a part of the file is left out.
  mutating func refusal(
    _ code: DiagnosticCode, at offset: Int, _ message: @autoclosure () -> String,
    fix: @autoclosure () -> String? = nil
  ) -> ReadingStop {
    do throws(ReadingStop) {
      try report(code, at: offset, message(), fix: fix())
      return .part
    } catch {
      return error
    }
  }

  func failure(
    _ code: DiagnosticCode, at offset: Int, _ message: String, fix: String? = nil
  ) -> ReadingStop {
    let diagnostic = Diagnostic(
      code: code, severity: .error, position: JSONPosition(offset: offset, in: bytes),
      message: message, fix: fix)
    return .file(AHAPError(diagnostic, fileName: fileName, bytes: bytes))
  }

  func mark(_ offset: Int) -> SourceMark {
    var ahead = finder
    return SourceMark(ahead.position(of: offset, in: bytes.span))
  }

  /// The findings in the order of the text, with lines and columns.
  func locatedDiagnostics() -> [Diagnostic] { findings.located(\.position, in: bytes) }

  mutating func reportLayout(of document: JSONDocument) throws(ReadingStop) {
    if document.hasByteOrderMark {
      try report(
        .byteOrderMark, at: 0, "the file starts with a byte order mark; save it without one")
    }
    for offset in document.trailingCommaOffsets {
      try report(
        .trailingComma, at: offset, "a comma stands before a closing bracket; remove it")
    }
    for offset in document.duplicateKeyOffsets {
      try report(
        .duplicateKey, at: offset, "the object has had this key before; the last one counts")
    }
  }

  mutating func readTopLevel(_ root: JSONView) throws(ReadingStop) {
    guard root.kind == .object else {
      throw failure(
        .notAnObject, at: root.offset,
        "an AHAP file holds an object with 'Version' and 'Pattern', not \(root.kind.phrase)")
    }
    var version: JSONView?
    var metadata: JSONView?
    var patternKey: JSONView?
    var entries: JSONView?
    var unknown: [JSONView] = []
    for (key, value) in root.members {
      switch key {
      case "Pattern": (patternKey, entries) = (key, value)
      case "Version": version = value
      case "Metadata": metadata = value
      default: unknown.append(key)
      }
    }
    let meant = try reportUnknown(
      unknown, in: "the file", known: ObjectShape.file.names, elsewhere: ObjectShape.entry.names,
      lacking: patternKey == nil ? ["Pattern"] : [])
    if version != nil || meant["Version"] == nil { try readVersion(version, root: root) }
    try readMetadata(metadata)
    guard let patternKey, let entries else {
      if let key = meant["Pattern"] {
        throw failure(
          .patternMissing, at: key.offset, Self.lack(of: "Pattern", "the file", meant: key),
          fix: "Pattern")
      }
      throw failure(
        .patternMissing, at: root.offset,
        "the file has no 'Pattern'; it must be an array of events, parameters and curves")
    }
    guard entries.kind == .array else {
      throw failure(
        .patternNotAnArray, at: entries.offset,
        "'Pattern' must be an array, not \(entries.kind.phrase)")
    }
    guard entries.count <= options.maximumEntries else {
      throw failure(
        .tooManyEntries, at: patternKey.offset,
        "'Pattern' has \(entries.count) entries; at most \(options.maximumEntries) are read")
    }
    pattern.events.reserveCapacity(entries.count)
    for entry in entries.elements { try readEntry(entry) }
    try reportWhole(at: patternKey.offset)
  }

  private mutating func readVersion(_ node: JSONView?, root: JSONView) throws(ReadingStop) {
    guard let node else {
      return try report(
        .versionMissing, at: root.offset, "the file has no 'Version'; 1.0 is assumed",
        used: "1.0", fix: "1.0")
    }
    guard let number = node.number else {
      return try report(
        .versionUnusual, at: node.offset,
        "'Version' must be a number, not \(node.kind.phrase); 1.0 is assumed", used: "1.0",
        fix: "1.0")
    }
    pattern.version = number
    if number != 1 {
      try report(
        .versionUnusual, at: node.offset,
        "'Version' is \(number.plain); Core Haptics knows 1.0 only", fix: "1.0")
    } else if node.integer != nil {
      try report(
        .versionInteger, at: node.offset, "'Version' is the integer 1; Apple writes 1.0",
        fix: "1.0")
    }
  }

  private mutating func readMetadata(_ node: JSONView?) throws(ReadingStop) {
    guard let node else { return }
    pattern.metadata = node.value
    guard node.kind == .object else {
      return try report(
        .valueWrongType, at: node.offset,
        "'Metadata' should be an object, not \(node.kind.phrase); it changes nothing that is played"
      )
    }
    for (key, _) in node.members where !Keys.metadata.contains(where: { key.matches($0) }) {
      try report(
        .metadataKeyUnknown, at: key.offset,
        "'\(key.shortString)' is not one of the usual 'Project', 'Created' and 'Description'")
    }
  }

  private mutating func readEntry(_ entry: JSONView) throws(ReadingStop) {
    guard entry.kind == .object else {
      lacksEvents = true
      return try report(
        .entryNotAnObject, at: entry.offset,
        "an entry of 'Pattern' must be an object, not \(entry.kind.phrase)")
    }
    let bytes = bytes
    _ = finder.position(of: entry.offset, in: bytes.span)
    var event: (key: JSONView, value: JSONView)?
    var parameter: (key: JSONView, value: JSONView)?
    var curve: (key: JSONView, value: JSONView)?
    var unknown: [JSONView] = []
    for (key, value) in entry.members {
      switch key {
      case "Event": event = (key, value)
      case "ParameterCurve": curve = (key, value)
      case "Parameter": parameter = (key, value)
      default: unknown.append(key)
      }
    }
    let meant = try reportUnknown(
      unknown, in: "an entry of 'Pattern'", known: ObjectShape.entry.names)
    if meant["Event"] != nil { lacksEvents = true }
    let contents = (event == nil ? 0 : 1) + (parameter == nil ? 0 : 1) + (curve == nil ? 0 : 1)
    if contents > 1 || entry.count == 0 {
      try report(
        .entryAmbiguous, at: entry.offset,
        "an entry holds one of 'Event', 'Parameter' and 'ParameterCurve'; this holds \(contents)")
    }
    if let event {
      entries.events += 1
      do throws(ReadingStop) {
        try readEvent(event.value, key: event.key.offset)
      } catch .part {
        lacksEvents = true
      }
    }
    if let parameter {
      entries.parameters += 1
      do throws(ReadingStop) {
        try readParameter(parameter.value, key: parameter.key.offset)
      } catch .part {}
    }
    if let curve {
      entries.curves += 1
      do throws(ReadingStop) {
        try readCurve(curve.value, key: curve.key.offset)
      } catch .part {}
    }
  }

  mutating func reportWhole(at key: Int) throws(ReadingStop) {
    let end = pattern.duration
    // Whether points lie beyond the end cannot be told where an event is missing that may be the last.
    for (index, offset) in lateCurves where !lacksEvents {
      let curve = pattern.curves[index]
      guard let first = curve.points.first else { continue }
      if curve.looksAbsolute(patternEnd: end) {
        try report(
          .curvePointsAbsolute, at: offset,
          "the control points look counted from the start of the pattern: the curve would last "
            + "until \(curve.end.plainSum) s, the pattern until \(end.plainSum) s; count them from the "
            + "curve's 'Time'")
      } else {
        let hint =
          first.time == curve.time ? "; it equals that 'Time': is it counted from the pattern?" : ""
        try report(
          .curveFirstPointLate, at: offset,
          "the first control point comes \(first.time.plain) s after the curve's 'Time', and until "
            + "then what was in force holds\(hint)")
      }
    }
    if let firstDisorder {
      try report(
        .eventsOutOfOrder, at: firstDisorder,
        "the event starts before the one above it; events are played by their times")
    }
    if pattern.events.isEmpty, !lacksEvents {
      try report(.patternEmpty, at: key, "the pattern has no events, so nothing can be played")
    }
    if end > 30 {
      try report(
        .patternLong, at: key, "the pattern lasts \(end.plainSum) s; 30 s are the usual limit")
    }
  }
}
