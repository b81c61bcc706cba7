import Calibration
import Perception
import Profiles
import Testing

@Suite struct CalibrationTests {
  @Test func `an LRA is calibrated within the goals in under a minute of rig time`() throws {
    let rig = TestRig(modes: [testMotion(150, 10, g: 1.5)], seed: 9)
    let played = try Played(testSubject(reference: 22), rig)
    let outcome = try #require(played.procedure.outcome())
    let verification = try #require(outcome.profile.verification)
    #expect(played.seconds < 60)
    #expect(played.repeats.isEmpty, "\(played.repeats)")
    #expect(try #require(verification.level).rms <= 0.5)
    #expect(try #require(verification.level).percentile95 <= 1.1)
    #expect(try #require(verification.frequency).rms <= 0.03)
    for tap in verification.taps where tap.intensity == 1 {
      #expect(tap.tail <= 0.015, "tap at sharpness \(tap.sharpness): \(tap.tail) s")
    }
    #expect(!outcome.figures.grid.isEmpty)
    #expect(!outcome.figures.responses.isEmpty)
  }

  @Test func `the same responses give the same profile`() throws {
    let rig = TestRig(modes: [testMotion(65, 4, g: 3.4)], seed: 6)
    let subject = testSubject(kind: "vcm", continuous: 2, peak: 3)
    let first = try Played(subject, rig)
    var again = CalibrationProcedure(subject: subject)
    for (segment, response) in first.accepted {
      #expect(try again.next() == segment)
      #expect(try again.accept(response, to: segment) == .accepted)
    }
    #expect(try again.next() == nil)
    #expect(again.outcome() == first.procedure.outcome())
  }

  @Test func `no segment exceeds the limits`() throws {
    let rig = TestRig(modes: [testMotion(170, 9)], seed: 2)
    var subject = testSubject()
    subject.limits = DriveLimits(continuousVolts: 2, peakVolts: 3.2, slope: 6_000)
    for (segment, _) in try Played(subject, rig).accepted {
      #expect(segment.level <= 3.2 * 1.000_001, "\(segment.title)")
      let steps = zip(segment.volts, segment.volts.dropFirst()).map { abs($1 - $0) }
      #expect(Double(steps.max() ?? 0) <= 6_000 / 8_000 * 1.001, "\(segment.title)")
    }
  }

  @Test func `the reference level falls to what the actuator holds`() throws {
    let rig = TestRig(modes: [testMotion(240, 15, volts: 1.2, g: 0.3)], seed: 4)
    let played = try Played(testSubject(continuous: 1.2, peak: 2), rig)
    let outcome = try #require(played.procedure.outcome())
    #expect(outcome.profile.laws.referenceLevel < 25)
    #expect(outcome.notes.contains { $0.contains("reference level") })
  }
}
