// SPDX-License-Identifier: Apache-2.0

import AHAP
import SeededRandom

/// A random pattern and a text of it with all the faults that a fixer can mend.
struct SloppyFile {
  /// What the text means once its faults are mended.
  let truth: HapticPattern
  let text: String

  /// Makes a file.
  ///
  /// - Parameters:
  ///   - random: The source of chance.
  ///   - kinds: The kinds of fixes that the text may need.
  init(_ random: inout SeededRandom, kinds: Set<FixKind>) {
    var writer = SloppyWriter(random: random, kinds: kinds)
    truth = writer.pattern()
    text = writer.text(of: truth)
    random = writer.random
  }
}

/// Writes one value after another, each with its faults by chance.
private struct SloppyWriter {
  var random: SeededRandom
  let kinds: Set<FixKind>
  let isPretty: Bool
  let colon: String

  init(random: SeededRandom, kinds: Set<FixKind>) {
    self.random = random
    self.kinds = kinds
    isPretty = self.random.chance(0.5)
    colon = [":", ": ", " : "][self.random.integer(0...2)]
  }

  /// Is true now and then where a kind of fault is allowed.
  mutating func fault(_ kind: FixKind, _ probability: Double = 0.15) -> Bool {
    random.chance(probability) && kinds.contains(kind)
  }

  mutating func hundredths(_ range: ClosedRange<Int>) -> Double {
    Double(random.integer(range)) / 100
  }

  mutating func pattern() -> HapticPattern {
    let events = (0..<random.integer(1...6)).map { index in event(at: Double(index) * 2 + 1) }
    let parameters = (0..<random.integer(0...2)).map { _ in
      let id = dynamicID()
      return DynamicParameter(
        id: id, time: fault(.safe) ? 0 : hundredths(0...300),
        value: fault(.clamp) ? id.range.lowerBound : hundredths(0...100))
    }
    let curves = (0..<random.integer(0...2)).map { _ in curve() }
    return HapticPattern(events: events, parameters: parameters, curves: curves)
  }

  private mutating func dynamicID() -> DynamicParameterID {
    DynamicParameterID.allCases[random.integer(0...11)]
  }

  private mutating func event(at time: Double) -> HapticEvent {
    let kind = HapticEvent.Kind.allCases[random.integer(0...3)]
    var event = HapticEvent(kind: kind, time: time + hundredths(0...90))
    if kind.isContinuous { event.duration = fault(.clamp) ? 30 : hundredths(1...300) }
    if kind == .audioCustom {
      event.waveformPath = "a \"b\".wav"
      event.loopEnabled = random.chance(0.5)
      event.useVolumeEnvelope = random.chance(0.5)
    }
    for id in EventParameterID.allCases
    where id == .hapticIntensity || id == .hapticSharpness || random.chance(0.2) {
      let isUsual = random.chance(0.3)
      let chosen = id == .sustained ? Double(random.integer(0...1)) : hundredths(0...100)
      event.parameters[id] = isUsual ? EventDefaults.apple.value(of: id, for: kind) : chosen
    }
    return event
  }

  private mutating func curve() -> ParameterCurve {
    let id = dynamicID()
    var time = 0.0
    let points = (0..<random.integer(1...5)).map { index in
      time += index == 0 ? 0 : hundredths(1...50)
      return ParameterCurve.Point(
        time: (time * 100).rounded() / 100, value: hundredths(0...100))
    }
    return ParameterCurve(id: id, time: hundredths(0...200), points: points)
  }

  mutating func text(of pattern: HapticPattern) -> String {
    var events = pattern.events.map { self.event($0) }
    if fault(.safe, 0.5) { events.shuffle(using: &random) }
    var entries = events
    for parameter in pattern.parameters.map({ self.parameter($0) }) {
      entries.insert(parameter, at: random.integer(0...entries.count))
    }
    // The order among parameters and curves decides which is newest, and is the truth's.
    entries += pattern.curves.map { self.curve($0) }
    entries = inOrder(entries, parameters: pattern.parameters.count)
    if fault(.safe) { entries.insert("{}", at: random.integer(0...entries.count)) }
    if fault(.safe) {
      let curve =
        #"{"ParameterCurve":{"ParameterID":"AudioPanControl","ParameterCurveControlPoints":[ ]}}"#
      entries.insert(curve, at: random.integer(0...entries.count))
    }
    var members = [key("Version") + (fault(.safe) ? "1" : "1.0"), key("Pattern") + list(entries)]
    if fault(.safe) { members.removeFirst() }
    if fault(.safe) { members.insert("\"Version\": 7", at: 0) }
    if fault(.letterCase, 0.3), members.count == 2 {
      members[1] = "\"PATTERN\"" + members[1].dropFirst(9)
    }
    let ending = fault(.safe) ? "" : "\n"
    return (fault(.safe) ? "\u{FEFF}" : "") + object(members) + ending
  }

