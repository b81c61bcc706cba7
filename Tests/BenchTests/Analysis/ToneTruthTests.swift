// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Bench
import Devices
import Glibc
import Perception
import SeededRandom
import Testing
import Units

/// Truth that the fit of a drive of tones was not made for: a body by Runge and Kutta behind a drive that plays its
/// commands with a phase of its own, some events of a seeded pattern changed by -6 to +6 dB, by 5 to 20 ms, or dropped.
///
/// `HAPRIG_TRUTH_SEEDS` asks for more patterns than the test's own, and prints what came of them.
struct ToneTruthTests {
  enum Condition: String, CaseIterable, CustomTestStringConvertible {
    case fixed, grid, slow, noisy, stiffening, lone

    var testDescription: String { rawValue }

    var drive: CommandedDrive {
      switch self {
      case .grid:
        CommandedDrive(
          expressible: ExpressibleDrive(
            frequencies: .grid((0...64).map { 60 * exp2(Double($0) / 32) + 20 }),
            amplitudes: (0...255).map { Double($0) / 255 }, updateInterval: 2e-3),
          isPhaseLost: true)
      case .slow:
        CommandedDrive(
          expressible: ExpressibleDrive(
            frequencies: .fixed(160), amplitudes: (0...100).map { Double($0) / 100 },
            updateInterval: 15e-3))
      default:
        CommandedDrive(
          expressible: ExpressibleDrive(
            frequencies: .fixed(172), amplitudes: (0...127).map { Double($0) / 127 },
            updateInterval: 4e-3))
      }
    }
    /// The noise below the response's peak, in dB.
    var noise: Double { self == .noisy ? 30 : 60 }
    var body: StiffBody { StiffBody(stiffening: self == .stiffening ? 1e6 : 0) }
    var rig: RigDescription {
      var rig =
        self == .lone
        ? Rigs.described(drive: [.haptic: 1], capture: [.acceleration]) : Rigs.described()
      rig.drive.rate = ToneTruthTests.rate
      return rig
    }
  }

  private enum Change {
    case gain(Double)
    case delay(Double)
    case dropped
  }

  private static let rate = SampleRate(hertz: 24_000)

  /// A pattern, what changes of it, and the drive that is commanded then.
  private struct Plan {
    let rig: RigDescription
    let take: TakeDrive
    let changes: [Int: Change]
    let commanded: [Float]
    static let count = 20

    init(_ random: inout SeededRandom, on rig: RigDescription) throws {
      self.rig = rig
      let builder = TakeBuilder(rig: rig, hasProbe: false)
      var time = 0.0
      var events: [String] = []
      for index in 0..<Self.count {
        let (intensity, sharpness) = (random.uniform(0.5...1), random.uniform(0.3...0.7))
        if index == 9 {
          let duration = random.uniform(0.08...0.2)
          events.append(
            AHAPText.buzz(
              at: time, duration: duration, intensity: 0.6 * intensity, sharpness: sharpness))
          // Another begins while it lasts.
          time += 0.6 * duration
        } else {
          events.append(AHAPText.tap(at: time, intensity: intensity, sharpness: sharpness))
        }
        time += random.uniform(0.025...0.09)
      }
      func drive(_ events: [String]) throws -> TakeDrive {
        builder.build(try Rigs.pattern(events, rate: rig.drive.rate))
      }
      take = try drive(events)
      let sent = Array(take.channels[.haptic] ?? [])
      var commanded = sent
      var changes: [Int: Change] = [:]
      // The last one stays, since a take ends with it.
      for event in (0..<(Self.count - 1)).shuffled(using: &random).prefix(3) {
        var others = events
        others.remove(at: event)
        let without = Array(try drive(others).channels[.haptic] ?? [])
        let share = sent.indices.map { without.indices.contains($0) ? sent[$0] - without[$0] : 0 }
        let change: Change =
          switch random.integer(0...4) {
          case 0, 1: .gain(pow(10, random.uniform(-6...6) / 20))
          case 2, 3: .delay(random.uniform(5e-3...20e-3))
          default: .dropped
          }
        changes[event] = change
        let (factor, late): (Float, Int) =
          switch change {
          case .gain(let gain): (Float(gain), 0)
          case .delay(let seconds): (1, Int(seconds * ToneTruthTests.rate.hertz))
          case .dropped: (0, 0)
          }
        for frame in share.indices where share[frame] != 0 {
          commanded[frame] -= share[frame]
          if frame + late < commanded.count { commanded[frame + late] += factor * share[frame] }
        }
      }
      self.changes = changes
      self.commanded = commanded
    }
  }

  private static func shown(_ value: Double) -> String { "\((1000 * value).rounded() / 1000)" }

  /// What is counted.
  private struct Counts {
    var (changed, attributed, values, inside, unchanged, outside) = (0, 0, 0, 0, 0, 0)
    var (events, scored) = (0, 0)
    var (chains, chainsInside) = (0, 0)
    var failures: [String] = []
  }

