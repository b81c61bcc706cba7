// SPDX-License-Identifier: Apache-2.0

import Actuators
import Calibration
import Profiles
import Testing

@Suite struct NonlinearityTests {
  /// An LRA behind an amplifier that the reference does not see.
  private func rig(clippingAt volts: Double) -> TestRig {
    var rig = TestRig(modes: [testMotion(170, 9)], seed: 5)
    rig.amplifierPeak = volts
    rig.referenceIsBeforeAmplifier = true
    return rig
  }

  @Test(arguments: [0.12, 1.0, 2.5])
  func `an amplifier that clips below what may last is named by its third harmonic`(
    volts: Double
  ) throws {
    let found = try #require(refusal { $0 = rig(clippingAt: volts) })
    #expect(found.code == .amplifierClipping, "\(found)")
    #expect(found.description.contains("third harmonic"), "\(found)")
  }

  @Test func `an amplifier that clips below the peak narrows the profile's limits`() throws {
    let subject = testSubject(continuous: 2.5, peak: 5)
    let played = try Played(subject, rig(clippingAt: 4.2), until: .taps)
    let limits = try #require(played.procedure.preview).actuator.limits
    #expect((4.05...4.2).contains(limits.peakVolts), "\(limits)")
    #expect(limits.continuousVolts == subject.actuator.limits.continuousVolts)
    // Hardly above what may last: the highest sweep is more than the amplifier gives, and no level of it.
    let near = try Played(
      testSubject(continuous: 2.95, peak: 6), rig(clippingAt: 4.13), until: .taps)
    let profile = try #require(near.procedure.preview)
    #expect(
      profile.model.levels.allSatisfy { $0.drive <= profile.actuator.limits.peakVolts },
      "\(profile.actuator.limits)")
    let free = try Played(subject, TestRig(modes: [testMotion(170, 9)], seed: 5), until: .taps)
    #expect(try #require(free.procedure.preview).actuator.limits == subject.actuator.limits)
  }

  @Test(arguments: [0.25, 0.6])
  func `an end stop ends the ceiling below it`(share: Double) throws {
    var rig = TestRig(modes: [testMotion(170, 9)], seed: 5)
    rig.modes[0].stop = share
    let played = try Played(testSubject(), rig, until: .taps)
    let ceiling = try #require(played.procedure.preview).ceiling
    // The mount's acceleration is (g / Q) x'', and full travel is Q rated / w^2.
    let motion = rig.modes[0]
    let w = 2 * Double.pi * motion.frequency
    let stop = share * motion.gain * motion.rated / (w * w)
    let travel = try #require(ceiling.travel)
    #expect((0.4 * stop...stop).contains(travel), "\(travel), \(stop)")
    for point in ceiling.points {
      let place = 2 * Double.pi * point.frequency
      #expect(point.acceleration / (place * place) < 1.02 * stop, "\(point)")
    }
  }

  @Test func `a mass that can hardly move is refused by the name of its end stop`() {
    #expect(refusal { $0.modes[0].stop = 0.045 }?.code == .actuatorEndstop)
  }

  @Test(arguments: [0.5, -0.3])
  func `a spring that is not linear is no end stop and no clipping amplifier`(
    hardening: Double
  ) throws {
    let rig = TestRig(modes: [testMotion(170, 9, hardening: hardening)], seed: 5)
    let subject = testSubject(continuous: 2.5, peak: 5)
    let played = try Played(subject, rig, until: .taps)
    let profile = try #require(played.procedure.preview)
    #expect(profile.actuator.limits == subject.actuator.limits)
    #expect(profile.ceiling.travel == nil)
  }

  @Test func `a drift from the beginning on is not another actuator`() {
    let found = refusal {
      $0.gainDrift = -0.005
      $0.frequencyDrift = -0.000_6
    }
    #expect(found?.code == .actuatorDrift, "\(String(describing: found))")
  }
}
