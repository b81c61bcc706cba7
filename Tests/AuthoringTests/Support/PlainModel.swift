// SPDX-License-Identifier: Apache-2.0

import AHAP
import Authoring
import Foundation
import JSONText

/// A pattern as a plain array, on which operations are done without any text: the truth of the tests.
struct PlainModel: Hashable {
  struct Entry: Hashable {
    /// `HapticTransient` and so on, `Parameter` or `ParameterCurve`.
    var type: String
    var time: Double
    var duration: Double?
    var levels: [String: Double] = [:]
    var path: String?
    var ramped: Bool?
    var looped: Bool?
    var id: String?
    var value: Double?
    var points: [[Double]] = []
    /// A key that the format does not know.
    var note: String?
  }

  var entries: [Entry]

  static let levelNames = [
    "intensity": "HapticIntensity", "sharpness": "HapticSharpness", "attack": "AttackTime",
    "decay": "DecayTime", "release": "ReleaseTime", "sustained": "Sustained",
    "volume": "AudioVolume", "pan": "AudioPan", "pitch": "AudioPitch",
    "brightness": "AudioBrightness",
  ]

  /// Takes a pattern out of its text by the JSON values alone.
  init(text bytes: [UInt8]) throws {
    let root = try JSONValue(parsing: bytes, options: .lenient)
    entries = (root["Pattern"]?.elements ?? []).map { entry in
      let content = entry.members?.last
      let body = content?.value ?? .null
      var result = Entry(
        type: body["EventType"]?.string ?? content?.key ?? "", time: body["Time"]?.number ?? 0)
      result.duration = body["EventDuration"]?.number
      result.path = body["EventWaveformPath"]?.string
      result.ramped = body["EventWaveformUseVolumeEnvelope"]?.bool
      result.looped = body["EventWaveformLoopEnabled"]?.bool
      result.id = body["ParameterID"]?.string
      result.value = body["ParameterValue"]?.number
      result.note = body["Note"]?.string
      for parameter in body["EventParameters"]?.elements ?? [] {
        result.levels[parameter["ParameterID"]?.string ?? ""] = parameter["ParameterValue"]?.number
      }
      result.points = (body["ParameterCurveControlPoints"]?.elements ?? []).map {
        [$0["Time"]?.number ?? -1, $0["ParameterValue"]?.number ?? -1]
      }
      return result
    }
  }

  /// What a number is once it is written with nine digits.
  static func kept(_ number: Double) -> Double { Double(String(format: "%.9f", number)) ?? .nan }

  /// Does a batch that is known to be good; all indices are of the state before.
  mutating func take(_ operations: [Authoring.Operation]) {
    let old = entries
    var changed = entries
    var removed: Set<Int> = []
    var arrivals: [Int: [Entry]] = [:]
    var pointArrivals: [Int: [Int: [[Double]]]] = [:]
    var pointsGone: [Int: Set<Int>] = [:]
    for operation in operations {
      switch operation {
      case .set(let index, let change): Self.set(change, in: &changed[index])
      case .insert(let at, let entry): arrivals[at, default: []].append(Self.plain(entry))
      case .copy(let index, let to, let changes):
        var copy = old[index]
        for change in changes { Self.set(change, in: &copy) }
        arrivals[to, default: []].append(copy)
      case .remove(let indices): removed.formUnion(indices)
      case .point(let index, let at, let time, let value):
        if let time, time != changed[index].points[at][0] {
          changed[index].points[at][0] = Self.kept(time)
        }
        if let value, value != changed[index].points[at][1] {
          changed[index].points[at][1] = Self.kept(value)
        }
      case .addPoint(let index, let at, let point):
        pointArrivals[index, default: [:]][at, default: []].append([
          Self.kept(point.time), Self.kept(point.value),
        ])
      case .removePoints(let index, let at): pointsGone[index, default: []].formUnion(at)
      case .text, .metadata: break
      }
    }
    for index in changed.indices {
      changed[index].points = Self.assemble(
        changed[index].points, pointArrivals[index] ?? [:], pointsGone[index] ?? [])
    }
    entries = Self.assemble(changed, arrivals, removed)
  }

