// SPDX-License-Identifier: Apache-2.0

public import JSONText

/// A file that cannot be read as a clip: the reason, and where it lies.
public struct HapticClipError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong with a file; the raw values are stable.
  public enum Code: String, Sendable, CaseIterable {
    /// The file has more bytes than are read.
    case inputTooLarge = "CLIP001"
    case brokenJSON = "CLIP002"
    /// A value that must be there is missing.
    case valueMissing = "CLIP003"
    /// A value has the wrong JSON type.
    case wrongType = "CLIP004"
    /// The clip is not of version 1.
    case versionUnknown = "CLIP005"
    /// An amplitude or a frequency is not within 0 to 1.
    case valueOutOfRange = "CLIP006"
    /// A time is negative or before that of the point above.
    case timesOutOfOrder = "CLIP007"
    /// The amplitude has fewer than two points, or they span no time.
    case noLength = "CLIP008"
    /// An emphasis is weaker than the amplitude at its point.
    case emphasisTooWeak = "CLIP009"
    /// A point of the frequency lies outside the time that the amplitude spans.
    case frequencyOutside = "CLIP010"
  }

  /// What is wrong.
  public var code: Code
  /// Where it is wrong.
  public var position: JSONPosition
  /// One sentence without the place.
  public var message: String
  /// The name of the file.
  public var fileName: String
  /// The whole message: place, sentence, code, source line and caret.
  public var text: String

  init(_ code: Code, at offset: Int, _ message: String, fileName: String, bytes: [UInt8]) {
    self.code = code
    self.message = message
    self.fileName = fileName
    position = JSONPosition(offset: offset, in: bytes)
    text = SourceSnippet.report(
      bytes: bytes, fileName: fileName, position: position,
      sentence: "error: \(message) [\(code.rawValue)]")
  }

  /// The whole message.
  public var description: String { text }
}

/// Reads `.haptic` files of version 1.
public enum HapticClipReader {
  /// The most bytes that a file may have.
  public static let maximumBytes = 64 << 20

  /// Reads a file's bytes into a clip.
  ///
  /// Keys that are not known are ignored, as other tools do; everything else must be as the format
  /// asks. Time and memory are linear in the file. Throws a ``HapticClipError`` with the place of the
  /// first fault.
  public static func read(
    _ bytes: [UInt8], fileName: String = "clip.haptic"
  ) throws(HapticClipError) -> HapticClip {
    let file = ClipFile(bytes: bytes, fileName: fileName)
    guard bytes.count <= maximumBytes else {
      throw file.failure(
        .inputTooLarge, at: 0,
        "the file has \(bytes.count) bytes; at most \(maximumBytes) are read")
    }
    let document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(bytes)
    } catch {
      throw file.failure(.brokenJSON, at: error.position.offset, error.message)
    }
    return try file.clip(document.root)
  }
}

/// A file being read: takes values of the right type out of it, or says where they are wrong.
private struct ClipFile {
  let bytes: [UInt8]
  let fileName: String

  func clip(_ root: JSONNode) throws(HapticClipError) -> HapticClip {
    guard root.kind == .object else {
      throw failure(.wrongType, at: root.offset, "a clip is an object, not \(root.kind.phrase)")
    }
    var clip = HapticClip(version: try version(root), amplitude: [])
    if let notes = given(root, "metadata") { clip.metadata = try metadata(notes) }
    let signals = try required(root, "signals", .object)
    let continuous = try required(signals, "continuous", .object)
    let envelopes = try required(continuous, "envelopes", .object)
    clip.amplitude = try amplitude(try required(envelopes, "amplitude", .array))
    if let points = given(envelopes, "frequency") {
      clip.frequency = try frequency(points, of: clip)
    }
    return clip
  }

  private func version(_ root: JSONNode) throws(HapticClipError) -> HapticClip.Version {
    let node = try required(root, "version", .object)
    let version = HapticClip.Version(
      major: try part(node, "major"), minor: try part(node, "minor"),
      patch: try part(node, "patch"))
    guard version.major == 1 else {
      throw failure(
        .versionUnknown, at: (node["major"] ?? node).offset,
        "the clip is of version \(version.major); only version 1 can be read")
    }
    return version
  }

  private func part(_ node: JSONNode, _ name: String) throws(HapticClipError) -> Int {
    guard let part = given(node, name) else { return 0 }
    guard let number = part.integer else {
      throw failure(.wrongType, at: part.offset, "'\(name)' must be a whole number")
    }
    return number
  }

  private func metadata(_ node: JSONNode) throws(HapticClipError) -> HapticClip.Metadata {
    try expect(node, .object, "'metadata'")
    var notes = HapticClip.Metadata()
    notes.editor = try string(node, "editor")
    notes.author = try string(node, "author")
    notes.source = try string(node, "source")
    notes.project = try string(node, "project")
    notes.description = try string(node, "description")
    guard let tags = given(node, "tags") else { return notes }
    try expect(tags, .array, "'tags'")
    for tag in tags.elements {
      try expect(tag, .string, "a tag")
      notes.tags.append(tag.string ?? "")
    }
    return notes
  }

