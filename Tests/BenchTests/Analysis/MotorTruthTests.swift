// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Actuators
import Bench
import Devices
import Glibc
import Perception
import SeededRandom
import Testing
import Units

/// Truth that the fit of a motor was not made for: plants with friction, drag of the air and a voltage to start at, each
/// of its own, some events of a seeded pattern changed by -6 to +3 dB of their voltage, or dropped.
///
/// `HAPRIG_TRUTH_SEEDS` asks for more patterns than the test's own, and prints what came of them.
struct MotorTruthTests {
  private static let rig: RigDescription = {
    var rig = Rigs.described(kind: .erm)
    rig.drive.rate = SampleRate(hertz: 24_000)
    return rig
  }()

  private struct Counts {
    var (changed, attributed, values, inside, unchanged, twice, outside) = (0, 0, 0, 0, 0, 0, 0)
    var (events, scored) = (0, 0)
    var spreads: [Double] = []
    var failures: [String] = []
  }

  @Test func `a changed event is found as changed, and no other`() throws {
    let asked = getenv("HAPRIG_TRUTH_SEEDS").flatMap { Int(String(cString: $0)) }
    var counts = Counts()
    for seed in 0..<UInt64(asked ?? 6) {
      try count(SeededRandom(seed: 0x30_0000 + seed), &counts)
    }
    let middle = counts.spreads.sorted()[counts.spreads.count / 2]
    let account = """
      motor: scored \(counts.scored) of \(counts.events), attributed \(counts.attributed) of \
      \(counts.changed), within two uncertainties \(counts.inside) of \(counts.values), unchanged within \
      two \(counts.twice) of \(counts.unchanged), outside three \(counts.outside), stated \
      \((100 * middle).rounded() / 100) dB
      \(counts.failures.joined(separator: "\n"))
      """
    if asked != nil { print(account) }
    #expect(Double(counts.scored) >= 0.9 * Double(counts.events), "\(account)")
    #expect(Double(counts.attributed) >= 0.7 * Double(counts.changed), "\(account)")
    #expect(Double(counts.inside) >= 0.8 * Double(counts.values), "\(account)")
    #expect(Double(counts.twice) >= 0.95 * Double(counts.unchanged), "\(account)")
    #expect(middle < 2, "\(account)")
  }

  private func count(_ seed: SeededRandom, _ counts: inout Counts) throws {
    var random = seed
    let rig = Self.rig
    let rate = rig.drive.rate.hertz
    let builder = TakeBuilder(rig: rig, hasProbe: true)
    let number = 14
    var time = 0.0
    var events: [String] = []
    for index in 0..<number {
      let intensity = random.uniform(0.5...1)
      if index % 5 == 2 {
        let duration = random.uniform(0.1...0.3)
        events.append(
          AHAPText.buzz(at: time, duration: duration, intensity: 0.7 * intensity, sharpness: 0.5))
        time += duration
      } else {
        events.append(AHAPText.tap(at: time, intensity: intensity, sharpness: 0.5))
      }
      time += random.uniform(0.05...0.15)
    }
    func drive(_ events: [String]) throws -> TakeDrive {
      builder.build(try Rigs.pattern(events, rate: rig.drive.rate))
    }
    let take = try drive(events)
    let sent = Array(take.channels[.haptic] ?? [])
    var plant = MotorPlant()
    plant.friction = random.uniform(0...0.15)
    plant.start = plant.friction + random.uniform(0...0.1)
    plant.drag = random.uniform(0...0.06)
    plant.time = random.uniform(0.03...0.07)
    var factors: [Int: Double] = [:]
    var change = [Double](repeating: 0, count: sent.count)
    /// What the event makes alone, changed over unchanged, in dB of the acceleration.
    var truths: [Int: Double] = [:]
    for event in (0..<(number - 1)).shuffled(using: &random).prefix(3) {
      var others = events
      others.remove(at: event)
      let without = Array(try drive(others).channels[.haptic] ?? [])
      let share = sent.indices.map {
        Double(without.indices.contains($0) ? sent[$0] - without[$0] : 0)
          * rig.drive.fullScaleVolts
      }
      let factor = random.integer(0...3) == 0 ? 0 : pow(10, random.uniform(-6...3) / 20)
      factors[event] = factor
      for frame in share.indices { change[frame] += (factor - 1) * share[frame] }
      func top(_ factor: Double) -> Double {
        plant.speeds(share.map { factor * $0 }, rate: rate).max() ?? 0
      }
      truths[event] = 40 * log10(max(top(factor), 1e-9) / max(top(1), 1e-9))
    }
    func levels(_ changed: Bool) -> [Int: Reading] {
      let recording = plant.record(take, on: rig) { volts in
        if changed { for frame in volts.indices { volts[frame] += change[frame] } }
      }
      let readings = TakeAnalysis(rig: rig, target: IntensityTarget()).measure(
        take, recording, pattern: "p", number: 1
      ).readings
      return Dictionary(
        readings.filter { $0.name == ReadingName(.intensityError) }
          .compactMap { reading in reading.event.map { ($0, reading) } }, uniquingKeysWith: { $1 })
    }
    let (nominal, found) = (levels(false), levels(true))
    for event in 0..<number {
      let level = found[event]
      counts.events += 1
      if level?.value != nil { counts.scored += 1 }
      let off = level?.value.flatMap { value in nominal[event]?.value.map { value - $0 } }
      let spread = hypot(level?.uncertainty ?? 0, nominal[event]?.uncertainty ?? 0)
      let isOne = level?.note?.hasPrefix("scored as one") == true
      let account =
        "\(seed) event \(event) \(factors[event].map { "\($0) \(truths[event] ?? 0)" } ?? "unchanged"): "
        + "\(off.map { "\($0)" } ?? "-") +- \(spread) dB, \(level?.note ?? "")"
      func check(_ isRight: Bool, _ what: WritableKeyPath<Counts, Int>, _ right: Bool = true) {
        if isRight { counts[keyPath: what] += 1 }
        if isRight != right { counts.failures.append(account) }
      }
      guard let factor = factors[event], let truth = truths[event] else {
        guard let off else { continue }
        counts.unchanged += 1
        counts.spreads.append(level?.uncertainty ?? 0)
        check(abs(off) < 2 * spread + 0.2, \.twice)
        if abs(off) > 3 * spread + 0.2 { counts.outside += 1 }
        continue
      }
      guard factor > 0 else {
        // What is scored as one with others says so.
        guard !isOne else { continue }
        counts.changed += 1
        let note = level?.note ?? ""
        check(note.hasPrefix("dropped") || note.hasPrefix("no response"), \.attributed)
        continue
      }
      if let off {
        counts.values += 1
        check(abs(off - truth) < 2 * spread + 0.2, \.inside)
      }
      if abs(truth) > 2, !isOne {
        counts.changed += 1
        check(off.map { abs($0 - truth) < abs($0) } ?? false, \.attributed)
      }
    }
  }
}
