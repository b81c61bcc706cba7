// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Bench
import Devices
import Glibc
import Perception
import SignalAnalysis
import Testing
import Units

/// How events end: decay, and what of a tap rings on.
struct EventEndTests {
  private static let rate = SampleRate(hertz: 24_000)

  private static func measured(
    _ plant: ExactPlant, _ events: [String]
  ) throws -> (readings: [Reading], take: TakeDrive, answer: ExactPlant.Answer) {
    var rig = Rigs.described()
    rig.drive.rate = rate
    let take = TakeBuilder(rig: rig, hasProbe: true).build(try Rigs.pattern(events, rate: rate))
    let answer = plant.answer(take, on: rig)
    let readings = TakeAnalysis(rig: rig, target: IntensityTarget()).measure(
      take, plant.recording(answer, seed: 3), pattern: "p", number: 1
    ).readings
    return (readings, take, answer)
  }

  private static func reading(
    _ readings: [Reading], _ kind: ReadingKind, _ event: Int
  ) throws -> Reading {
    try #require(readings.first { $0.name == ReadingName(kind) && $0.event == event })
  }

  @Test(arguments: [4.0, 8, 16])
  func `a vibration has decayed where its swings stay below a tenth of the highest`(
    q: Double
  ) throws {
    // Sharpness 0.5 asks for 135.6 Hz; the ringing has the frequency of the drive there.
    let plant = ExactPlant(frequency: 80 * pow(230.0 / 80, 0.5), q: q, noise: 0.02)
    let found = try Self.measured(plant, [AHAPText.buzz(at: 0, duration: 0.4)])
    let decay = try Self.reading(found.readings, .decayError, 0)
    let asked = Double(found.take.layout.pattern) / Self.rate.hertz + 0.401
    let truth = try #require(Self.lastSwing(found.answer)) - asked - plant.transport
    let value = try #require(decay.value, "\(decay.note ?? "")")
    // As often as a swing comes, its height is known: between two a straight line of logarithms.
    #expect(abs(value - truth) < 0.15e-3, "Q \(q): \(value), \(truth)")
    // The ringing alone takes ln 10 decay times; the release of 1 ms moves that by as much at most.
    #expect(abs(value - log(10) * plant.decayTime) < 1.3e-3, "Q \(q): \(value)")
    #expect(try #require(decay.uncertainty) < 0.3e-3)
  }

  /// When the swings of a motion fall below a tenth of the highest, in seconds of the drive's clock.
  private static func lastSwing(_ answer: ExactPlant.Answer) -> Double? {
    let fine = 8 * rate.hertz
    let start = answer.take.layout.pattern * 8
    let sizes = answer.motion.map(abs)
    let swings = (max(1, start)..<sizes.count - 1).filter {
      sizes[$0] > sizes[$0 - 1] && sizes[$0] >= sizes[$0 + 1]
    }
    guard let top = swings.map({ sizes[$0] }).max(),
      let last = swings.lastIndex(where: { sizes[$0] >= 0.1 * top }), last + 1 < swings.count
    else { return nil }
    let (one, next) = (swings[last], swings[last + 1])
    let share = log(sizes[one] / (0.1 * top)) / log(sizes[one] / sizes[next])
    return (Double(one) + share * Double(next - one)) / fine
  }

  @Test func `a stronger brake gives less ring, a lower Q too`() throws {
    let ratios = try [3.0, 6, 12].map { q in
      let found = try Self.measured(ExactPlant(q: q, noise: 0.01), [AHAPText.tap(at: 0)])
      let reading = try Self.reading(found.readings, .pulseToRing, 0)
      #expect(reading.uncertainty ?? 0 > 0 || reading.note != nil)
      return try #require(reading.value, "\(reading.note ?? "")")
    }
    #expect(ratios[0] > ratios[1] + 1 && ratios[1] > ratios[2] + 1, "\(ratios)")
  }

  @Test func `pulse to ring is that of the motion without noise`() throws {
    let plant = ExactPlant(noise: 0.2)
    let found = try Self.measured(plant, [AHAPText.tap(at: 0.1)])
    let reading = try Self.reading(found.readings, .pulseToRing, 0)
    // The same definition on the motion itself: 8 values a frame, no noise but rounding.
    let fine = SampleRate(hertz: 8 * Self.rate.hertz)
    let start = Int((Double(found.take.layout.pattern) / Self.rate.hertz + 0.1) * fine.hertz)
    let whole = found.answer.motion.map(Float.init)
    let first = start - fine.wholeFrames(0.3)
    let stretch = Array(whole[first..<(start + fine.wholeFrames(0.45))])
    let end = Double(start - first) + (0.022 + plant.transport) * fine.hertz
    let click = try #require(
      PulseBalance.measure(
        stretch, frames: (start - first - 100)..<stretch.count, quiet: 0..<fine.wholeFrames(0.2),
        rate: fine, driveEnd: end, onsetThreshold: 6 * 0.2))
    let truth = try #require(click.ratio)
    let value = try #require(reading.value)
    #expect(abs(value - truth) < 3 * (reading.uncertainty ?? 0) + 0.3, "\(reading) \(truth)")
  }

  @Test func `an event ends as it does alone, whatever begins before it has died away`() throws {
    let plant = ExactPlant(noise: 0.02)
    let taps = [
      AHAPText.tap(at: 0), AHAPText.tap(at: 0.04, intensity: 0.8, sharpness: 0.3),
      AHAPText.tap(at: 0.6),
    ]
    // Weak enough that no limit bends their sum.
    let mixed = [
      AHAPText.buzz(at: 0, duration: 0.3, intensity: 0.4, sharpness: 0.1),
      AHAPText.tap(at: 0.2, intensity: 0.5, sharpness: 0.9),
    ]
    for events in [taps, mixed] {
      let together = try Self.measured(plant, events).readings
      for (index, event) in events.enumerated() {
        let alone = try Self.measured(plant, [event]).readings
        for kind: ReadingKind in [.decayError, .pulseToRing] {
          guard let truth = alone.first(where: { $0.name == ReadingName(kind) }) else { continue }
          let found = try Self.reading(together, kind, index)
          let (left, right) = (
            try #require(found.value, "\(found)"), try #require(truth.value, "\(truth)")
          )
          let spread = 3 * ((found.uncertainty ?? 0) + (truth.uncertainty ?? 0))
          let finest = kind == .decayError ? 0.2e-3 : 0.3
          #expect(abs(left - right) < spread + finest, "event \(index): \(found), alone \(truth)")
        }
      }
    }
  }
}
