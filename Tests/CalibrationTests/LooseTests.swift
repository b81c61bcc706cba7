// SPDX-License-Identifier: Apache-2.0

import Calibration
import Profiles
import Testing

/// What slips above a level is told from what strikes an end stop: the one is another each time.
@Suite struct LooseTests {
  @Test(arguments: [1.0, 2.5, 6])
  func `a sensor that slips above a level is loose`(level: Double) throws {
    let found = try #require(refusal { $0.slipping = level })
    #expect(found.code == .sensorLoose, "\(found)")
  }

  @Test func `an end stop is met alike each time and bounds the ceiling`() throws {
    var rig = TestRig(modes: [testMotion(170, 9)], seed: 5)
    rig.modes[0].stop = 0.6
    let outcome = try #require(try Played(testSubject(), rig).procedure.outcome())
    #expect(outcome.notes.contains { $0.contains("end stop") }, "\(outcome.notes)")
    let truth = testMotion(170, 9)
    let mode = try #require(outcome.profile.model.modes.first)
    #expect(abs(mode.gain.value / truth.gain - 1) < 0.01)
  }
}
