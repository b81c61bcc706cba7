// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
import JSONText
import SeededRandom
import Units

/// Draws records that use every field, and leave every optional one out now and then.
struct RandomRecord {
  var generator: SeededRandom

  init(seed: UInt64) { generator = SeededRandom(seed: seed) }

  mutating func record() -> RunRecord {
    let patterns = list(0...4) { $0.pattern() }
    return RunRecord(
      header: .init(
        date: text(), host: text(), duration: number(), folder: text(),
        environment: dictionary { $0.text() }, files: list(0...3) { $0.file() }),
      run: .init(
        status: pick(RunRecord.Status.allCases), reason: maybe { $0.text() }, software: text(),
        seed: generator.next(), laws: dictionary { $0.text() }, referenceLevel: number(),
        calibration: text(), hasArbitraryDelay: flag()),
      rig: .init(
        name: text(), device: text(), rate: number(), fullScaleVolts: number(),
        driveChannels: dictionary { $0.integer() }),
      actuator: .init(
        id: text(), model: text(), kind: pick(ActuatorKind.allCases),
        limits: .init(continuousVolts: number(), peakVolts: number())),
      plan: plan(patterns: patterns.map(\.name)),
      patterns: patterns,
      readings: list(0...12) { $0.reading(patterns: patterns.map(\.name)) },
      verdict: pick(Verdict.allCases),
      setup: maybe {
        $0.list(0...3) {
          SetupFinding($0.pick(SetupChecks.Check.allCases), holds: $0.flag(), $0.text())
        }
      }, control: maybe { $0.control() },
      inputs: maybe {
        RunRecord.Inputs(
          rig: $0.text(), controlRig: $0.maybe { $0.text() }, plan: $0.maybe { $0.text() },
          profile: $0.maybe { $0.text() }, options: ["ducking": .string($0.text())])
      },
      impulse: maybe {
        RunRecord.Impulse(
          pattern: $0.text(), take: $0.integer(), start: $0.number(), step: $0.number(),
          unit: $0.pick(MeasurementUnit.allCases), values: $0.list(0...5) { $0.number() })
      })
  }

  mutating func file() -> RunRecord.File {
    let digits = Array("0123456789abcdef")
    let hash = String((0..<64).map { _ in digits[Int.random(in: 0..<16, using: &generator)] })
    return RunRecord.File(
      name: (flag() ? "inputs/sounds/" : "")
        + "file-\(text().replacing("/", with: "-").replacing("\0", with: "-"))",
      bytes: Int.random(in: 0...1 << 40, using: &generator), sha256: hash)
  }

  mutating func plan(patterns: [String]) -> Plan {
    Plan(
      name: text(), patterns: list(0...3) { $0.text() },
      repeats: Int.random(in: 1...9, using: &generator),
      restarts: Int.random(in: 0...2, using: &generator), order: pick(Plan.Order.allCases),
      seed: flag() ? 7 : generator.next(), actuator: maybe { $0.text() },
      profile: maybe {
        $0.flag() ? .all($0.text()) : .byActuator($0.dictionary { $0.text() })
      }, setup: maybe { $0.setup() },
      control: maybe {
        ControlPlan(
          $0.flag() ? .loop : .rig($0.text()), patterns: $0.list(0...2) { $0.text() },
          every: $0.maybe { Int.random(in: 1...9, using: &$0.generator) })
      },
      limits: list(0...5) { $0.limit(patterns: patterns) },
      requirements: list(0...2) { Requirement($0.name(), patterns: Array(patterns.prefix(1))) },
      expectedFailures: list(0...2) {
        ExpectedFailure($0.name(), pattern: $0.maybe { $0.text() }, why: $0.text())
      }, notes: list(0...2) { $0.text() },
      probe: Bool.random(using: &generator), recordings: pick(Plan.Recordings.allCases))
  }

