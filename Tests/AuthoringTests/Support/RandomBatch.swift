// SPDX-License-Identifier: Apache-2.0

import AHAP
import Authoring
import SeededRandom

/// Makes batches of all kinds of operations that are good for a state of a model.
struct RandomBatch {
  private let model: PlainModel
  private var random: SeededRandom

  static func operations(
    for model: PlainModel, _ random: inout SeededRandom
  ) -> [Authoring.Operation] {
    var maker = Self(model: model, random: random)
    let operations = maker.make()
    random = maker.random
    return operations
  }

  private mutating func make() -> [Authoring.Operation] {
    var operations: [Authoring.Operation] = []
    var indices = Array(model.entries.indices)
    indices.shuffle(using: &random)
    // Above so many entries more go than come.
    let isFull = model.entries.count > 40
    let count = random.chance(0.05) ? indices.count : min(indices.count, random.integer(0...4))
    var removed: [Int] = []
    for index in indices.prefix(count) {
      if random.chance(isFull ? 0.5 : 0.2) {
        removed.append(index)
      } else {
        operations += changes(of: index)
      }
    }
    if !removed.isEmpty { operations.append(.remove(removed)) }
    for _ in 0..<random.integer(0...(isFull ? 0 : 3)) {
      let place = random.integer(0...model.entries.count)
      if model.entries.isEmpty || random.chance(0.5) {
        operations.append(.insert(at: place, newEntry()))
      } else {
        let index = random.integer(0...model.entries.count - 1)
        operations.append(
          .copy(
            entry: index, to: place,
            changes: random.chance(0.6) ? [EntryChange(.time, .number(seconds()))] : []))
      }
    }
    operations.shuffle(using: &random)
    return operations
  }

  private mutating func seconds() -> Double {
    random.chance(0.3) ? Double(random.integer(0...40)) * 0.1 : random.uniform(0...10)
  }

  private mutating func level(_ range: ClosedRange<Double> = 0...1) -> Double {
    random.chance(0.2) ? range.upperBound : random.uniform(range)
  }

  private mutating func changes(of index: Int) -> [Authoring.Operation] {
    let entry = model.entries[index]
    switch entry.type {
    case "Parameter": return parameterChanges(index, entry)
    case "ParameterCurve": return curveChanges(index, entry)
    default: return eventChanges(index, entry)
    }
  }

  private mutating func parameterChanges(
    _ index: Int, _ entry: PlainModel.Entry
  ) -> [Authoring.Operation] {
    var operations: [Authoring.Operation] = []
    if random.chance(0.5) { operations.append(set(index, .time, .number(seconds()))) }
    // A new ID comes with a value, which the old one need not suit.
    if random.chance(0.5), let id = DynamicParameterID.allCases.randomElement(using: &random) {
      operations.append(set(index, .parameter, .text(id.rawValue)))
      operations.append(set(index, .value, .number(level(id.range))))
    }
    return operations
  }

  private mutating func curveChanges(
    _ index: Int, _ entry: PlainModel.Entry
  ) -> [Authoring.Operation] {
    var operations: [Authoring.Operation] = []
    guard let id = entry.id.flatMap(DynamicParameterID.init) else { return [] }
    if random.chance(0.3) { operations.append(set(index, .time, .number(seconds()))) }
    var left = entry.points.count
    for at in entry.points.indices where random.chance(0.4) {
      if left > 1, random.chance(0.3) {
        operations.append(.removePoints(entry: index, at: [at]))
        left -= 1
      } else {
        operations.append(
          .point(
            entry: index, at: at, time: random.chance(0.5) ? seconds() : nil,
            value: random.chance(0.5) ? level(id.range) : nil))
      }
    }
    for _ in 0..<random.integer(0...(left > 10 ? 0 : 2)) {
      operations.append(
        .addPoint(
          entry: index, at: random.integer(0...entry.points.count),
          .init(time: seconds(), value: level(id.range))))
    }
    return operations
  }

  private mutating func eventChanges(
    _ index: Int, _ entry: PlainModel.Entry
  ) -> [Authoring.Operation] {
    var operations: [Authoring.Operation] = []
    if random.chance(0.5) { operations.append(set(index, .time, .number(seconds()))) }
    for key in EntryKey.allCases where random.chance(0.15) {
      switch key {
      case .intensity, .sharpness, .attack, .decay, .release, .volume, .brightness:
        operations.append(set(index, key, random.chance(0.3) ? nil : .number(level())))
      case .pan, .pitch:
        operations.append(set(index, key, random.chance(0.3) ? nil : .number(level(-1...1))))
      case .sustained, .envelope, .loop:
        operations.append(set(index, key, random.chance(0.3) ? nil : .flag(random.chance(0.5))))
      default: break
      }
    }
    guard random.chance(0.3) else { return operations }
    // What an event needs comes with its kind.
    switch random.integer(0...3) {
    case 0: operations.append(set(index, .kind, .text("transient")))
    case 1:
      operations.append(set(index, .kind, .text("continuous")))
      operations.append(set(index, .duration, .number(0.001 + seconds())))
    case 2:
      operations.append(set(index, .path, .text("Töne/\"\(random.integer(0...9))\" 🥁.wav")))
      operations.append(set(index, .kind, .text("audio")))
      if random.chance(0.5), entry.type == "HapticTransient" {
        operations.append(set(index, .duration, nil))
      }
    default:
      operations.append(set(index, .path, nil))
      operations.append(set(index, .kind, .text("audio")))
      operations.append(set(index, .duration, .number(0.001 + seconds())))
    }
    return operations
  }

  private func set(_ index: Int, _ key: EntryKey, _ value: EntryValue?) -> Authoring.Operation {
    .set(entry: index, EntryChange(key, value))
  }

  private mutating func newEntry() -> PatternEntry {
    let id = DynamicParameterID.allCases.randomElement(using: &random) ?? .hapticIntensity
    switch random.integer(0...5) {
    case 0:
      return PatternEntry(
        kind: .parameter, time: seconds(), parameter: id.rawValue, value: level(id.range))
    case 1:
      return PatternEntry(
        kind: .curve, time: seconds(), parameter: id.rawValue,
        points: (0...random.integer(0...3)).map { _ in
          .init(time: seconds(), value: level(id.range))
        })
    case 2:
      return PatternEntry(
        kind: .audio, time: seconds(), path: "click.wav", envelope: random.chance(0.5) ? true : nil,
        loop: random.chance(0.5) ? false : nil)
    case 3:
      return PatternEntry(kind: .continuous, time: seconds(), duration: 0.001 + seconds())
    default:
      return PatternEntry(
        kind: .transient, time: seconds(),
        parameters: EventParameters(
          intensity: random.chance(0.7) ? level() : nil,
          sharpness: random.chance(0.7) ? level() : nil))
    }
  }
}
