// SPDX-License-Identifier: Apache-2.0

import Glibc
import Profiles
import SignalAnalysis
import Testing

@testable import Calibration

/// How the sensor stands, what hangs on which wire, and what is not told.
@Suite struct WiringTests {
  /// A rig of which nothing more is told than must be.
  private static let plain = Result { () throws(CalibrationRefusal) in
    try Played(testSubject(), TestRig(modes: [testMotion(170, 9)], seed: 5)).procedure.outcome()
  }

  /// One that feels gravity, whose sensor's corner is told, and whose clock was off.
  private static let told = Result { () throws(CalibrationRefusal) in
    var rig = TestRig(modes: [testMotion(170, 9)], seed: 5)
    var subject = testSubject()
    rig.gravity = [9.80665]
    rig.takenClock = -0.0213
    rig.bandwidth = 1_000
    subject.sensorBandwidth = 1_000
    return try Played(subject, rig).procedure.outcome()
  }

  /// The model before the ceiling is searched.
  private func model(
    _ subject: CalibrationSubject = testSubject(), _ change: (inout TestRig) -> Void
  ) throws -> ActuatorModel {
    var rig = TestRig(modes: [testMotion(170, 9)], seed: 5)
    change(&rig)
    return try #require(try Played(subject, rig, until: .grid).procedure.identified)
  }

  @Test(arguments: [(30.0, "30 degrees"), (20, "20 degrees"), (60, "60 degrees")])
  func `a tilted sensor of one axis is refused by its angle`(tilt: Double, angle: String) {
    let found = refusal {
      $0.direction = [cos(tilt * .pi / 180)]
      $0.gravity = [9.80665 * cos(tilt * .pi / 180)]
    }
    #expect(found?.code == .sensorTilt)
    #expect(found?.description.contains(angle) == true, "\(found?.description ?? "")")
  }

  @Test func `a sensor that reads too much of gravity has a wrong scale`() {
    let found = refusal {
      $0.gravity = [9.80665]
      $0.scale = 1.08
    }
    #expect(found?.code == .sensorUnits)
    #expect(found?.description.contains("1.08") == true)
  }

  @Test func `a sensor that gravity alone drives to its end clips`() {
    let found = refusal {
      $0.gravity = [3]
      $0.isConstant = true
    }
    #expect(found?.code == .sensorClipped)
  }

  @Test func `a small tilt is borne and its uncertainty covers it`() throws {
    let cosine = cos(10 * Double.pi / 180)
    let found = try model {
      $0.direction = [cosine]
      $0.gravity = [9.80665 * cosine]
    }
    let gain = try #require(found.modes.first?.gain)
    let truth = testMotion(170, 9).gain
    #expect(abs(gain.value - truth) < 2 * gain.uncertainty)
    #expect(gain.uncertainty > 0.014 * truth)
  }

  @Test func `a certificate of five percent bears six percent of gravity`() throws {
    var subject = testSubject()
    subject.sensorUncertainty = 0.05
    var rig = TestRig(modes: [testMotion(170, 9)], seed: 5)
    rig.gravity = [9.80665]
    rig.scale = 0.94
    #expect(throws: Never.self) { try Played(subject, rig, until: .smallSignal) }
  }

  @Test func `what is not told, and what is, stands in the notes`() throws {
    let plain = try #require(try Self.plain.get()).notes
    let told = try #require(try Self.told.get()).notes
    for words in ["does not show gravity", "sensor's bandwidth"] {
      #expect(plain.contains { $0.contains(words) }, "\(plain)")
      #expect(!told.contains { $0.contains(words) }, "\(told)")
    }
    #expect(told.contains { $0.contains("21300") && $0.contains("slow") }, "\(told)")
    #expect(!plain.contains { $0.contains("clock") }, "\(plain)")
  }

  @Test func `three axes measure an oblique motion along its own direction`() throws {
    let found = try model {
      $0.axisNames = ["x", "y", "z"]
      $0.direction = [1, 1, -1].map { $0 / 3.0.squareRoot() }
      $0.gravity = [0, 0, 9.80665]
    }
    let gain = try #require(found.modes.first?.gain.value)
    #expect(abs(gain / testMotion(170, 9).gain - 1) < 0.01)
  }