  mutating func limit(patterns: [String]) -> Limit {
    let marginal = maybe { $0.number() }
    let bound: Limit.Bound =
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: .below(number(), marginal: marginal)
      case 1: .above(number(), marginal: marginal)
      case 2: .within(number(), marginal: marginal)
      default: .syncBands
      }
    return Limit(
      name(), bound, required: Bool.random(using: &generator),
      patterns: Bool.random(using: &generator) ? [] : Array(patterns.prefix(1)),
      isCalibratedOnly: flag())
  }

  mutating func reading(patterns: [String]) -> Reading {
    var reading = Reading(pick(ReadingKind.allCases), value: number())
    reading.name = name()
    reading.pattern = patterns.randomElement(using: &generator)
    reading.take = maybe { $0.integer() }
    reading.event = maybe { $0.integer() }
    reading.channel = maybe { $0.text() }
    reading.value = maybe { $0.number() }
    reading.uncertainty = maybe { $0.number() }
    reading.count = maybe { $0.integer() }
    reading.limit = maybe { $0.text() }
    reading.verdict = maybe { $0.pick(Verdict.allCases) }
    reading.note = maybe { $0.text() }
    return reading
  }

  private mutating func pattern() -> RunRecord.Pattern {
    RunRecord.Pattern(
      name: text(), file: text(), duration: number(), events: integer(),
      diagnostics: list(0...3) { $0.text() }, takes: list(0...3) { $0.take() },
      verdict: maybe { $0.pick(Verdict.allCases) },
      input: maybe {
        RunRecord.PatternInput(file: $0.text(), sounds: $0.dictionary { $0.text() })
      })
  }

  private mutating func setup() -> SetupChecks {
    let coldest = number()
    return SetupChecks(
      noiseFloor: maybe { $0.number() }, gravity: maybe { $0.number() },
      temperature: maybe { coldest...max(coldest, $0.number()) }, reference: flag(),
      response: flag(), diskSpace: flag())
  }

  private mutating func control() -> RunRecord.Control {
    RunRecord.Control(
      rig: .init(
        name: text(), device: text(), rate: number(), fullScaleVolts: number(),
        driveChannels: [:]),
      actuator: maybe {
        .init(
          id: $0.text(), model: $0.text(), kind: $0.pick(ActuatorKind.allCases),
          limits: .init(continuousVolts: $0.number(), peakVolts: $0.number()))
      }, patterns: list(0...2) { $0.pattern() })
  }

  mutating func flag() -> Bool { Bool.random(using: &generator) }

  private mutating func take() -> RunRecord.Take {
    RunRecord.Take(
      number: integer(), drive: maybe { $0.text() }, driveChannels: list(0...3) { $0.channel() },
      response: maybe { $0.text() }, responseChannels: list(0...3) { $0.channel() },
      patternFrame: integer(),
      rejected: list(0...3) { .init(event: $0.integer(), reason: $0.text()) },
      stream: maybe { $0.stream() }, place: maybe { $0.integer() }, opening: maybe { $0.integer() },
      markers: maybe { [$0.integer(), $0.integer()] }, device: maybe { $0.device() },
      temperature: maybe { random in
        let celsius = random.list(0...4) { $0.number() }
        return TakeTemperature(
          times: celsius.map { _ in random.number() }, celsius: celsius,
          uncertainty: random.maybe { abs($0.number()) }, fault: random.maybe { $0.text() })
      })
  }

  private mutating func channel() -> RunRecord.FileChannel {
    RunRecord.FileChannel(
      name: text(), unit: pick(MeasurementUnit.allCases),
      scale: maybe { $0.pick([0, 0x1p-100, 0.125, 4, 0x1p126]) })
  }

  private mutating func name() -> ReadingName {
    ReadingName(pick(ReadingKind.allCases), isControl: Bool.random(using: &generator))
  }

  mutating func text() -> String {
    let letters = Array("abcZ09 .\"\\/<>&'\n\t\u{1}\u{7F}é漢🙂{}[]:,")
    return String(list(0...12) { $0.pick(letters) })
  }

  private mutating func integer() -> Int {
    Int.random(in: -9_999_999...9_999_999, using: &generator)
  }

  /// Any finite number of any size, or a small whole one.
  mutating func number() -> Double {
    guard Bool.random(using: &generator) else { return Double(integer() % 100) }
    let value = Double(bitPattern: generator.next())
    return value.isFinite ? value : 0.1
  }

  private mutating func dictionary<Value>(_ make: (inout Self) -> Value) -> [String: Value] {
    var result: [String: Value] = [:]
    for _ in 0..<Int.random(in: 0...4, using: &generator) { result[text()] = make(&self) }
    return result
  }

  mutating func maybe<Value>(_ make: (inout Self) -> Value) -> Value? {
    Int.random(in: 0..<3, using: &generator) > 0 ? make(&self) : nil
  }

  mutating func list<Value>(
    _ counts: ClosedRange<Int>, _ make: (inout Self) -> Value
  ) -> [Value] {
    (0..<Int.random(in: counts, using: &generator)).map { _ in make(&self) }
  }

  mutating func pick<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: values.indices, using: &generator)]
  }
}
