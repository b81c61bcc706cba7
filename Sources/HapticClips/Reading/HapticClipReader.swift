import JSONText

/// Reads `.haptic` files of version 1.
public enum HapticClipReader {
  /// The most bytes that a file may have.
  public static let maximumBytes = 64 << 20

  /// Reads a file's bytes into a clip.
  ///
  /// Keys that are not known are ignored, as other tools do; everything else must be as the format
  /// asks. Time and memory are linear in the file.
  ///
  /// - Parameters:
  ///   - bytes: The file, UTF-8.
  ///   - fileName: The name for messages.
  /// - Returns: The clip.
  /// - Throws: A ``HapticClipError`` with the place of the first fault.
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

extension ClipFile {
  func clip(_ root: JSONNode) throws(HapticClipError) -> HapticClip {
    guard root.kind == .object else {
      throw failure(.wrongType, at: root.offset, "a clip is an object, not \(root.kind.phrase)")
    }
    var clip = HapticClip(version: try version(root), amplitude: [])
    if let notes = given(root, "metadata") { clip.metadata = try metadata(notes) }
    let signals = try object(root, "signals")
    let continuous = try object(signals, "continuous")
    let envelopes = try object(continuous, "envelopes")
    clip.amplitude = try amplitude(try array(envelopes, "amplitude"))
    if let points = given(envelopes, "frequency") {
      clip.frequency = try frequency(points, of: clip)
    }
    return clip
  }

  private func version(_ root: JSONNode) throws(HapticClipError) -> HapticClip.Version {
    let node = try object(root, "version")
    let version = HapticClip.Version(
      major: try part(node, "major") ?? 0, minor: try part(node, "minor") ?? 0,
      patch: try part(node, "patch") ?? 0)
    guard version.major == 1 else {
      throw failure(
        .versionUnknown, at: (node["major"] ?? node).offset,
        "the clip is of version \(version.major); only version 1 can be read")
    }
    return version
  }

  private func part(_ node: JSONNode, _ name: String) throws(HapticClipError) -> Int? {
    guard let part = given(node, name) else { return nil }
    guard let number = part.integer else {
      throw failure(.wrongType, at: part.offset, "'\(name)' must be a whole number")
    }
    return number
  }

  private func metadata(_ node: JSONNode) throws(HapticClipError) -> HapticClip.Metadata {
    guard node.kind == .object else {
      throw failure(
        .wrongType, at: node.offset, "'metadata' must be an object, not \(node.kind.phrase)")
    }
    var notes = HapticClip.Metadata()
    notes.editor = try string(node, "editor")
    notes.author = try string(node, "author")
    notes.source = try string(node, "source")
    notes.project = try string(node, "project")
    notes.description = try string(node, "description")
    guard let tags = given(node, "tags") else { return notes }
    guard tags.kind == .array else {
      throw failure(
        .wrongType, at: tags.offset, "'tags' must be an array, not \(tags.kind.phrase)")
    }
    for tag in tags.elements {
      guard let text = tag.string else {
        throw failure(
          .wrongType, at: tag.offset, "a tag must be a string, not \(tag.kind.phrase)")
      }
      notes.tags.append(text)
    }
    return notes
  }

  private func amplitude(
    _ list: JSONNode
  ) throws(HapticClipError) -> [HapticClip.AmplitudePoint] {
    var points: [HapticClip.AmplitudePoint] = []
    points.reserveCapacity(list.count)
    for node in list.elements {
      try checkPoint(node, of: "amplitude")
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
    guard node.kind == .object else {
      throw failure(
        .wrongType, at: node.offset, "'emphasis' must be an object, not \(node.kind.phrase)")
    }
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
    guard list.kind == .array else {
      throw failure(
        .wrongType, at: list.offset, "'frequency' must be an array, not \(list.kind.phrase)")
    }
    guard let start = clip.amplitude.first?.time, let end = clip.amplitude.last?.time else {
      return []
    }
    var points: [HapticClip.FrequencyPoint] = []
    points.reserveCapacity(list.count)
    for node in list.elements {
      try checkPoint(node, of: "frequency")
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
}
