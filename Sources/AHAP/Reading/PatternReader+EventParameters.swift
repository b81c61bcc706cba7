import JSONText

extension PatternReader {
  mutating func readEventParameters(
    _ node: JSONView?, of event: inout HapticEvent, key: Int
  ) throws(AHAPError) {
    if let node, node.kind != .array {
      try report(
        .valueWrongType, at: node.offset,
        "'EventParameters' must be an array, not \(node.kind.phrase); the defaults are used",
        used: "defaults")
    }
    var decay: JSONView?
    if let node {
      for element in node.elements {
        guard let (id, value, written) = try readEventParameter(element) else { continue }
        if event.parameters[id] != nil {
          try report(
            .parameterRepeated, at: written.offset,
            "the event has '\(id.rawValue)' more than once; the last one counts")
        }
        event.parameters[id] = value
        if id == .decayTime { decay = written }
        try reportEffect(of: id, on: event.kind, at: written)
      }
    }
    if let decay, let value = event.parameters.decayTime, value > 0,
      event.kind != .hapticTransient, event.resolved(defaults: options.defaults).isSustained
    {
      try report(
        .decayWhileSustained, at: decay.offset,
        "'DecayTime' acts only where 'Sustained' is 0, which it is not here")
    }
    if event.kind.domain == .haptic { try reportDefaults(of: event, key: key) }
  }

  /// Reads one `{ParameterID, ParameterValue}`; nil if it cannot be used.
  private mutating func readEventParameter(
    _ node: JSONView
  ) throws(AHAPError) -> (id: EventParameterID, value: Double, written: JSONView)? {
    guard node.kind == .object else {
      try report(
        .parameterFieldWrongType, at: node.offset,
        "an entry of 'EventParameters' must be an object, not \(node.kind.phrase)")
      return nil
    }
    var name: JSONView?
    var value: JSONView?
    for (key, member) in node.members {
      switch key {
      case "ParameterID": name = member
      case "ParameterValue": value = member
      default: try reportUnknown(key, in: "an event's parameter", known: Keys.eventParameter)
      }
    }
    guard
      let name = try requiredParameterID(name, of: "the parameter", at: node.offset),
      let number = try requiredNumber(
        value, "ParameterValue", of: "the parameter", at: node.offset)
    else { return nil }
    guard let id = EventParameterID(matching: name) else {
      try reportUnknownID(name, known: EventParameterID.names, what: "an event parameter")
      return nil
    }
    guard id != .sustained || number <= 0 || number >= 1 else {
      let used = number >= 0.5 ? 1.0 : 0.0
      try report(
        .valueOutOfRange, at: (value ?? node).offset,
        "'Sustained' is \(number.plain); it must be 0 or 1; \(used.plain) is used",
        used: used.plain, fix: used.plain)
      return (id, used, name)
    }
    return (id, try limited(number, to: id.range, id.rawValue, at: value ?? node), name)
  }

  private mutating func reportEffect(
    of id: EventParameterID, on kind: HapticEvent.Kind, at node: JSONView
  ) throws(AHAPError) {
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

  private mutating func reportDefaults(
    of event: HapticEvent, key: Int
  ) throws(AHAPError) {
    for id in [EventParameterID.hapticIntensity, .hapticSharpness] where event.parameters[id] == nil
    {
      let used = event.value(of: id, defaults: options.defaults).plain
      try report(
        .defaultUsed, at: key, "the event has no '\(id.rawValue)'; \(used) is used", used: used)
    }
  }
}
