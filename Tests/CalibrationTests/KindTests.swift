// SPDX-License-Identifier: Apache-2.0

import Actuators
import Calibration
import Profiles
import Testing
import Units

@Suite struct KindTests {
  @Test func `a motor is described by its curve and its start`() throws {
    var rig = TestRig(
      modes: [],
      motor: TestMotor(speed: 200, rated: 3, lag: 0.06, acceleration: 15.8, startVolts: 0.3),
      seed: 3)
    rig.axisNames = ["x", "y"]
    rig.gravity = [0, 0]
    rig.direction = [1, 0]
    let played = try Played(testSubject(kind: .erm, continuous: 3), rig)
    let profile = try #require(played.procedure.outcome()).profile
    let curve = try #require(profile.motorCurve)
    #expect(profile.model.kind == .erm)
    #expect(abs(curve.spinUpTime.value - 0.06) <= 2 * curve.spinUpTime.uncertainty)
    #expect((0.25...0.6).contains(curve.startVolts))
    for point in curve.points {
      let speed = 200 * point.volts / 3
      #expect(abs(point.frequency / speed - 1) < 0.003, "\(point)")
      let force = 15.8 * (speed / 200) * (speed / 200)
      #expect(abs(point.acceleration / force - 1) < 0.02, "\(point)")
    }
    // Its curve is proven by what it reaches as asked, not by what was mapped alone.
    let found = try #require(profile.verification)
    let inside = found.grid.filter(\.isInside)
    #expect(Set(inside.map(\.sharpness)).count >= 5 && inside.count < found.grid.count)
    #expect(found.grid.allSatisfy { $0.isHeldOut })
    let level = try #require(found.level)
    #expect(level.greatest < 0.5, "\(level)")
    let frequency = try #require(found.frequency)
    #expect(frequency.greatest < 0.05, "\(frequency)")
    #expect(Set(profile.ceiling.points.dropLast().map(\.binding)) == [.curve])
  }

  @Test func `a motor that does not turn is refused`() {
    let found = refusal(testSubject(kind: .erm, continuous: 3)) {
      $0.modes = []
      $0.motor = TestMotor(speed: 200, rated: 3, lag: 0.06, acceleration: 0, startVolts: 0.3)
    }
    #expect(found?.code == .actuatorDead)
  }

  @Test func `a motor under another name is told`() throws {
    let found = refusal(testSubject(kind: .lra, continuous: 3, peak: 4.5)) {
      $0.modes = []
      $0.motor = TestMotor(speed: 200, rated: 3, lag: 0.06, acceleration: 15.8, startVolts: 0.3)
    }
    #expect(found?.code == .actuatorKind)
    #expect(found?.description.contains("kind: erm") == true)
  }

  @Test func `a resonance under the name of a motor is told`() {
    let found = refusal(testSubject(kind: .erm, continuous: 3)) { _ in }
    #expect(found?.code == .actuatorKind)
    #expect(found?.description.contains("170") == true, "\(String(describing: found))")
  }

  @Test func `a piezo that shakes beyond the sensor is swept with less`() throws {
    var rig = TestRig(
      modes: [TestMotion(frequency: 1_500, q: 20, gain: 480, rated: 12_000)], seed: 4)
    rig.fullScale = 500
    var subject = testSubject(kind: .piezo, continuous: 85, peak: 120)
    subject.rate = .standard
    let played = try Played(subject, rig, until: .heldOut)
    let profile = try #require(played.procedure.preview)
    let mode = try #require(profile.model.modes.first)
    #expect(profile.model.kind == .piezo)
    #expect(abs(mode.f0.value / 1_500 - 1) < 0.003)
    // 120 V at 230 Hz: (g / Q) (f / f0)^2 / (1 - (f / f0)^2).
    let ratio = 230.0 / 1_500
    let truth = 24 * ratio * ratio / (1 - ratio * ratio) * 0.98 * 120
    #expect(abs(profile.ceiling.acceleration(at: 230) / truth - 1) < 0.03)
    let sweeps = played.accepted.filter { $0.segment.purpose == .level }
    #expect(sweeps.allSatisfy { $0.segment.level < 1 })
  }

  @Test func `a piezo far below its resonance has a gain at 200 Hz`() throws {
    let motion = TestMotion(frequency: 5_000, q: 12, gain: 9_000, rated: 6_000)
    let rig = TestRig(modes: [motion], seed: 4)
    var subject = testSubject(kind: .piezo, continuous: 42, peak: 60)
    subject.rate = .standard
    let played = try Played(subject, rig, until: .grid)
    let model = try #require(played.procedure.identified)
    #expect(model.kind == .piezo)
    let ratio = 200.0 / 5_000
    let truth = 9_000 / 12 * ratio * ratio
    #expect(abs((model.piezoGain?.value ?? 0) / truth - 1) < 0.02)
  }

  @Test func `a piezo far below its resonance is calibrated to the end, and another one told`()
    throws
  {
    let motion = TestMotion(frequency: 5_000, q: 12, gain: 9_000, rated: 6_000)
    var subject = testSubject(kind: .piezo, continuous: 42, peak: 60)
    subject.rate = .standard
    let played = try Played(subject, TestRig(modes: [motion], seed: 4))
    let profile = try #require(played.procedure.outcome()).profile
    let level = try #require(profile.verification?.level)
    #expect(level.greatest < 0.5, "\(level)")
    let closing = try #require(played.accepted.last).segment
    #expect(closing.purpose == .closing)
    let other = TestMotion(frequency: 5_000, q: 12, gain: 14_000, rated: 6_000)
    var exchanged = TestRig(modes: [motion], seed: 4)
    exchanged.swap = (closing.number, [other])
    let found = #expect(throws: CalibrationRefusal.self) { try Played(subject, exchanged) }
    #expect(found?.code == .actuatorSwapped, "\(String(describing: found))")
  }

  @Test func `a piezo whose resonance can be seen has a mode`() throws {
    let motion = TestMotion(frequency: 1_200, q: 12, gain: 40, rated: 600)
    var subject = testSubject(kind: .piezo, continuous: 42, peak: 60)
    subject.rate = .standard
    let played = try Played(subject, TestRig(modes: [motion], seed: 4), until: .grid)
    let model = try #require(played.procedure.identified)
    #expect(abs((model.modes.first?.f0.value ?? 0) / 1_200 - 1) < 0.003)
  }
}