  private func amplitude(
    _ list: JSONNode
  ) throws(HapticClipError) -> [HapticClip.AmplitudePoint] {
    var points: [HapticClip.AmplitudePoint] = []
    points.reserveCapacity(list.count)
    for node in list.elements {
      try expect(node, .object, "a point of 'amplitude'")
      let time = try self.time(node, after: points.last?.time)
      var point = HapticClip.AmplitudePoint(time: time, amplitude: try share(node, "amplitude"))
      if let tap = given(node, "emphasis") {
        point.emphasis = try emphasis(tap, over: point.amplitude)
      }
      points.append(point)
    }
    guard let first = points.first, let last = points.last, first.time < last.time else {
      throw failure(
        .noLength, at: list.offset,
        "'amplitude' must have at least two points that span some time; it has \(points.count)")
    }
    return points
  }

  private func emphasis(
    _ node: JSONNode, over amplitude: Double
  ) throws(HapticClipError) -> HapticClip.Emphasis {
    try expect(node, .object, "'emphasis'")
    let emphasis = HapticClip.Emphasis(
      amplitude: try share(node, "amplitude"), frequency: try share(node, "frequency"))
    guard emphasis.amplitude >= amplitude else {
      throw failure(
        .emphasisTooWeak, at: (node["amplitude"] ?? node).offset,
        "the emphasis has amplitude \(emphasis.amplitude), less than the \(amplitude) of its point")
    }
    return emphasis
  }

  private func frequency(
    _ list: JSONNode, of clip: HapticClip
  ) throws(HapticClipError) -> [HapticClip.FrequencyPoint] {
    try expect(list, .array, "'frequency'")
    guard let start = clip.amplitude.first?.time, let end = clip.amplitude.last?.time else {
      return []
    }
    var points: [HapticClip.FrequencyPoint] = []
    points.reserveCapacity(list.count)
    for node in list.elements {
      try expect(node, .object, "a point of 'frequency'")
      let time = try self.time(node, after: points.last?.time)
      // Tools write times as 32-bit numbers, of which two may stand for one time.
      guard start - 1e-6...end + 1e-6 ~= time else {
        throw failure(
          .frequencyOutside, at: (node["time"] ?? node).offset,
          "the point at \(time) s lies outside the amplitude, which lasts from \(start) to \(end) s"
        )
      }
      points.append(
        HapticClip.FrequencyPoint(time: time, frequency: try share(node, "frequency")))
    }
    return points
  }

  func failure(
    _ code: HapticClipError.Code, at offset: Int, _ message: String
  ) -> HapticClipError {
    HapticClipError(code, at: offset, message, fileName: fileName, bytes: bytes)
  }

  private func expect(
    _ value: JSONNode, _ kind: JSONNode.Kind, _ name: String
  ) throws(HapticClipError) {
    guard value.kind == kind else {
      throw failure(
        .wrongType, at: value.offset, "\(name) must be \(kind.phrase), not \(value.kind.phrase)")
    }
  }

  /// The value of an optional key; nil where it is missing or null.
  private func given(_ node: JSONNode, _ name: String) -> JSONNode? {
    node[name].flatMap { $0.isNull ? nil : $0 }
  }

  private func required(
    _ node: JSONNode, _ name: String, _ kind: JSONNode.Kind
  ) throws(HapticClipError) -> JSONNode {
    guard let value = node[name] else {
      throw failure(.valueMissing, at: node.offset, "the object has no '\(name)'")
    }
    try expect(value, kind, "'\(name)'")
    return value
  }

  /// A string that is empty where it is not given.
  private func string(_ node: JSONNode, _ name: String) throws(HapticClipError) -> String {
    guard let value = given(node, name) else { return "" }
    try expect(value, .string, "'\(name)'")
    return value.string ?? ""
  }

  private func share(_ node: JSONNode, _ name: String) throws(HapticClipError) -> Double {
    let value = try required(node, name, .number)
    let number = value.number ?? 0
    guard 0...1 ~= number else {
      throw failure(
        .valueOutOfRange, at: value.offset, "'\(name)' is \(number); it must be within 0 to 1")
    }
    return number
  }

  private func time(_ node: JSONNode, after last: Double?) throws(HapticClipError) -> Double {
    let value = try required(node, "time", .number)
    let time = value.number ?? 0
    guard time >= 0 else {
      throw failure(.timesOutOfOrder, at: value.offset, "the time \(time) s is negative")
    }
    guard time >= last ?? 0 else {
      throw failure(
        .timesOutOfOrder, at: value.offset,
        "the time \(time) s is before the \(last ?? 0) s of the point above")
    }
    return time
  }
}