  @Test func `two axes do not see an oblique motion whole`() throws {
    let found = try #require(
      refusal {
        $0.axisNames = ["z", "x"]
        $0.direction = [0.6, 0.8]
        $0.gravity = [0, 0]
      })
    #expect(found.code == .sensorAxis)
    #expect(found.description.contains(" % along z and 7"), "\(found)")
  }

  @Test func `a weak motion on one axis may be one across it`() throws {
    let found = try #require(refusal { $0.modes = [testMotion(170, 9, g: 0.06)] })
    #expect(found.code == .actuatorLimit)
    #expect(found.description.contains("across the sensor's only axis, z"), "\(found)")
  }

  @Test func `an actuator on the reference's output is told`() throws {
    let found = try #require(refusal { $0.isOnReference = true })
    #expect(found.code == .channelCrossed)
    #expect(found.description.contains("reference"), "\(found)")
  }

  @Test(arguments: [9.80665, 1 / 9.80665])
  func `units that an earlier profile contradicts are refused where gravity is not shown`(
    factor: Double
  ) throws {
    var subject = testSubject()
    subject.earlier = try #require(try Self.plain.get()).profile
    let found = refusal(subject) {
      $0.scale = factor
      $0.noise /= factor
    }
    #expect(found?.code == .sensorUnits, "\(found?.description ?? "none")")
    #expect(found?.description.contains("2026-01-01") == true)
    // Another actuator may well be ten times as strong.
    #expect(throws: Never.self) { try model(subject) { $0.modes = [testMotion(110, 9, g: 10.3)] } }
  }

  @Test func `without a reference there is no delay after it`() throws {
    var subject = testSubject()
    subject.hasReference = false
    #expect(try model(subject) { $0.hasReference = false }.delay == nil)
    var profile = try #require(try Self.plain.get()).profile
    profile.model.delay = nil
    profile.source.hash = String(repeating: "0", count: 64)
    let again = try CalibrationProfile(parsing: Array(profile.text.utf8))
    #expect(again.model.delay == nil)
  }

  @Test func `a bandwidth that is not told widens the delay and the gain`() throws {
    let known = try #require(try Self.told.get()).profile.model
    let unknown = try model { $0.bandwidth = 1_000 }
    let (narrow, wide) = (try #require(known.delay), try #require(unknown.delay))
    #expect(narrow.uncertainty < 6e-5 && wide.uncertainty > 2e-4)
    #expect(abs(narrow.value - 0.0007) < 2e-5)
    #expect(abs(wide.value - 0.0007) < 2 * wide.uncertainty)
    let gain = try #require(unknown.modes.first?.gain)
    #expect(abs(gain.value - testMotion(170, 9).gain) < 2 * gain.uncertainty)
  }

  @Test func `a comparison takes the place of a bandwidth that is not told`() throws {
    var subject = testSubject()
    func lines() -> [String] {
      Findings(subject: subject).sensorLines.map(\.name)
    }
    func delay() -> Double? {
      var known = Findings(subject: subject)
      known.piezo = PiezoFindings(
        gain: Estimate(1, uncertainty: 0.001), delay: Estimate(0.001, uncertainty: 1e-7), level: 1)
      return known.model.delay?.uncertainty
    }
    #expect(lines() == ["sensor sensitivity", "sensor flatness, bandwidth not given"])
    #expect(try #require(delay()) > 2e-4)
    (subject.sensorIsCompared, subject.sensorDelayUncertainty) = (true, 3e-6)
    #expect(lines() == ["sensor sensitivity"])
    // Half a frame of 125 us, held evenly to either side, is left.
    #expect(abs(try #require(delay()) - 36.2e-6) < 0.2e-6)
  }

  @Test(arguments: [(0.041, "4.1 % fast"), (-0.0813, "8.13 % slow")])
  func `a clock that is too far off is named`(clock: Double, words: String) {
    let found = refusal { $0.takenClock = clock }
    #expect(found?.code == .sensorRate)
    #expect(found?.description.contains(words) == true, "\(found?.description ?? "")")
  }

  @Test func `noise on the reference is not called a wrong scale`() {
    #expect(refusal { $0.referenceNoise = 0.3 }?.code == .referenceNoise)
  }
}
