import JSONText

extension FixScan {
  mutating func scanEvent(_ value: LocatedNode, key: Int, slot: Int?) {
    guard value.node.kind == .object else {
      hasUnknownEvent = true
      return
    }
    let fields = Fields(value, known: Keys.event, in: source)
    let meant = scanKeys(fields, known: Keys.event)
    guard let type = fields["EventType"]?.node, type.kind == .string else {
      hasUnknownEvent = true
      return
    }
    guard let kind = HapticEvent.Kind.allCases.first(where: { type.matches($0.rawValue) }) else {
      hasUnknownEvent = true
      return scanName(type, among: Keys.eventTypes, .eventTypeUnknown)
    }
    if fields["Time"] == nil && !meant.contains("Time") {
      add(
        .safe, .eventTimeMissing, at: key, "write the 'Time' 0",
        source.insertion(first: "Time", "0", into: fields.members).map { [$0] } ?? [])
    }
    let duration = scanDuration(fields, kind)
    let time = fields["Time"].map { $0.node.number ?? -1 } ?? 0
    if time >= 0 {
      events.append(TimedEvent(key: key, time: time, slot: slot))
      patternEnd = max(patternEnd, time + duration)
      if duration > 0 { eventEnds.append(time + duration) }
    } else {
      hasUnknownEvent = true
    }
    scanFlag(fields["EventWaveformUseVolumeEnvelope"])
    scanFlag(fields["EventWaveformLoopEnabled"])
    scanEventParameters(fields, kind, key: key, meant: meant)
  }

  /// Finds the fixes of a duration; gives the seconds that are used.
  private mutating func scanDuration(_ fields: Fields, _ kind: HapticEvent.Kind) -> Double {
    let name = "EventDuration"
    guard let index = fields.index(of: name) else { return 0 }
    let value = fields.members[index].value
    guard let duration = value.node.number else { return 0 }
    if kind.isContinuous {
      let longest = HapticEvent.longestDuration
      if duration > longest {
        replace(
          .clamp, .durationTooLong, value, by: longest.plain,
          "limit the duration to \(longest.plain) s")
      }
      return min(duration, longest)
    }
    guard duration < 0 || (duration == 0 && kind == .audioCustom) else { return duration }
    if !fields.isRepeated(name) {
      add(
        .safe, .durationIgnored, at: value.node.offset, "remove the duration that is ignored",
        source.removals(
          of: [index], from: fields.members.map(\.range), closing: fields.object.end - 1))
    }
    return 0
  }

  private mutating func scanFlag(_ value: LocatedNode?) {
    guard let value, let number = value.node.number, number == 0 || number == 1 else { return }
    replace(.safe, .flagAsNumber, value, by: "\(number == 1)", "write the flag as \(number == 1)")
  }
}