  /// Puts the parameters back into their own order, wherever they were inserted.
  private func inOrder(_ entries: [String], parameters: Int) -> [String] {
    var own = entries.filter { $0.contains("#") }.sorted().makeIterator()
    return entries.map { entry in
      guard entry.contains("#"), let next = own.next() else { return entry }
      return String(next.drop { $0 != "{" })
    }
  }

  private var parameterRank = 0

  private mutating func parameter(_ parameter: DynamicParameter) -> String {
    parameterRank += 1
    let isBelow = parameter.value == parameter.id.range.lowerBound
    let value = isBelow && fault(.clamp, 0.5) ? "-7.5" : number(parameter.value)
    var members = [
      key("ParameterID") + name(parameter.id.rawValue, kindOfName: .parameter),
      key("ParameterValue") + value,
    ]
    let isNegative = parameter.time == 0 && fault(.safe, 0.5)
    members.append(misnamedKey("Time") + (isNegative ? "-0.25" : number(parameter.time)))
    return "#\(parameterRank)" + object([key("Parameter") + object(members)])
  }

  private mutating func curve(_ curve: ParameterCurve) -> String {
    let isAbsolute = curve.time > 0 && fault(.rebase, 0.5)
    let offset = isAbsolute ? Int((curve.time * 100).rounded()) : 0
    var points = curve.points.map { point in
      let time = Double(Int((point.time * 100).rounded()) + offset) / 100
      return object(
        [key("Time") + number(time), key("ParameterValue") + number(point.value)])
    }
    if fault(.safe, 0.3) { points.shuffle(using: &random) }
    let members = [
      key("ParameterID") + name(curve.id.rawValue, kindOfName: .parameter),
      misnamedKey("Time") + number(curve.time),
      key("ParameterCurveControlPoints") + list(points),
    ]
    return object([key("ParameterCurve") + object(members)])
  }

  private mutating func event(_ event: HapticEvent) -> String {
    var members: [String] = []
    if fault(.safe) { members.append("\"EventType\": [\"earlier\"]") }
    members.append(key("EventType") + name(event.kind.rawValue, kindOfName: .type))
    members.append(misnamedKey("Time") + number(event.time))
    if let duration = event.duration {
      members.append(
        misnamedKey("EventDuration")
          + (duration == 30 && fault(.clamp, 0.5) ? "175.25" : number(duration)))
    } else if fault(.safe) {
      members.append(key("EventDuration") + "-1")
    }
    if event.waveformPath != nil { members.append(key("EventWaveformPath") + #""a \"b\".wav""#) }
    if event.waveformPath != nil {
      members.append(key("EventWaveformLoopEnabled") + flag(event.loopEnabled))
      members.append(key("EventWaveformUseVolumeEnvelope") + flag(event.useVolumeEnvelope))
    }
    var parameters: [String] = []
    for id in EventParameterID.allCases {
      guard let value = event.parameters[id] else { continue }
      let isDefault = value == EventDefaults.apple.value(of: id, for: event.kind)
      if isDefault && fault(.safe, 0.5) { continue }
      if fault(.safe) { parameters.append(eventParameter("\"\(id.rawValue)\"", "0.875")) }
      let isRepeated = parameters.last?.contains("0.875") ?? false
      let written = isRepeated ? "\"\(id.rawValue)\"" : name(id.rawValue, kindOfName: .parameter)
      parameters.append(
        eventParameter(written, value == 1 && fault(.clamp, 0.5) ? "4.64" : number(value)))
    }
    if !parameters.isEmpty { members.append(key("EventParameters") + list(parameters)) }
    return object([misnamedKey("Event") + object(members)])
  }

  private mutating func eventParameter(_ id: String, _ value: String) -> String {
    object([key("ParameterID") + id, key("ParameterValue") + value])
  }

  private mutating func flag(_ isOn: Bool) -> String {
    fault(.safe, 0.3) ? (isOn ? "1" : "0.0") : "\(isOn)"
  }

  private func number(_ value: Double) -> String {
    let text = "\(value)"
    return isPretty && text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  private enum NameKind { case type, parameter }

  private mutating func name(_ name: String, kindOfName: NameKind) -> String {
    if fault(.letterCase) { return "\"\(name.uppercased())\"" }
    if fault(.names) { return "\"\(name.dropLast())\"" }
    return "\"\(name)\""
  }

  private func key(_ name: String) -> String { "\"\(name)\"\(colon)" }

  private mutating func misnamedKey(_ name: String) -> String {
    fault(.letterCase) ? key(name.lowercased()) : key(name)
  }

  private mutating func object(_ members: [String]) -> String { enclosed(members, "{", "}") }

  private mutating func list(_ elements: [String]) -> String { enclosed(elements, "[", "]") }

  private mutating func enclosed(_ items: [String], _ first: String, _ last: String) -> String {
    let comma = fault(.safe, 0.1) && !items.isEmpty ? "," : ""
    guard isPretty else { return first + items.joined(separator: ",") + comma + last }
    return first + "\n  " + items.joined(separator: ",\n  ") + comma + "\n" + last
  }
}
