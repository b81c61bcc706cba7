// SPDX-License-Identifier: Apache-2.0

import Actuators
import Calibration
import Glibc
import Perception
import Profiles
import Testing

@Suite struct FleetTests {
  /// Plays a tone through a profile, as a renderer would, and measures it without the product's help.
  private func level(
    _ profile: CalibrationProfile, _ rig: TestRig, intensity: Double, sharpness: Double
  ) -> Double? {
    let command = DriveMap(profile: profile, fullScaleVolts: profile.actuator.limits.peakVolts)
      .command(intensity: intensity, sharpness: sharpness)
    guard command.mapping.isInside else { return nil }
    let rate = 8_000.0
    var filter = FeedForwardFilter(
      profile.feedForward, rate: rate, peakVolts: profile.actuator.limits.peakVolts)
    let step = 2 * Double.pi * command.frequency / rate
    let volts = (0..<4_000).map { frame in
      filter.advance(Float(command.command * sin(step * Double(frame))))
    }
    var rig = rig
    let response = rig.answer(
      CalibrationSegment(
        number: 99, purpose: .heldOut, title: "tone", volts: volts, rate: testSubject().rate))
    let samples = response.axes[0].samples[(response.lead + 2_400)..<(response.lead + 3_950)]
    var (real, imaginary) = (0.0, 0.0)
    let count = (1_550 * command.frequency / rate).rounded(.down) * rate / command.frequency
    for (index, sample) in samples.prefix(Int(count.rounded())).enumerated() {
      real += Double(sample) * cos(step * Double(index))
      imaginary += Double(sample) * sin(step * Double(index))
    }
    let amplitude = 2 * hypot(real, imaginary) / count.rounded()
    return profile.laws.contour.sensationLevel(acceleration: amplitude, at: command.frequency)
  }

  @Test func `unlike actuators feel alike on what both of a pair reach`() throws {
    let motions: [(TestMotion, ActuatorKind)] = [
      (testMotion(145, 10, volts: 3, g: 2.29), .lra),
      (testMotion(65, 2.5, volts: 2, g: 1.7), .vcm),
    ]
    var maps: [[Double?]] = []
    for (index, (motion, kind)) in motions.enumerated() {
      var rig = TestRig(modes: [motion], seed: UInt64(index))
      rig.noise = 0.0003
      let volts = motion.rated / 2.0.squareRoot()
      let subject = testSubject(
        kind: kind, continuous: volts, peak: 1.5 * motion.rated, reference: 20)
      let profile = try #require(try Played(subject, rig).procedure.outcome()).profile
      maps.append(
        [0.1, 0.25, 0.5, 0.75, 1].flatMap { intensity in
          [0, 0.25, 0.5, 0.7, 1].map {
            level(profile, rig, intensity: intensity, sharpness: $0)
          }
        })
    }
    for (a, first) in maps.enumerated() {
      for second in maps[(a + 1)...] {
        let differences = zip(first, second).compactMap { pair -> Double? in
          guard let x = pair.0, let y = pair.1 else { return nil }
          return x - y
        }
        let square = differences.reduce(0) { $0 + $1 * $1 } / Double(max(1, differences.count))
        #expect(differences.count >= 10)
        #expect(square.squareRoot() <= 1, "\(differences)")
      }
    }
  }
}
