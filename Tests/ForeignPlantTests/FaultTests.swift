// SPDX-License-Identifier: Apache-2.0

import ForeignPlant
import Foundation
import ScratchFolder
import Testing

private let obstacle = Comment(rawValue: ForeignPlant.obstacle ?? "")

/// What faults and imperfections do to a take.
@Suite(.disabled(if: ForeignPlant.obstacle != nil, obstacle))
struct FaultTests {
  /// Half a second of resonance at a fifth of full scale.
  private func take(
    _ parameters: String..., capture: [String] = ["z"], seconds: Double = 0.6
  ) throws -> [[Double]] {
    var plant = ForeignPlant("coinZ-170")
    plant.parameters = ForeignPlant.quiet + ["bandwidth=0"] + parameters
    return try plant.play(
      Tone.sine(170, amplitude: 0.2, seconds: seconds), capture: capture)
  }

  private func loudness(_ samples: [Double], _ range: ClosedRange<Double>) -> Double {
    let part = samples[Int(range.lowerBound * 48_000)..<Int(range.upperBound * 48_000)]
    let mean = part.reduce(0, +) / Double(part.count)
    return (part.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(part.count)).squareRoot()
  }

  @Test(arguments: ["stuck-at=0.3", "dead-at=0.3", "exit-at=0.3"])
  func `an actuator or program ends at its time`(_ fault: String) throws {
    guard fault != "exit-at=0.3" else {
      #expect(throws: ForeignPlant.Failure.self) { try take(fault) }
      return
    }
    let z = try take(fault)[0]
    #expect(loudness(z, 0.2...0.3) > 1)
    #expect(loudness(z, 0.5...0.6) < 1e-3)
  }

  /// Against its closed form, in which nothing of the program is used.
  @Test(arguments: [120.0, 170, 200, 208, 212, 230, 400])
  func `a part of the fixture rings beside the actuator`(_ frequency: Double) throws {
    let (f0, q, share) = (210.0, 25.0, 0.15)
    let drive = Tone.sine(frequency, amplitude: 0.05, seconds: 1.2)
    var plant = ForeignPlant("coinZ-170")
    plant.parameters = ForeignPlant.quiet + ["bandwidth=0", "linear=1"]
    let alone = Tone(try plant.play(drive, capture: ["z"])[0], frequency)
    plant.parameters += ["fixture=\(f0)", "fixture-q=\(q)", "fixture-mass=\(share)"]
    let shaken = Tone(try plant.play(drive, capture: ["z"])[0], frequency)
    // (s^2 + (1 - r)(w/q s + w^2)) / (s^2 + w/q s + w^2) at s = j x w.
    let x = frequency / f0
    func size(_ part: Double) -> Double { hypot(part - x * x, part * x / q) }
    let expected = size(1 - share) / size(1)
    #expect(abs(shaken.amplitude / alone.amplitude / expected - 1) < 0.003, "\(expected)")
  }

  @Test func `another actuator stands there after the swap`() throws {
    let z = try take("swap-at=0.3", "swap=linX-170")[0]
    let (before, after) = (loudness(z, 0.2...0.3), loudness(z, 0.5...0.6))
    #expect(abs(after / before - 2) < 0.02, "\(after / before)")
  }

  @Test func `a sensor tells gravity by how it lies`() throws {
    let mean = { (samples: [Double]) in samples.reduce(0, +) / Double(samples.count) }
    let still = ["polarity=1", "full-scale=0"]
    let upright = try take(still[0], still[1], "gravity=1")[0]
    #expect(abs(mean(upright) - 9.80665) < 1e-4)
    let upside = try take(still[0], still[1], "gravity=1", "upside-down=1")[0]
    #expect(abs(mean(upside) + 9.80665) < 1e-4)
    let mixed = try take(still[0], still[1], "gravity=1", "sensor-scale=0.101971621")[0]
    #expect(abs(mean(mixed) - 1) < 1e-4)
    let lying = try take(
      still[0], still[1], "gravity=1", "orientation=-x", capture: ["x", "z"])
    #expect(abs(mean(lying[0]) + 9.80665) < 1e-4)
    #expect(abs(mean(lying[1])) < 1e-4)
  }

  @Test func `upside down and wrong axis turn what moves`() throws {
    let right = try take(capture: ["z", "y"])
    let turned = try take("upside-down=1")[0]
    #expect(abs(turned[20_000] + right[0][20_000]) < 1e-6)
    let wrong = try take("wrong-axis=1", capture: ["z", "y"])
    #expect(loudness(wrong[0], 0.3...0.6) < 1e-6)
    #expect(abs(wrong[1][20_000] - right[0][20_000]) < 1e-6)
  }

