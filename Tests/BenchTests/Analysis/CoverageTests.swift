// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Bench
import Devices
import Foundation
import HapticRendering
import Perception
import SeededRandom
import SignalAnalysis
import Testing
import Units

/// How often what was built in lies within twice the stated uncertainty, and how far off the mean is.
///
/// Each round draws fractional delays, drift, resonance and noise anew. `HAPRIG_COVERAGE_ROUNDS` asks for
/// more rounds than the test's own; the table is printed where it is set.
struct CoverageTests {
  private static let asked = ProcessInfo.processInfo.environment["HAPRIG_COVERAGE_ROUNDS"].flatMap {
    Int($0)
  }

  /// Delays by the reference channel: no bias above a microsecond at any Q.
  private static let unbiased: Set = [
    "latency.electrical", "latency.transport", "sync.audioHaptic", "event",
  ]

  /// What a coil of unknown L/R adds to the uncertainty of delays, in seconds.
  ///
  /// These plants have no coil, so it is taken off: nothing could lie outside of it.
  private static let coil = 20e-6
  private static let holdingCoil: Set<ReadingKind> = [
    .latencyTransport, .latencyEvent, .syncAudioHaptic,
  ]

  private struct Tally {
    var errors: [Double] = []
    var covered = 0
    var uncertainties: [Double] = []
    var missing: [String] = []

    mutating func add(_ reading: Reading?, truth: Double, holding allowance: Double = 0) {
      guard let value = reading?.value, let stated = reading?.uncertainty else {
        missing.append(reading?.note ?? "no reading")
        return
      }
      let uncertainty = max(0, stated * stated - allowance * allowance).squareRoot()
      errors.append(value - truth)
      uncertainties.append(uncertainty)
      if abs(value - truth) <= 2 * uncertainty { covered += 1 }
    }

    var share: Double { Double(covered) / Double(max(1, errors.count)) }
    var bias: Double { errors.reduce(0, +) / Double(max(1, errors.count)) }
    var deviation: Double { Statistics.moments(errors).sigma }
    var stated: Double { uncertainties.isEmpty ? 0 : Statistics.median(uncertainties) }
  }

  private static let events = [
    AHAPText.tap(at: 0), AHAPText.sound("burst.wav", at: 0.1),
    AHAPText.tap(at: 0.35, intensity: 0.8),
    AHAPText.buzz(at: 0.7, duration: 0.5, intensity: 0.9, sharpness: 0.7),
    AHAPText.tap(at: 1.6), AHAPText.tap(at: 1.63, intensity: 0.7, sharpness: 0.2),
  ]

