// SPDX-License-Identifier: Apache-2.0

import Actuators
import Calibration
import Profiles
import Testing

@Suite struct CheckTests {
  /// One calibration for all checks.
  private static let calibrated = Result { () throws(CalibrationRefusal) in
    try Played(testSubject(), TestRig(modes: [testMotion(170, 9)], seed: 5)).procedure.outcome()
  }

  /// Runs a check on a rig against the profile of another.
  private func check(_ change: (inout TestRig) -> Void) throws -> (CalibrationCheck.Outcome, Double)
  {
    let outcome = try #require(try Self.calibrated.get())
    var now = TestRig(modes: [testMotion(170, 9)], seed: 6)
    change(&now)
    var check = CalibrationCheck(subject: testSubject(), profile: outcome.profile)
    var seconds = 0.0
    while let segment = try check.next() {
      seconds += segment.duration
      _ = try check.accept(now.answer(segment), to: segment)
    }
    return (try #require(check.outcome()), seconds)
  }

  @Test func `an unchanged actuator has not drifted, in under 5 s`() throws {
    let (outcome, seconds) = try check { _ in }
    #expect(!outcome.hasDrifted, "\(outcome.findings)")
    #expect(seconds < 5)
    #expect(Set(outcome.findings.map(\.name)) == ["f0", "q", "gain", "latency", "noise"])
  }

  @Test func `a resonance that moved by one percent has drifted`() throws {
    let (outcome, _) = try check { $0.modes = [testMotion(171.7, 9)] }
    #expect(outcome.findings.first { $0.name == "f0" }?.verdict == .drifted)
    #expect(outcome.summary.contains("f0"))
  }

  @Test func `noise counts by how far it has moved from the profile's`() throws {
    let calibrated = try #require(try Self.calibrated.get()).profile
    let noise = try #require(calibrated.noise)
    #expect(noise.value > 0 && noise.uncertainty > 0 && noise.uncertainty < 0.2 * noise.value)
    func finding(_ factor: Double) throws -> CalibrationCheck.Finding {
      let (outcome, _) = try check { $0.noise *= factor }
      return try #require(outcome.findings.first { $0.name == "noise" })
    }
    let same = try finding(1)
    #expect(same.expected == noise.value && same.expectedUncertainty == noise.uncertainty)
    #expect(abs(same.sigmas) < 2 && same.verdict == .same)
    let louder = try finding(2)
    #expect(louder.sigmas > 4 && louder.verdict == .drifted)
    // A quieter room is no fault, but it is shown.
    let quieter = try finding(0.5)
    #expect(quieter.sigmas < -2 && quieter.verdict == .same)
  }

  @Test func `another actuator's profile is refused`() throws {
    let outcome = try #require(try Self.calibrated.get())
    var subject = testSubject()
    subject.actuator.id = "unit-2"
    var check = CalibrationCheck(subject: subject, profile: outcome.profile)
    #expect(throws: CalibrationRefusal.self) { try check.next() }
  }
}
