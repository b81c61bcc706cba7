import JSONText

extension PatternReader {
  /// Reports what the text itself shows.
  mutating func reportLayout(of document: JSONDocument) throws(AHAPError) {
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
    if bytes.last != 0x0A {
      try report(.noFinalNewline, at: bytes.count, "the last line does not end with a line feed")
    }
  }

  mutating func readTopLevel(_ root: JSONView) throws(AHAPError) {
    guard root.kind == .object else {
      throw failure(
        .notAnObject, at: root.offset,
        "an AHAP file holds an object with 'Version' and 'Pattern', not \(root.kind.phrase)")
    }
    var version: JSONView?
    var metadata: JSONView?
    var patternKey: JSONView?
    var entries: JSONView?
    for (key, value) in root.members {
      switch key {
      case "Pattern": (patternKey, entries) = (key, value)
      case "Version": version = value
      case "Metadata": metadata = value
      default: try reportUnknown(key, in: "the file", known: Keys.top, elsewhere: Keys.entry)
      }
    }
    try readVersion(version, root: root)
    try readMetadata(metadata)
    guard let patternKey, let entries else {
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
    for entry in entries.elements {
      try readEntry(entry)
    }
    try reportWhole(at: patternKey.offset)
  }

  private mutating func readVersion(_ node: JSONView?, root: JSONView) throws(AHAPError) {
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

  private mutating func readMetadata(_ node: JSONView?) throws(AHAPError) {
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

  private mutating func readEntry(_ entry: JSONView) throws(AHAPError) {
    guard entry.kind == .object else {
      return try report(
        .entryNotAnObject, at: entry.offset,
        "an entry of 'Pattern' must be an object, not \(entry.kind.phrase)")
    }
    var event: (key: JSONView, value: JSONView)?
    var parameter: (key: JSONView, value: JSONView)?
    var curve: (key: JSONView, value: JSONView)?
    for (key, value) in entry.members {
      switch key {
      case "Event": event = (key, value)
      case "ParameterCurve": curve = (key, value)
      case "Parameter": parameter = (key, value)
      default: try reportUnknown(key, in: "an entry of 'Pattern'", known: Keys.entry)
      }
    }
    let contents = (event == nil ? 0 : 1) + (parameter == nil ? 0 : 1) + (curve == nil ? 0 : 1)
    if contents > 1 || entry.count == 0 {
      try report(
        .entryAmbiguous, at: entry.offset,
        "an entry holds one of 'Event', 'Parameter' and 'ParameterCurve'; this holds \(contents)")
    }
    if let event {
      entries.events += 1
      try readEvent(event.value, key: event.key.offset)
    }
    if let parameter {
      entries.parameters += 1
      try readParameter(parameter.value, key: parameter.key.offset)
    }
    if let curve {
      entries.curves += 1
      try readCurve(curve.value, key: curve.key.offset)
    }
  }
}
