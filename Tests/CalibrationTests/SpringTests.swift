// SPDX-License-Identifier: Apache-2.0

import Actuators
import Calibration
import Glibc
import Profiles
import Testing

/// Slim actuators of a high Q, whose spring moves the resonance by more than its width.
@Suite struct SpringTests {
  private func motion(_ q: Double, _ hardening: Double, loss: Double = 0.1) -> TestMotion {
    testMotion(150, q, g: 1.5, hardening: hardening, loss: loss)
  }

  /// The h that a free ring-down shows, in 1/m2: its frequency follows its amplitude by f0 (1 + 3/8 h y^2).
  ///
  /// No drive and no model is part of it: zeros of the motion are counted while it dies away.
  private func ringDown(_ motion: TestMotion) -> Double {
    var motion = motion
    let (rate, f0) = (48_000.0, motion.frequency)
    let w0 = 2 * Double.pi * f0
    let drive = { (time: Double) in time < 0.4 ? 2.5 * sin(w0 * time) : 0 }
    var (zeros, squares): ([Double], [Double]) = ([], [])
    var (last, high, low) = (0.0, 0.0, 0.0)
    for frame in 0..<Int(1.2 * rate) {
      let (a, b) = (Double(frame) / rate, (Double(frame) + 1) / rate)
      _ = motion.step(drive(a), drive((a + b) / 2), drive(b), length: 1 / rate)
      // The mount moves in proportion to the mass.
      let moved = motion.gain / motion.q * motion.x
      if a > 0.45, last < 0, moved >= 0 {
        zeros.append(a - moved / (moved - last) / rate)
        // Both swings of a period together are those of its middle.
        squares.append(-high * low)
        (high, low) = (0, 0)
      }
      (high, low) = (max(high, moved), min(low, moved))
      last = moved
    }
    // f over y^2, by a straight line.
    let points = zip(zip(zeros, zeros.dropFirst()), squares.dropFirst()).map { pair, square in
      (square: square, frequency: 1 / (pair.1 - pair.0))
    }
    let count = Double(points.count)
    let x = points.reduce(0) { $0 + $1.square } / count
    let y = points.reduce(0) { $0 + $1.frequency } / count
    let (products, sum) = points.reduce((0.0, 0.0)) { sums, point in
      let distance = point.square - x
      return (sums.0 + distance * (point.frequency - y), sums.1 + distance * distance)
    }
    return products / sum / f0 / 0.375
  }

  /// The h of a plant, by how it is made: its spring is stiffer by a share at full travel.
  private func made(_ motion: TestMotion) -> Double {
    let w = 2 * Double.pi * motion.frequency
    let travel = motion.gain * motion.rated / (w * w)
    return motion.hardening / (travel * travel)
  }

  @Test(arguments: [(35.0, 0.2), (60, 0.1), (60, 0.2), (60, -0.1)])
  func `sweeps find the spring that a ring-down shows`(q: Double, hardening: Double) throws {
    let motion = motion(q, hardening)
    let played = try Played(
      testSubject(peak: 5), TestRig(modes: [motion], seed: 11), until: .grid)
    let profile = try #require(played.procedure.preview)
    let spring = try #require(profile.feedForward.spring)
    let truth = made(motion)
    #expect(spring.uncertainty < 0.05 * abs(truth), "\(spring)")
    #expect(abs(spring.value - truth) < 3 * spring.uncertainty, "\(spring), \(truth)")
    // Beyond the first order of the amplitude there is a hundredth more.
    let shown = ringDown(motion)
    #expect(
      abs(spring.value - shown) < 3 * spring.uncertainty + 0.02 * abs(shown), "\(spring), \(shown)")
  }

  @Test(arguments: [(60.0, 0.0), (12, 0.1), (24, -0.1)])
  func `a spring that does not matter is no part of a profile`(q: Double, hardening: Double) throws
  {
    let played = try Played(
      testSubject(peak: 5), TestRig(modes: [motion(q, hardening)], seed: 11), until: .grid)
    let profile = try #require(played.procedure.preview)
    #expect(profile.feedForward.spring == nil)
    #expect(!profile.text.contains("spring"))
  }

  @Test(arguments: [(-0.1, nil), (0.2, nil), (0.2, 0.6)] as [(Double, Double?)])
  func `a Q of 60 is calibrated within the goals`(hardening: Double, stop: Double?) throws {
    var motion = motion(60, hardening, loss: 0.2)
    motion.stop = stop
    let outcome = try #require(
      try Played(testSubject(peak: 5), TestRig(modes: [motion], seed: 5)).procedure.outcome())
    let verification = try #require(outcome.profile.verification)
    #expect(outcome.profile.feedForward.spring != nil)
    #expect(try #require(verification.level).rms < 0.5)
    #expect(try #require(verification.level).percentile95 < 1.1)
    let pattern = try #require(verification.pattern)
    #expect(pattern.envelope.rms < 1, "\(pattern)")
    let held = verification.grid.filter { $0.isHeldOut && $0.isInside }
    #expect(held.allSatisfy { abs($0.level - $0.targetLevel) < 0.5 }, "\(held)")
    // Read again it is the same, and drives alike.
    var profile = outcome.profile
    profile.source.hash = String(repeating: "00ff", count: 16)
    let text = profile.text
    #expect(try CalibrationProfile(parsing: Array(text.utf8)).text == text)
  }
}
