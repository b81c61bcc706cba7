// SPDX-License-Identifier: Apache-2.0

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
    /// Misspelled keys by the keys that were meant.
    var meant: [String: JSONView] = [:]

    /// The type, where it is a known one.
    var kind: HapticEvent.Kind? {
      type.flatMap { $0.kind == .string ? HapticEvent.Kind(matching: $0) : nil }
    }
  }

  mutating func readEvent(_ node: JSONView, key offset: Int) throws(ReadingStop) {
    guard node.kind == .object else {
      throw refusal(
        .eventFieldWrongType, at: node.offset,
        "'Event' must be an object, not \(node.kind.phrase)")
    }
    let fields = try eventFields(node)
    let kind = try attempt { reader throws(ReadingStop) in
      try reader.readKind(fields, key: offset)
    }
    let time = try attempt { reader throws(ReadingStop) in
      try reader.readEventTime(fields, key: offset)
    }
    let duration = try attempt { reader throws(ReadingStop) in
      try reader.readDuration(fields, of: kind, key: offset)
    }
    let path = try attempt { reader throws(ReadingStop) in
      try reader.readWaveformPath(fields, of: kind, key: offset)
    }
    let usesEnvelope = try readFlag(
      fields.useVolumeEnvelope, "EventWaveformUseVolumeEnvelope", default: true)
    let loops = try readFlag(fields.loopEnabled, "EventWaveformLoopEnabled", default: false)
    let parameters = try readEventParameters(fields, of: kind)
    guard let kind, let time, let duration, let path else { throw .part }
    var event = HapticEvent(
      kind: kind, time: time, duration: duration, waveformPath: path,
      useVolumeEnvelope: usesEnvelope, loopEnabled: loops, parameters: parameters.values,
      order: nextOrder)
    try reportParameters(parameters, of: event, key: offset)
    event.source = mark(offset)
    if firstDisorder == nil, let previous = pattern.events.last, event.time < previous.time {
      firstDisorder = offset
    }
    pattern.events.append(event)
  }

  private mutating func eventFields(_ node: JSONView) throws(ReadingStop) -> EventFields {
    var fields = EventFields()
    var unknown: [JSONView] = []
    for (key, value) in node.members {
      switch key {
      case "Time": fields.time = value
      case "EventType": fields.type = value
      case "EventParameters": fields.parameters = value
      case "EventDuration": fields.duration = value
      case "EventWaveformPath": fields.waveformPath = value
      case "EventWaveformUseVolumeEnvelope": fields.useVolumeEnvelope = value
      case "EventWaveformLoopEnabled": fields.loopEnabled = value
      default: unknown.append(key)
      }
    }
    if unknown.isEmpty { return fields }
    let lacking = [
      ("EventType", fields.type), ("EventDuration", fields.duration),
      ("EventWaveformPath", fields.waveformPath),
    ].filter { $0.1 == nil && ObjectShape.event.requires($0.0, ofType: fields.kind) }
    fields.meant = try reportUnknown(
      unknown, in: "an event", known: ObjectShape.event.names, lacking: lacking.map(\.0))
    return fields
  }

  private mutating func readKind(
    _ fields: EventFields, key: Int
  ) throws(ReadingStop) -> HapticEvent.Kind {
    guard let node = fields.type else {
      throw lack(
        .eventFieldMissing, "EventType", of: "the event", meant: fields.meant, at: key,
        "the event has no 'EventType'; it must be \(Keys.choice(Keys.eventTypes))")
    }
    guard node.kind == .string else {
      throw refusal(
        .eventFieldWrongType, at: node.offset,
        "'EventType' must be a string, not \(node.kind.phrase)")
    }
    if let kind = HapticEvent.Kind(matching: node) { return kind }
    let name = node.shortString
    let fix = suggestion(for: name, among: Keys.eventTypes)
    let advice = fix.map { "write '\($0)'" } ?? "it must be \(Keys.choice(Keys.eventTypes))"
    throw refusal(
      .eventTypeUnknown, at: node.offset, "'\(name)' is not an event type; \(advice)", fix: fix)
  }

  private mutating func readEventTime(
    _ fields: EventFields, key: Int
  ) throws(ReadingStop) -> Double {
    guard let node = fields.time else {
      if fields.meant["Time"] != nil { return 0 }
      try report(.eventTimeMissing, at: key, "the event has no 'Time'; 0 is used", used: "0")
      return 0
    }
    guard let time = node.number else {
      throw refusal(
        .eventFieldWrongType, at: node.offset, "'Time' must be a number, not \(node.kind.phrase)")
    }
    guard time >= 0 else {
      throw refusal(
        .eventTimeNegative, at: node.offset,
        "the event's 'Time' is \(time.plain) s; it must not be negative")
    }
    return time
  }

  /// Reads a duration; of an event whose type is not known nothing can be said of it.
  private mutating func readDuration(
    _ fields: EventFields, of kind: HapticEvent.Kind?, key: Int
  ) throws(ReadingStop) -> Double? {
    guard let kind else { return nil }
    guard let node = fields.duration else {
      guard kind.isContinuous else { return nil }
      throw lack(
        .eventFieldMissing, "EventDuration", of: "the event", meant: fields.meant, at: key,
        "the event has no 'EventDuration'; a \(kind.rawValue) needs one, up to 30 s")
    }
    guard let duration = node.number else {
      try reportWrongType(node, "EventDuration", "a number", isRequired: kind.isContinuous)
      return nil
    }
    if kind.isContinuous {
      guard duration > 0 else {
        throw refusal(
          .durationNotPositive, at: node.offset,
          "'EventDuration' is \(duration.plain) s; it must be greater than 0")
      }
      if duration > HapticEvent.longestDuration {
        try report(
          .durationTooLong, at: node.offset,
          "'EventDuration' is \(duration.plain) s; it is limited to 30 s", used: "30")
      }
      return options.limitsDurations ? min(duration, HapticEvent.longestDuration) : duration
    }
    let isSound = kind == .audioCustom
    guard duration > 0 || (duration == 0 && !isSound) else {
      try report(
        .durationIgnored, at: node.offset,
        "an 'EventDuration' of \(duration.plain) s has no meaning here and is ignored",
        used: "none")
      return nil
    }
    if isSound {
      try report(
        .durationOnAudioCustom, at: node.offset,
        "the sound is cut or padded with silence to \(duration.plain) s by its 'EventDuration'")
    }
    return duration
  }

  private mutating func readWaveformPath(
    _ fields: EventFields, of kind: HapticEvent.Kind?, key: Int
  ) throws(ReadingStop) -> String? {
    guard let kind else { return nil }
    guard let node = fields.waveformPath else {
      guard kind == .audioCustom else { return nil }
      throw lack(
        .eventFieldMissing, "EventWaveformPath", of: "the event", meant: fields.meant, at: key,
        "the event has no 'EventWaveformPath'; an AudioCustom needs the path of its sound file")
    }
    if let path = node.string { return path }
    try reportWrongType(node, "EventWaveformPath", "a string", isRequired: kind == .audioCustom)
    return nil
  }

  /// Reports a value of the wrong type, without which an event cannot be used if it is required.
  private mutating func reportWrongType(
    _ node: JSONView, _ name: String, _ wanted: String, isRequired: Bool
  ) throws(ReadingStop) {
    let message = "'\(name)' must be \(wanted), not \(node.kind.phrase)"
    if isRequired { throw refusal(.eventFieldWrongType, at: node.offset, message) }
    try report(.valueWrongType, at: node.offset, message + "; it is ignored")
  }

  private mutating func readFlag(
    _ node: JSONView?, _ name: String, default usual: Bool
  ) throws(ReadingStop) -> Bool {
    guard let node else { return usual }
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
    return usual
  }

  /// The parameters of an event as far as they can be used.
  private struct GivenParameters {
    var values = EventParameters()
    /// Where the decay is named.
    var decay: JSONView?
    /// Parameters that were meant by something that is left out, and has been reported.
    var meant: Set<String> = []
    /// Whether a parameter is left out of which it is not known which one it is.
    var lacksUnknown = false
  }

  private mutating func readEventParameters(
    _ fields: EventFields, of kind: HapticEvent.Kind?
  ) throws(ReadingStop) -> GivenParameters {
    var given = GivenParameters()
    given.lacksUnknown = fields.meant["EventParameters"] != nil
    guard let node = fields.parameters else { return given }
    guard node.kind == .array else {
      try report(
        .valueWrongType, at: node.offset,
        "'EventParameters' must be an array, not \(node.kind.phrase); the defaults are used",
        used: "defaults")
      given.lacksUnknown = true
      return given
    }
    for element in node.elements {
      do throws(ReadingStop) {
        let (id, value, written) = try readEventParameter(element, into: &given)
        if given.values[id] != nil {
          try report(
            .parameterRepeated, at: written.offset,
            "the event has '\(id.rawValue)' more than once; the last one counts")
        }
        given.values[id] = value
        if id == .decayTime { given.decay = written }
        if let kind { try reportEffect(of: id, on: kind, at: written) }
      } catch .part {}
    }
    return given
  }

  /// Reports what can be said of an event's parameters as a whole.
  private mutating func reportParameters(
    _ given: GivenParameters, of event: HapticEvent, key: Int
  ) throws(ReadingStop) {
    func isMeant(_ id: EventParameterID) -> Bool {
      given.lacksUnknown || given.meant.contains(id.rawValue)
    }
    if let decay = given.decay, let value = event.parameters.decayTime, value > 0,
      event.kind != .hapticTransient, event.resolved(defaults: options.defaults).isSustained,
      !isMeant(.sustained)
    {
      try report(
        .decayWhileSustained, at: decay.offset,
        "'DecayTime' acts only where 'Sustained' is 0, which it is not here")
    }
    guard event.kind.domain == .haptic else { return }
    for id in [EventParameterID.hapticIntensity, .hapticSharpness]
    where event.parameters[id] == nil && !isMeant(id) {
      let used = event.value(of: id, defaults: options.defaults).plain
      try report(
        .defaultUsed, at: key, "the event has no '\(id.rawValue)'; \(used) is used", used: used)
    }
  }

  private mutating func readEventParameter(
    _ node: JSONView, into given: inout GivenParameters
  ) throws(ReadingStop) -> (id: EventParameterID, value: Double, written: JSONView) {
    guard node.kind == .object else {
      given.lacksUnknown = true
      throw refusal(
        .parameterFieldWrongType, at: node.offset,
        "an entry of 'EventParameters' must be an object, not \(node.kind.phrase)")
    }
    let fields = try fields(
      of: node, "an entry of 'EventParameters'", in: "an event's parameter", [.id, .value],
      .eventParameter)
    let name = try attempt { reader throws(ReadingStop) in
      try reader.requiredParameterID(fields, of: "the parameter", at: node.offset)
    }
    let number = try attempt { reader throws(ReadingStop) in
      try reader.requiredNumber(
        fields.value, "ParameterValue", fields, of: "the parameter", at: node.offset)
    }
    guard let name else {
      given.lacksUnknown = true
      throw .part
    }
    guard let id = EventParameterID(matching: name) else {
      let known = EventParameterID.names
      if let meant = suggestion(for: name.shortString, among: known) { given.meant.insert(meant) }
      throw unknownID(name, known: known, what: "an event parameter")
    }
    guard let number else {
      given.meant.insert(id.rawValue)
      throw .part
    }
    let place = fields.value ?? node
    guard id != .sustained || number <= 0 || number >= 1 else {
      let used = number >= 0.5 ? 1.0 : 0.0
      try report(
        .valueOutOfRange, at: place.offset,
        "'Sustained' is \(number.plain); it must be 0 or 1; \(used.plain) is used",
        used: used.plain, fix: used.plain)
      return (id, used, name)
    }
    return (id, try limited(number, to: id.range, id.rawValue, at: place), name)
  }

  private mutating func reportEffect(
    of id: EventParameterID, on kind: HapticEvent.Kind, at node: JSONView
  ) throws(ReadingStop) {
    if id.isEnvelope {
      guard kind == .hapticTransient else { return }
      try report(
        .envelopeOnTransient, at: node.offset,
        "'\(id.rawValue)' has no effect on a HapticTransient, whose shape is fixed")
    } else if id.domain != kind.domain {
      try report(
        .parameterOfOtherDomain, at: node.offset,
        "'\(id.rawValue)' has no effect on an event of type \(kind.rawValue)")
    }
  }
}
