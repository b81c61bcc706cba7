// SPDX-License-Identifier: Apache-2.0

import AHAP
import JSONText

/// Where the parts of an entry lie in its text's tree.
///
/// Of a key given twice the last one counts, as for the reader.
struct EntryShape {
  /// The one member that says what the entry is: its key, and the object behind it.
  var content: LocatedMember
  var kind: PatternEntry.Kind

  /// The name of the list that such an entry has.
  var listName: String { kind == .curve ? "ParameterCurveControlPoints" : "EventParameters" }

  /// Finds the parts of an entry; nil for what cannot be edited but as text.
  init?(_ entry: LocatedNode, _ kind: PatternEntry.Kind, in source: SourceText) {
    guard kind != .other else { return nil }
    let name =
      switch kind {
      case .parameter: "Parameter"
      case .curve: "ParameterCurve"
      default: "Event"
      }
    guard let content = source.members(of: entry).last(where: { $0.key.matches(name) }) else {
      return nil
    }
    self.content = content
    self.kind = kind
  }
}

extension PatternEntry {
  /// Reads an entry as it is written.
  init(_ node: JSONView) {
    self.init(kind: .other, time: 0)
    var content: JSONView?
    for (key, value) in node.members {
      let kind: Kind
      switch key {
      case "Event": kind = .transient
      case "Parameter": kind = .parameter
      case "ParameterCurve": kind = .curve
      default: continue
      }
      // Two different things in one entry are none that can be shown as one.
      if content != nil, kind != self.kind {
        self = Self(kind: .other, time: 0)
        return
      }
      self.kind = kind
      content = value
    }
    guard let content, content.kind == .object else {
      self = Self(kind: .other, time: 0)
      return
    }
    let isReadable =
      switch kind {
      case .transient: readEvent(content)
      case .parameter: readParameter(content)
      default: readCurve(content)
      }
    if !isReadable { self = Self(kind: .other, time: 0) }
  }

  /// Takes the values of an event; false where its type is not known.
  private mutating func readEvent(_ node: JSONView) -> Bool {
    var type: JSONView?
    var list: JSONView?
    for (key, value) in node.members {
      switch key {
      case "Time": time = value.number ?? 0
      case "EventType": type = value
      case "EventDuration": duration = value.number
      case "EventParameters": list = value
      case "EventWaveformPath": path = value.string
      case "EventWaveformUseVolumeEnvelope": envelope = Self.flag(value)
      case "EventWaveformLoopEnabled": loop = Self.flag(value)
      default: break
      }
    }
    guard let type else { return false }
    switch type {
    case "HapticTransient": kind = .transient
    case "HapticContinuous": kind = .continuous
    case "AudioCustom": kind = .audio
    case "AudioContinuous":
      kind = .audio
      // The built-in sound has no file, whatever is written.
      path = nil
    default: return false
    }
    if let list {
      for element in list.elements {
        guard let (id, value) = Self.eventParameter(element) else { continue }
        parameters[id] = value
      }
    }
    return true
  }

  private static func flag(_ node: JSONView) -> Bool? {
    node.bool ?? (node.number == 0 ? false : node.number == 1 ? true : nil)
  }

  private static func eventParameter(_ node: JSONView) -> (EventParameterID, Double)? {
    var id: EventParameterID?
    var value: Double?
    for (key, member) in node.members {
      switch key {
      case "ParameterID": id = EventParameterID(written: member)
      case "ParameterValue": value = member.number
      default: break
      }
    }
    guard let id, let value else { return nil }
    return (id, value)
  }

  /// Takes the values of a step; false where it has no ID or value.
  private mutating func readParameter(_ node: JSONView) -> Bool {
    for (key, member) in node.members {
      switch key {
      case "ParameterID": parameter = member.string
      case "ParameterValue": value = member.number
      case "Time": time = member.number ?? 0
      default: break
      }
    }
    return parameter != nil && value != nil
  }

  /// Takes the values of a curve; false where it has no ID, or something among its points is none.
  private mutating func readCurve(_ node: JSONView) -> Bool {
    var list: JSONView?
    for (key, member) in node.members {
      switch key {
      case "ParameterID": parameter = member.string
      case "ParameterCurveControlPoints": list = member
      case "Time": time = member.number ?? 0
      default: break
      }
    }
    guard parameter != nil, let list, list.kind == .array else { return false }
    var points: [ParameterCurve.Point] = []
    points.reserveCapacity(list.count)
    for element in list.elements {
      var (time, value): (Double?, Double?)
      for (key, member) in element.members {
        switch key {
        case "Time": time = member.number
        case "ParameterValue": value = member.number
        default: break
        }
      }
      guard let time, let value else { return false }
      points.append(ParameterCurve.Point(time: time, value: value))
    }
    self.points = points
    return true
  }
}

extension EventParameterID {
  /// The parameter that a string of a text names.
  init?(written name: JSONView) {
    switch name {
    case "HapticIntensity": self = .hapticIntensity
    case "HapticSharpness": self = .hapticSharpness
    case "AttackTime": self = .attackTime
    case "DecayTime": self = .decayTime
    case "ReleaseTime": self = .releaseTime
    case "Sustained": self = .sustained
    case "AudioVolume": self = .audioVolume
    case "AudioPitch": self = .audioPitch
    case "AudioPan": self = .audioPan
    case "AudioBrightness": self = .audioBrightness
    default: return nil
    }
  }
}
