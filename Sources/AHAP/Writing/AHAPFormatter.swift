import JSONText

/// Brings AHAP files into their canonical form without losing anything of them.
///
/// The form: known keys first and in one order, then all others as they stood; two blanks a level;
/// control points and event parameters a line each; a final line feed; no byte order mark and no
/// trailing commas. A number of a known key takes the fewest digits that read back as the same
/// number, with a point or an exponent. All else that was written stays: the order of arrays, keys
/// without meaning and their numbers digit by digit, values out of range, and keys given twice, in
/// their order, so that the last one still counts.
///
/// What the pattern means is not judged: a file with faults of AHAP is laid out like any other.
public enum AHAPFormatter {
  /// Gives the canonical form of a file.
  ///
  /// Formatting what was formatted changes nothing, and the reader finds the same pattern in both.
  /// Time and memory are linear in the file.
  public static func text(
    of bytes: [UInt8], fileName: String = "pattern.ahap", options: AHAPOptions = AHAPOptions()
  ) throws(AHAPError) -> String {
    let document = try JSONDocument(ahap: bytes, fileName: fileName, options: options)
    let source = CanonicalSource(bytes: bytes)
    return document.withUnsafeView { AHAPLayout.text(source.value(of: $0, in: .file)) }
  }
}

/// A file's text, from which values are taken in canonical order.
private struct CanonicalSource {
  let bytes: [UInt8]

  func value(of node: JSONView, in place: CanonicalOrder) -> LaidOutValue {
    switch node.kind {
    case .null: .token("null")
    case .bool: .token(node.bool == true ? "true" : "false")
    case .number: .token(number(node, in: place))
    case .string: .token(LaidOutValue.quoted(node.string ?? ""))
    case .array: .array(node.elements.map { value(of: $0, in: place.element) })
    case .object: .object(members(of: node, in: place))
    }
  }

  private func number(_ node: JSONView, in place: CanonicalOrder) -> String {
    if case .number = place, let number = node.number { return number.description }
    let end = bytes[node.offset...].firstIndex { !Self.isPartOfNumber($0) } ?? bytes.endIndex
    return String(decoding: bytes[node.offset..<end], as: UTF8.self)
  }

  private static func isPartOfNumber(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"),
      UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  /// The members with the known keys first; equal keys keep their order, of which the last counts.
  private func members(of node: JSONView, in place: CanonicalOrder) -> [LaidOutMember] {
    let keys = place.keys
    var ranked: [[LaidOutMember]] = Array(repeating: [], count: keys.count + 1)
    for (key, value) in node.members {
      let rank = keys.firstIndex { key.matches($0.name) } ?? keys.count
      let inner = rank < keys.count ? keys[rank].place : .other
      ranked[rank].append(
        LaidOutMember(
          key: LaidOutValue.quoted(key.string ?? ""), value: self.value(of: value, in: inner)))
    }
    return ranked.flatMap(\.self)
  }
}

/// The places of an AHAP file whose keys are known, with the one order in which they are written.
enum CanonicalOrder {
  case file
  case pattern
  case entry
  case event
  case eventParameters
  case eventParameter
  case parameter
  case curve
  case points
  case point
  case number
  /// Whatever is kept as it is.
  case other

  typealias Key = (name: String, place: CanonicalOrder)

  private static let fileKeys: [Key] = [
    ("Version", .number), ("Metadata", .other), ("Pattern", .pattern),
  ]
  private static let entryKeys: [Key] = [
    ("Event", .event), ("Parameter", .parameter), ("ParameterCurve", .curve),
  ]
  private static let eventKeys: [Key] = [
    ("Time", .number), ("EventType", .other), ("EventDuration", .number),
    ("EventWaveformPath", .other), ("EventWaveformUseVolumeEnvelope", .other),
    ("EventWaveformLoopEnabled", .other), ("EventParameters", .eventParameters),
  ]
  private static let eventParameterKeys: [Key] = [
    ("ParameterID", .other), ("ParameterValue", .number),
  ]
  private static let parameterKeys: [Key] = [
    ("ParameterID", .other), ("ParameterValue", .number), ("Time", .number),
  ]
  private static let curveKeys: [Key] = [
    ("ParameterID", .other), ("Time", .number), ("ParameterCurveControlPoints", .points),
  ]
  private static let pointKeys: [Key] = [("Time", .number), ("ParameterValue", .number)]

  /// The known keys of an object in this place, in their order.
  var keys: [Key] {
    switch self {
    case .file: Self.fileKeys
    case .entry: Self.entryKeys
    case .event: Self.eventKeys
    case .eventParameter: Self.eventParameterKeys
    case .parameter: Self.parameterKeys
    case .curve: Self.curveKeys
    case .point: Self.pointKeys
    default: []
    }
  }

  /// The place of the elements of an array in this place.
  var element: CanonicalOrder {
    switch self {
    case .pattern: .entry
    case .eventParameters: .eventParameter
    case .points: .point
    default: .other
    }
  }
}
