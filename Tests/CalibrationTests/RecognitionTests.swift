// SPDX-License-Identifier: Apache-2.0

import Calibration
import Testing

/// A calibration that was stopped makes sure what is on the rig before it goes on.
@Suite struct RecognitionTests {
  /// A calibration that was stopped before its ceiling, with the rig as it was.
  private static let stopped = Result { () throws(CalibrationRefusal) in
    try Played(testSubject(), TestRig(modes: [testMotion(170, 9)], seed: 5), until: .grid)
  }

  private func verdict(_ change: (inout TestRig) -> Void) throws -> SegmentVerdict {
    let played = try Self.stopped.get()
    let segment = try #require(played.procedure.recognition())
    #expect(segment.duration < 2 && segment.level < 0.3)
    var rig = played.rig
    change(&rig)
    return try played.procedure.recognize(rig.answer(segment), to: segment)
  }

  private func code(_ change: (inout TestRig) -> Void) throws -> CalibrationRefusal.Code? {
    do {
      _ = try verdict(change)
      return nil
    } catch let refusal as CalibrationRefusal {
      return refusal.code
    }
  }

  @Test func `the same actuator is known again`() throws {
    #expect(try verdict { _ in } == .accepted)
  }

  @Test func `another actuator is not gone on with`() throws {
    #expect(try code { $0.modes = [testMotion(180, 9)] } == .actuatorSwapped)
    #expect(try code { $0.modes = [testMotion(170, 9, g: 1.4)] } == .actuatorSwapped)
    #expect(try code { $0.modes = [testMotion(172, 9)] } == .actuatorDrift)
    #expect(try code { $0.modes[0].gain = 1e-9 } == .actuatorDead)
  }

  @Test func `nothing is asked before anything was measured, or after all was`() throws {
    let fresh = CalibrationProcedure(subject: testSubject())
    #expect(fresh.recognition() == nil)
    let early = try Played(
      testSubject(), TestRig(modes: [testMotion(170, 9)], seed: 5), until: .wake)
    #expect(early.procedure.recognition() == nil)
    let begun = try Played(
      testSubject(), TestRig(modes: [testMotion(170, 9)], seed: 5), until: .smallSignal)
    let segment = try #require(begun.procedure.recognition())
    var other = begun.rig
    other.modes = [testMotion(140, 9)]
    #expect(throws: CalibrationRefusal.self) {
      try begun.procedure.recognize(other.answer(segment), to: segment)
    }
  }
}