  private static func assemble<Item>(
    _ items: [Item], _ arrivals: [Int: [Item]], _ gone: Set<Int>
  ) -> [Item] {
    (0...items.count).flatMap { index in
      (arrivals[index] ?? []) + (index < items.count && !gone.contains(index) ? [items[index]] : [])
    }
  }

  private static func set(_ change: EntryChange, in entry: inout Entry) {
    var number: Double?
    var text: String?
    var flag: Bool?
    switch change.value {
    case .number(let value): number = value
    case .text(let value): text = value
    case .flag(let value): flag = value
    case nil: break
    }
    func rounded(_ old: Double?) -> Double? { number == old ? old : number.map(kept) }
    switch change.key {
    case .kind:
      switch text {
      case "transient": entry.type = "HapticTransient"
      case "continuous": entry.type = "HapticContinuous"
      default: entry.type = entry.path == nil ? "AudioContinuous" : "AudioCustom"
      }
    case .time: entry.time = rounded(entry.time) ?? 0
    case .duration: entry.duration = rounded(entry.duration)
    case .path:
      entry.path = text
      if entry.type.hasPrefix("Audio") {
        entry.type = text == nil ? "AudioContinuous" : "AudioCustom"
      }
    case .envelope: entry.ramped = flag
    case .loop: entry.looped = flag
    case .parameter: entry.id = text
    case .value: entry.value = rounded(entry.value)
    case .sustained: entry.levels["Sustained"] = flag.map { $0 ? 1 : 0 }
    default:
      let name = levelNames[change.key.rawValue] ?? ""
      entry.levels[name] = rounded(entry.levels[name])
    }
  }

  private static func plain(_ entry: PatternEntry) -> Entry {
    let type =
      switch entry.kind {
      case .transient: "HapticTransient"
      case .continuous: "HapticContinuous"
      case .audio: entry.path == nil ? "AudioContinuous" : "AudioCustom"
      case .parameter: "Parameter"
      default: "ParameterCurve"
      }
    var plain = Entry(type: type, time: kept(entry.time), duration: entry.duration.map(kept))
    for id in EventParameterID.allCases {
      plain.levels[id.rawValue] = entry.parameters[id].map(kept)
    }
    plain.path = entry.path
    plain.ramped = entry.envelope
    plain.looped = entry.loop
    plain.id = entry.parameter
    plain.value = entry.value.map(kept)
    plain.points = (entry.points ?? []).map { [kept($0.time), kept($0.value)] }
    return plain
  }

  /// What the reader must find.
  var pattern: HapticPattern {
    var pattern = HapticPattern()
    for (order, entry) in entries.enumerated() {
      if let kind = HapticEvent.Kind(rawValue: entry.type) {
        var event = HapticEvent(
          kind: kind, time: entry.time, duration: entry.duration, waveformPath: entry.path,
          useVolumeEnvelope: entry.ramped ?? true, loopEnabled: entry.looped ?? false, order: order)
        for id in EventParameterID.allCases { event.parameters[id] = entry.levels[id.rawValue] }
        pattern.events.append(event)
      } else if let id = entry.id.flatMap(DynamicParameterID.init) {
        if entry.type == "Parameter" {
          pattern.parameters.append(
            DynamicParameter(id: id, time: entry.time, value: entry.value ?? .nan, order: order))
        } else {
          let points = entry.points.enumerated().sorted {
            ($0.element[0], $0.offset) < ($1.element[0], $1.offset)
          }
          pattern.curves.append(
            ParameterCurve(
              id: id, time: entry.time,
              points: points.map { .init(time: $0.element[0], value: $0.element[1]) }, order: order)
          )
        }
      }
    }
    return pattern
  }
}