  @Test(
    arguments: zip(
      [4.0, 6, 8, 11, 16, 8, 8], [48_000.0, 48_000, 48_000, 48_000, 48_000, 24_000, 96_000]))
  func `what was built in comes back`(q: Double, rate: Double) throws {
    let rounds = Self.asked ?? 2
    var random = SeededRandom(seed: UInt64(q * rate))
    var rig = Rigs.described()
    rig.drive.rate = SampleRate(hertz: rate)
    let builder = TakeBuilder(rig: rig, hasProbe: true)
    let take = builder.build(
      try Rigs.pattern(Self.events, sounds: ["burst.wav"], rate: rig.drive.rate))
    let analysis = TakeAnalysis(rig: rig, target: IntensityTarget())
    let law = IntensityTarget()
    var tallies: [String: Tally] = [:]
    for _ in 0..<rounds {
      let plant = ExactPlant(
        electrical: random.uniform(1e-3...30e-3), transport: random.uniform(0.05e-3...3e-3),
        sound: random.uniform(1e-3...40e-3), driftPPM: random.uniform(-100...100),
        frequency: random.uniform(120...230), q: q,
        gain: 30 * random.uniform(0.7...1.4), noise: 0.02 * exp(random.uniform(0...3)),
        wireNoise: 0.004 * exp(random.uniform(0...4)))
      let answer = plant.answer(take, on: rig)
      let recording = plant.recording(answer, seed: random.next())
      let readings = analysis.measure(take, recording, pattern: "p", number: 1).readings
      func tally(_ kind: ReadingKind, event: Int? = nil, _ truth: Double, as name: String? = nil) {
        let found = readings.first { $0.name == ReadingName(kind) && $0.event == event }
        tallies[name ?? kind.rawValue, default: Tally()].add(
          found, truth: truth, holding: Self.holdingCoil.contains(kind) ? Self.coil : 0)
      }
      // Seconds are those of the capture's clock.
      let stretch = 1 + plant.driftPPM * 1e-6
      tally(.latencyElectrical, plant.electrical * stretch)
      tally(.drift, plant.driftPPM)
      tally(.latencyTransport, plant.transport * stretch)
      tally(.latencyRise, log(9) * plant.decayTime)
      tally(
        .syncAudioHaptic, event: 1,
        (plant.electrical + plant.transport - plant.sound) * stretch)
      tally(.noiseFloor, plant.noise)
      for (event, time, length) in [
        (0, 0.0, 0.3), (2, 0.35, 0.3), (3, 0.7, 0.8), (4, 1.6, 0.03),
      ] {
        let peak = answer.peak(from: time, to: time + length)
        // A vibration's level is that of its intended length; what follows the last tap but one raises its peak.
        if event == 3 {
          tally(
            .responsePeak, event: 3, answer.peak(from: 0.7, to: 1.2 + plant.transport),
            as: "peak buzz")
        } else if event < 3 {
          tally(.responsePeak, event: event, peak, as: "peak tap")
        }
        if let truth = answer.passage(of: 0.1 * peak, after: time) {
          tally(
            .latencyOnset, event: event, truth * stretch,
            as: event == 3 ? "onset buzz" : "onset tap")
        }
      }
      for (event, name) in [(0, "event"), (2, "event"), (4, "event joint"), (5, "event joint")] {
        tally(.latencyEvent, event: event, plant.transport * stretch, as: name)
      }
      // The vibration: what the law asks, and what this voltage does in the long run.
      let asked = 80 * pow(230.0 / 80, 0.7)
      let configuration = builder.configuration
      let volts = 0.81 * configuration.fullScale * 4
      let steady = plant.amplitude(volts: volts, frequency: asked)
      let intended = law.acceleration(intensity: 0.9, frequency: asked)
      tally(.intensityError, event: 3, 20 * log10(steady / intended))
      tally(.sharpnessError, event: 3, 0)
      if let fall = Self.fall(answer, plant, from: 0.7, until: 1.6) {
        // The weakest intensity there is lies above a tenth of this: it ends with the release of 1 ms.
        let configurationEnd = 1.201
        tally(.decayError, event: 3, fall - configurationEnd, as: "decay buzz")
      }
    }
    if Self.asked != nil { Self.report(tallies, q: q, rate: rate) }
    for (name, tally) in tallies.sorted(by: { $0.key < $1.key }) {
      let count = Double(tally.errors.count)
      // Of many that overlap one may be refused, with its reason: no number is better than a wrong one.
      let refused = name == "event joint" ? Int(count / 50) : 0
      #expect(
        tally.missing.count <= refused,
        "\(name), Q \(q), \(rate) Hz: \(tally.missing.prefix(2))")
      // 95 of 100, less what chance takes off with 999 of 1000.
      let least = 0.95 - 3.1 * (0.05 * 0.95 / max(1, count)).squareRoot()
      #expect(
        tally.share >= least - 1e-9,
        "\(name), Q \(q), \(rate) Hz: \(tally.covered) of \(count), \(tally.errors), stated \(tally.uncertainties)"
      )
      guard Self.unbiased.contains(name) else { continue }
      let chance = 3.1 * tally.deviation / count.squareRoot()
      #expect(
        abs(tally.bias) < 1e-6 + (count < 8 ? 1e-6 : chance), "\(name), Q \(q): \(tally.bias)")
    }
  }

  /// When the noise-free motion's envelope is below a tenth of the motion's peak for good, in seconds of
  /// the pattern.
  private static func fall(
    _ answer: ExactPlant.Answer, _ plant: ExactPlant, from start: Double, until end: Double
  ) -> Double? {
    let fine = 8.0 * answer.rate.hertz
    let origin = Double(answer.take.layout.pattern) / answer.rate.hertz
    let first = Int((origin + start - 0.1) * fine)
    let last = Int((origin + end) * fine)
    let stretch = answer.motion[first..<last].map(Float.init)
    let envelope = Envelope.hilbert(stretch, rate: SampleRate(hertz: fine), band: 20...1_000)
    let top = stretch.reduce(0) { max($0, abs(Double($1))) }
    guard let passing = envelope.lastIndex(where: { $0 >= 0.1 * top }) else { return nil }
    return Double(first + passing) / fine - origin - plant.transport
  }

  private static func report(_ tallies: [String: Tally], q: Double, rate: Double) {
    for (name, tally) in tallies.sorted(by: { $0.key < $1.key }) {
      let columns = [
        "\(q)", "\(Int(rate))", name, "\(tally.errors.count)", "\(tally.missing.count)",
        "\((1000 * tally.share).rounded() / 10) %", "bias \(tally.bias)",
        "sd \(tally.deviation)", "u \(tally.stated)",
      ]
      print("COVERAGE | " + columns.joined(separator: " | "), tally.missing.first ?? "")
    }
  }
}
