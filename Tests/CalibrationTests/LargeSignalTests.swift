// SPDX-License-Identifier: Apache-2.0

import Actuators
import Calibration
import Profiles
import Testing

/// Actuators that are driven so far that spring, magnet or stop are felt.
@Suite struct LargeSignalTests {
  private func expectTapsAsWanted(_ outcome: CalibrationOutcome) {
    for tap in outcome.figures.taps {
      let peaks = [tap.wanted, tap.measured].map { $0.map(abs).max() ?? 0 }
      let sizes = [tap.wanted, tap.measured].map { $0.reduce(0) { $0 + $1 * $1 }.squareRoot() }
      guard tap.noise < 0.03 * peaks[0] else { continue }
      let place = "\(tap.intensity), \(tap.sharpness)"
      #expect(abs(peaks[1] / peaks[0] - 1) < 0.1, "\(peaks[1]) of \(peaks[0]) m/s2 at \(place)")
      #expect((0.89...1.12).contains(sizes[1] / sizes[0]), "\(sizes) at \(place)")
    }
  }

  @Test(arguments: [12.0, 24], [(-0.1, 0.1), (0.1, 0.2)])
  func `taps on a resonance that its spring moves are as wanted`(
    q: Double, curve: (hardening: Double, loss: Double)
  ) throws {
    let rig = TestRig(
      modes: [testMotion(150, q, g: 2, hardening: curve.hardening, loss: curve.loss)], seed: 5)
    let outcome = try #require(try Played(testSubject(peak: 5), rig).procedure.outcome())
    #expect(outcome.figures.taps.count == 6)
    expectTapsAsWanted(outcome)
  }

  @Test(arguments: [(0.1, 0.15), (0.0, 0.3), (0.2, 0.3)])
  func `a magnet that weakens below a broad resonance is no amplifier that clips`(
    hardening: Double, loss: Double
  ) throws {
    let rig = TestRig(
      modes: [testMotion(150, 2, g: 0.8, hardening: hardening, loss: loss)], seed: 5)
    let played = try Played(testSubject(peak: 5), rig, until: .taps)
    let profile = try #require(played.procedure.preview)
    #expect(profile.actuator.limits.peakVolts == 5)
  }

  @Test func `taps that strike a stop which no steady tone reaches keep to the travel of tones`()
    throws
  {
    // Full travel is that of the resonance; the peak is 1.6 times what may last.
    var rig = TestRig(modes: [testMotion(150, 2, g: 0.8, loss: 0)], seed: 5)
    rig.modes[0].stop = 1.2
    let outcome = try #require(
      try Played(testSubject(peak: 5.6), rig).procedure.outcome())
    #expect(outcome.notes.contains { $0.contains("struck an end stop") }, "\(outcome.notes)")
    expectTapsAsWanted(outcome)
  }
}