  @Test(arguments: Condition.allCases)
  func `a changed event is found as changed, and no other`(condition: Condition) throws {
    let asked = getenv("HAPRIG_TRUTH_SEEDS").flatMap { Int(String(cString: $0)) }
    var counts = Counts()
    for seed in 0..<UInt64(asked ?? 4) {
      try count(SeededRandom(seed: 0x70_0000 + seed), condition, &counts)
    }
    let account = """
      \(condition): scored \(counts.scored) of \(counts.events), attributed \(counts.attributed) of \
      \(counts.changed), within two uncertainties \(counts.inside) of \(counts.values), unchanged and \
      outside three \(counts.outside) of \(counts.unchanged), transport within two \
      \(counts.chainsInside) of \(counts.chains)
      \(counts.failures.joined(separator: "\n"))
      """
    if asked != nil { print(account) }
    #expect(counts.changed > 0 && counts.values > 0)
    #expect(Double(counts.chainsInside) >= 0.75 * Double(counts.chains), "\(account)")
    #expect(Double(counts.scored) >= 0.9 * Double(counts.events), "\(account)")
    #expect(Double(counts.attributed) >= 0.95 * Double(counts.changed), "\(account)")
    #expect(Double(counts.inside) >= 0.85 * Double(counts.values), "\(account)")
    #expect(Double(counts.outside) <= 0.03 * Double(counts.unchanged), "\(account)")
  }

  private func count(
    _ seed: SeededRandom, _ condition: Condition, _ counts: inout Counts
  ) throws {
    var random = seed
    let plan = try Plan(&random, on: condition.rig)
    var plant = ExactPlant(noise: 1e-4)
    let body = condition.body
    plant.body = { body.motion($0, rate: $1) }
    let analysis = TakeAnalysis(rig: plan.rig, target: IntensityTarget())
    let chain = plant.transport + (condition == .lone ? plant.electrical : 0)
    func readings(_ commanded: [Float], seed: UInt64, _ plant: ExactPlant) -> [Reading] {
      var (plant, drive) = (plant, condition.drive)
      drive.seed = seed
      plant.arriving = drive.playing(commanded, rate: Self.rate.hertz)
      let answer = plant.answer(plan.take, on: plan.rig)
      if condition.noise < 60 || seed > 1 {
        plant.noise =
          answer.motion.reduce(0) { max($0, abs($1)) } * pow(10, -condition.noise / 20)
      }
      return analysis.measure(
        plan.take, plant.recording(answer, seed: seed).of(drive.expressible), pattern: "p",
        number: 1
      ).readings
    }
    func levels(_ readings: [Reading]) -> [Int: Reading] {
      Dictionary(
        readings.filter { $0.name == ReadingName(.intensityError) }
          .compactMap { reading in reading.event.map { ($0, reading) } }, uniquingKeysWith: { $1 })
    }
    let nominal = levels(readings(Array(plan.take.channels[.haptic] ?? []), seed: 1, plant))
    let changed = readings(plan.commanded, seed: random.next() | 2, plant)
    let found = levels(changed)
    if condition != .lone {
      let transport = try #require(changed.first { $0.name == ReadingName(.latencyTransport) })
      let (value, spread) = (try #require(transport.value), try #require(transport.uncertainty))
      counts.chains += 1
      counts.chainsInside += abs(value - plant.transport) < 2 * spread ? 1 : 0
      if abs(value - plant.transport) > 2 * spread {
        counts.failures.append("\(seed) \(transport)")
      }
    }
    for event in 0..<Plan.count {
      let level = found[event]
      let delay = changed.first { $0.name == ReadingName(.latencyEvent) && $0.event == event }
      let off = level?.value.flatMap { value in nominal[event]?.value.map { value - $0 } }
      let late = delay?.value.map { $0 - chain }
      // Both takes are as unsure.
      let levelSpread = hypot(level?.uncertainty ?? 0, nominal[event]?.uncertainty ?? 0)
      let delaySpread = delay?.uncertainty ?? 0
      let account =
        "\(seed) event \(event) \(plan.changes[event].map { "\($0)" } ?? "unchanged"): "
        + "\(off.map(Self.shown) ?? "-") +- \(Self.shown(levelSpread)) dB, "
        + "\(late.map { Self.shown($0 * 1e3) } ?? "-") +- \(Self.shown(delaySpread * 1e3)) ms, "
        + "\(level?.note ?? "") \(delay?.note ?? "")"
      let isOne = level?.note?.hasPrefix("scored as one") == true
      counts.events += 1
      if level?.value != nil { counts.scored += 1 } else { counts.failures.append(account) }
      func check(_ isRight: Bool, _ what: WritableKeyPath<Counts, Int>, _ right: Bool = true) {
        if isRight { counts[keyPath: what] += 1 }
        if isRight != right { counts.failures.append(account) }
      }
      switch plan.changes[event] {
      case .dropped:
        counts.changed += 1
        check(level?.note?.hasPrefix("dropped") == true, \.attributed)
      case .gain(let gain):
        let truth = 20 * log10(gain)
        if let off {
          counts.values += 1
          check(abs(off - truth) < 2 * levelSpread + 0.03, \.inside)
        }
        if abs(truth) > 1, !isOne {
          counts.changed += 1
          check(off.map { abs($0 - truth) < abs($0) } ?? false, \.attributed)
        }
      case .delay(let truth):
        if !isOne {
          counts.changed += 1
          check(late.map { abs($0 - truth) < abs($0) } ?? false, \.attributed)
        }
        if let late {
          counts.values += 1
          check(abs(late - truth) < 2 * delaySpread, \.inside)
        }
      case nil:
        if let off {
          counts.unchanged += 1
          check(abs(off) > 3 * levelSpread + 0.03, \.outside, false)
        }
        if let late {
          counts.unchanged += 1
          check(abs(late) > 3 * delaySpread, \.outside, false)
        }
      }
    }
  }
}