  @Test func `a sensor clips, hums, rattles and hears a door`() throws {
    #expect(try take("sensor-clip=1")[0].allSatisfy { abs($0) <= 1 })
    let hum = Tone(try take("hum=0.5")[0], 50, seconds: 0.5)
    #expect(abs(hum.amplitude - 0.5) < 0.01)
    let clean = try take()[0]
    let loose = try take("loose=1")[0]
    let differs = zip(clean, loose).map { $0 - $1 }
    #expect(loudness(differs, 0.3...0.6) > 0.2 * loudness(clean, 0.3...0.6))
    let door = zip(clean, try take("slam=0.3,0.5")[0]).map { $0 - $1 }
    #expect(loudness(door, 0.2...0.29) < 1e-6)
    #expect(loudness(door, 0.3...0.35) > 5)
    #expect(loudness(door, 0.5...0.55) > 5)
  }

  @Test func `an amplifier clips and a channel may be crossed`() throws {
    let volts = try take("amplifier-clip=0.5", capture: ["voltage"])[0]
    #expect(abs(try #require(volts.max()) - 0.5) < 0.02)
    var plant = ForeignPlant("coinZ-170", "crossed=2")
    plant.parameters += ForeignPlant.quiet
    let tone = Tone.sine(170, amplitude: 0.2, seconds: 0.6)
    let none = [Double](repeating: 0, count: tone.count)
    let haptic = try plant.play(haptic: tone, audio: none, reference: tone, capture: ["z"])
    #expect(loudness(haptic[0], 0.3...0.6) == 0)
    let audio = try plant.play(haptic: none, audio: tone, reference: tone, capture: ["z"])
    #expect(loudness(audio[0], 0.3...0.6) > 1)
  }

  @Test func `the reference may come off`() throws {
    let reference = try take("unplug-at=0.3", capture: ["reference"])[0]
    #expect(loudness(reference, 0.2...0.3) > 0.1)
    #expect(loudness(reference, 0.31...0.6) == 0)
  }

  @Test func `a faster capture clock stretches what it captures`() throws {
    let drive = Tone.sine(1000, amplitude: 0.5, seconds: 2)
    var plant = ForeignPlant("coinZ-170", "drift=200")
    plant.parameters += ForeignPlant.quiet
    let reference = try plant.play(drive, capture: ["reference"])[0]
    let (early, late) = (
      Tone(Array(reference[..<48_000]), 1000, seconds: 0.1), Tone(reference, 1000, seconds: 0.1)
    )
    let later = early.delay(of: late, 1000, near: 200e-6)
    #expect(abs(later - 200e-6) < 0.2e-6, "\(later) s in 1 s")
  }

  @Test func `rig time goes on from take to take, and each start has its own jitter`() throws {
    let folder = try ScratchFolder()
    var plant = ForeignPlant(
      "coinZ-170", "stuck-at=0.9", "jitter=0.05", "state=\(folder.file("state"))")
    plant.parameters += ForeignPlant.quiet
    let drive = Tone.sine(170, amplitude: 0.2, seconds: 0.6)
    let first = try plant.play(drive, capture: ["z", "reference"])
    let second = try plant.play(drive, capture: ["z", "reference"])
    #expect(loudness(first[0], 0.5...0.6) > 1)
    #expect(loudness(second[0], 0.5...0.6) < 1e-3)
    let delay = Tone(first[1], 170).delay(of: Tone(second[1], 170), 170, near: 0)
    #expect(abs(delay) > 1e-7 && abs(delay) < 1e-3, "\(delay) s")
  }

  @Test func `noise has the density that it is given`() throws {
    let z = try take("noise=75", "full-scale=0", seconds: 2)[0]
    let expected = 75e-6 * 9.80665 * 24_000.0.squareRoot()
    #expect(abs(loudness(z, 0.1...1.9) / expected - 1) < 0.02)
  }

  @Test(arguments: [
    "resonance=170", "f0=", "f0=1,2", "direction=1", "plant=none", "drive-delay=0 ",
  ])
  func `a parameter that is not understood is refused`(_ word: String) throws {
    var plant = ForeignPlant("coinZ-170")
    plant.parameters = [word]
    if word.hasPrefix("plant") { plant.name = "none" }
    #expect(throws: ForeignPlant.Failure.self) { try plant.truth() }
  }
}
