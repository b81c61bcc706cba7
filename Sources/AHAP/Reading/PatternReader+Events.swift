import JSONText

extension PatternReader {
  /// The values of an event before they are judged; of a key given twice the last one.
  private struct EventFields {
    var time: JSONView?
    var type: JSONView?
    var duration: JSONView?
    var waveformPath: JSONView?
    var useVolumeEnvelope: JSONView?
    var loopEnabled: JSONView?
    var parameters: JSONView?
  }

  mutating func readEvent(_ node: JSONView, key offset: Int) throws(AHAPError) {
    guard node.kind == .object else {
      return try report(
        .eventFieldWrongType, at: node.offset,
        "'Event' must be an object, not \(node.kind.phrase)")
    }
    let fields = try eventFields(node)
    guard let kind = try readKind(fields.type, key: offset),
      let time = try readEventTime(fields.time, key: offset)
    else { return }
    var event = HapticEvent(kind: kind, time: time, order: nextOrder)
    guard try readDuration(fields.duration, of: &event, key: offset),
      try readWaveformPath(fields.waveformPath, of: &event, key: offset)
    else { return }
    if let flag = try readFlag(
      fields.useVolumeEnvelope, "EventWaveformUseVolumeEnvelope", default: true)
    {
      event.useVolumeEnvelope = flag
    }
    if let flag = try readFlag(fields.loopEnabled, "EventWaveformLoopEnabled", default: false) {
      event.loopEnabled = flag
    }
    try readEventParameters(fields.parameters, of: &event, key: offset)
    event.source = mark(offset)
    if firstDisorder == nil, let previous = pattern.events.last, time < previous.time {
      firstDisorder = offset
    }
    pattern.events.append(event)
  }

  private mutating func eventFields(_ node: JSONView) throws(AHAPError) -> EventFields {
    var fields = EventFields()
    for (key, value) in node.members {
      switch key {
      case "Time": fields.time = value
      case "EventType": fields.type = value
      case "EventParameters": fields.parameters = value
      case "EventDuration": fields.duration = value
      case "EventWaveformPath": fields.waveformPath = value
      case "EventWaveformUseVolumeEnvelope": fields.useVolumeEnvelope = value
      case "EventWaveformLoopEnabled": fields.loopEnabled = value
      default: try reportUnknown(key, in: "an event", known: Keys.event)
      }
    }
    return fields
  }

  private mutating func readKind(
    _ node: JSONView?, key: Int
  ) throws(AHAPError) -> HapticEvent.Kind? {
    guard let node else {
      try report(
        .eventFieldMissing, at: key,
        "the event has no 'EventType'; it must be \(Keys.choice(Keys.eventTypes))")
      return nil
    }
    guard node.kind == .string else {
      try report(
        .eventFieldWrongType, at: node.offset,
        "'EventType' must be a string, not \(node.kind.phrase)")
      return nil
    }
    if let kind = HapticEvent.Kind(matching: node) { return kind }
    let name = node.shortString
    let fix = suggestion(for: name, among: Keys.eventTypes)
    let advice = fix.map { "write '\($0)'" } ?? "it must be \(Keys.choice(Keys.eventTypes))"
    try report(
      .eventTypeUnknown, at: node.offset, "'\(name)' is not an event type; \(advice)", fix: fix)
    return nil
  }

  private mutating func readEventTime(_ node: JSONView?, key: Int) throws(AHAPError) -> Double? {
    guard let node else {
      try report(.eventTimeMissing, at: key, "the event has no 'Time'; 0 is used", used: "0")
      return 0
    }
    guard let time = node.number else {
      try report(
        .eventFieldWrongType, at: node.offset, "'Time' must be a number, not \(node.kind.phrase)")
      return nil
    }
    guard time >= 0 else {
      try report(
        .eventTimeNegative, at: node.offset,
        "the event's 'Time' is \(time.plain) s; it must not be negative")
      return nil
    }
    return time
  }

  /// Reads the duration; false if the event cannot be used.
  private mutating func readDuration(
    _ node: JSONView?, of event: inout HapticEvent, key: Int
  ) throws(AHAPError) -> Bool {
    guard let node else {
      guard event.kind.isContinuous else { return true }
      try report(
        .eventFieldMissing, at: key,
        "the event has no 'EventDuration'; a \(event.kind.rawValue) needs one, up to 30 s")
      return false
    }
    guard let duration = node.number else {
      let isRequired = event.kind.isContinuous
      try report(
        isRequired ? .eventFieldWrongType : .valueWrongType, at: node.offset,
        "'EventDuration' must be a number, not \(node.kind.phrase)"
          + (isRequired ? "" : "; it is ignored"))
      return !isRequired
    }
    if event.kind.isContinuous {
      guard duration > 0 else {
        try report(
          .durationNotPositive, at: node.offset,
          "'EventDuration' is \(duration.plain) s; it must be greater than 0")
        return false
      }
      if duration > HapticEvent.longestDuration {
        try report(
          .durationTooLong, at: node.offset,
          "'EventDuration' is \(duration.plain) s; it is limited to 30 s", used: "30")
      }
      event.duration =
        options.limitsDurations ? min(duration, HapticEvent.longestDuration) : duration
      return true
    }
    let isSound = event.kind == .audioCustom
    guard duration > 0 || (duration == 0 && !isSound) else {
      try report(
        .durationIgnored, at: node.offset,
        "an 'EventDuration' of \(duration.plain) s has no meaning here and is ignored",
        used: "none")
      return true
    }
    if isSound {
      try report(
        .durationOnAudioCustom, at: node.offset,
        "the sound is cut or padded with silence to \(duration.plain) s by its 'EventDuration'")
    }
    event.duration = duration
    return true
  }

  /// Reads the path of a sound; false if the event cannot be used.
  private mutating func readWaveformPath(
    _ node: JSONView?, of event: inout HapticEvent, key: Int
  ) throws(AHAPError) -> Bool {
    let isRequired = event.kind == .audioCustom
    guard let node else {
      guard isRequired else { return true }
      try report(
        .eventFieldMissing, at: key,
        "the event has no 'EventWaveformPath'; an AudioCustom needs the path of its sound file")
      return false
    }
    guard let path = node.string else {
      try report(
        isRequired ? .eventFieldWrongType : .valueWrongType, at: node.offset,
        "'EventWaveformPath' must be a string, not \(node.kind.phrase)"
          + (isRequired ? "" : "; it is ignored"))
      return !isRequired
    }
    event.waveformPath = path
    return true
  }

  private mutating func readFlag(
    _ node: JSONView?, _ name: String, default usual: Bool
  ) throws(AHAPError) -> Bool? {
    guard let node else { return nil }
    if let flag = node.bool { return flag }
    if let number = node.number, number == 0 || number == 1 {
      try report(
        .flagAsNumber, at: node.offset,
        "'\(name)' is written as \(number.plain); \(number == 1) is used",
        used: "\(number == 1)", fix: "\(number == 1)")
      return number == 1
    }
    try report(
      .valueWrongType, at: node.offset,
      "'\(name)' must be true or false, not \(node.kind.phrase); \(usual) is used",
      used: "\(usual)")
    return nil
  }
}
