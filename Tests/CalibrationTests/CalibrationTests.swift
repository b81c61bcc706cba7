// SPDX-License-Identifier: Apache-2.0

import Actuators
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
    let strong = verification.taps.filter { $0.intensity == 1 }
    // Noise may hide the tail of the weakest.
    #expect(strong.count { $0.tail == nil } <= 1, "\(strong)")
    for tap in strong { #expect(tap.tail ?? 0 <= 0.015, "\(tap)") }
    let pattern = try #require(verification.pattern)
    #expect(pattern.envelope.rms <= 1 && pattern.duration > 0.3, "\(pattern)")
    #expect(!outcome.figures.grid.isEmpty)
    #expect(!outcome.figures.responses.isEmpty)
    let coherence = outcome.figures.coherence.flatMap { curve in
      zip(curve.x, curve.y).filter { 80...230 ~= $0.0 }.map(\.1)
    }
    #expect(coherence.count >= 8 && coherence.max() ?? 0 > 0.99, "\(outcome.figures.coherence)")
  }

  @Test(arguments: [(230.0, 12.0, 30.0), (65, 2.5, 30)])
  func
    `on unlike actuators what is reachable is as asked, up to the ceiling, and taps peak as wanted`(
      f0: Double, q: Double, level: Double
    ) throws
  {
    let rig = TestRig(modes: [testMotion(f0, q, g: 1.7, hardening: 0.02, loss: 0.03)], seed: 3)
    let played = try Played(testSubject(peak: 5, reference: level), rig)
    let outcome = try #require(played.procedure.outcome())
    let found = try #require(outcome.profile.verification)
    #expect(try #require(found.level).rms <= 0.5)
    #expect(try #require(found.level).percentile95 <= 1.1)
    // Nothing that is reachable is moved.
    #expect(try #require(found.frequency).rms <= 0.01)
    for point in found.grid where point.isInside {
      #expect(abs(point.frequency / point.targetFrequency - 1) < 0.03, "\(point)")
    }
    // What is wanted peaks where the law says, with no overshoot of the band it is looked at in.
    let contour = outcome.profile.laws.contour
    for tap in outcome.figures.taps {
      let asked = try #require(tap.asked)
      let law = contour.acceleration(sensationLevel: asked.wantedLevel, at: asked.wantedFrequency)
      #expect((0.93...1.01).contains((tap.wanted.map(abs).max() ?? 0) / law), "\(law), \(asked)")
    }
    // One quantity under one name: profile and certificate have the same peaks, and say what is mapped.
    let shown = outcome.figures.taps.map { $0.measured.map(abs).max() ?? 0 }
    for tap in found.taps { #expect(shown.contains(tap.peak), "\(tap), \(shown)") }
    for tap in outcome.figures.taps {
      let asked = try #require(tap.asked)
      #expect(asked.mapped || abs(asked.wantedLevel - asked.targetLevel) < 0.6, "\(asked)")
    }
    for tap in outcome.figures.taps {
      let peaks = [tap.wanted, tap.measured].map { $0.map(abs).max() ?? 0 }
      guard tap.noise < 0.03 * peaks[0] else { continue }
      #expect(
        abs(peaks[1] / peaks[0] - 1) < 0.1,
        "\(peaks[1]) of \(peaks[0]) m/s2 at \(tap.intensity), \(tap.sharpness)")
    }
  }

  /// Seconds of a rig for a segment besides its drive: markers, silence, the longest delay.
  private static let overhead = 0.62

  @Test(arguments: [(12.0, 0.0007), (12, 0.003), (25, 0.0007), (60, 0.0007)])
  func `however long it rings and whatever the noise, a minute is enough`(
    q: Double, noise: Double
  ) throws {
    var rig = TestRig(modes: [testMotion(145, q, g: 1.5, hardening: 0.01, loss: 0.02)], seed: 5)
    rig.noise = noise
    let played = try Played(testSubject(reference: 22), rig)
    let outcome = try #require(played.procedure.outcome())
    let time = played.seconds + Self.overhead * Double(played.accepted.count)
    #expect(time < 60, "\(time) s")
    let mode = try #require(outcome.profile.model.modes.first)
    #expect(abs(mode.f0.value / 145 - 1) < 0.003, "\(mode.f0)")
    #expect(abs(mode.q.value / q - 1) < 0.05, "\(mode.q)")
    #expect(abs(mode.gain.value / rig.modes[0].gain - 1) < 0.01, "\(mode.gain)")
    #expect(try #require(outcome.profile.verification?.level).rms <= 0.5)
  }

  /// What the spring hardens by and the magnet loses at the rated drive.
  static let curved = [(-0.1, 0.1), (0.05, 0.1), (0.05, 0.2), (0.1, 0.1), (0.1, 0.2)]

  @Test(arguments: [24.0, 35], curved)
  func `a slim actuator whose spring moves its resonance by its width is calibrated`(
    q: Double, curve: (hardening: Double, loss: Double)
  ) throws {
    let (hardening, loss) = curve
    let rig = TestRig(
      modes: [testMotion(150, q, g: 1.5, hardening: hardening, loss: loss)], seed: 5)
    let played = try Played(testSubject(), rig)
    let outcome = try #require(played.procedure.outcome())
    #expect(try #require(outcome.profile.verification?.level).rms <= 0.5)
    // What was fitted is what a reader takes.
    var profile = outcome.profile
    profile.source.hash = String(repeating: "0", count: 64)
    let text = profile.text
    #expect(try CalibrationProfile(parsing: Array(text.utf8)).text == text)
  }

  @Test func `what mounting does is measured where the actuator is mounted again`() throws {
    var subject = testSubject(reference: 22)
    let assumed = try #require(
      try Played(subject, TestRig(modes: [testMotion(150, 10)], seed: 9)).procedure.outcome())
    #expect(
      assumed.profile.uncertainty.lines.contains {
        $0.name == "mounting, assumed" && $0.relative == 0.008 && $0.evaluation == .typeB
      })
    subject.remounts = 3
    var rig = TestRig(modes: [testMotion(150, 10)], seed: 9)
    rig.noise = 0.0001
    rig.mountings = [1.01, 0.99, 1.02]
    let outcome = try #require(try Played(subject, rig).procedure.outcome())
    let line = try #require(
      outcome.profile.uncertainty.lines.first { $0.name == "mounting, 3 times anew" })
    // The standard deviation of 1, 1.01, 0.99 and 1.02.
    #expect(abs(line.relative - 0.0129) < 0.001, "\(line)")
    #expect(line.evaluation == .typeA && line.degreesOfFreedom == 3)
    let gains = [outcome, assumed].compactMap { $0.profile.model.modes.first?.gain.value }
    #expect(gains.count == 2 && abs(gains[0] / gains[1] - 1) < 0.005, "\(gains)")
  }

  @Test func `the same responses give the same profile`() throws {
    let rig = TestRig(modes: [testMotion(65, 4, g: 3.4)], seed: 6)
    let subject = testSubject(kind: .vcm, continuous: 2, peak: 3)
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
    subject.actuator.limits = DriveLimits(continuousVolts: 2, peakVolts: 3.2, slope: 6_000)
    for (segment, _) in try Played(subject, rig).accepted {
      #expect(segment.level <= 3.2 * 1.000_001, "\(segment.title)")
      let steps = zip(segment.volts, segment.volts.dropFirst()).map { abs($1 - $0) }
      #expect(Double(steps.max() ?? 0) <= 6_000 / 8_000 * 1.001, "\(segment.title)")
    }
  }

  @Test(arguments: ["lra", "erm"])
  func `the counter leaves no number out, gives none twice and ends at the sum`(
    kind: String
  ) throws {
    var rig = TestRig(modes: [testMotion(170, 9)], seed: 5)
    if kind == "erm" {
      rig = TestRig(
        modes: [],
        motor: TestMotor(speed: 200, rated: 3, lag: 0.06, acceleration: 15.8, startVolts: 0.3),
        seed: 5)
    }
    var procedure = CalibrationProcedure(
      subject: kind == "erm" ? testSubject(kind: .erm, continuous: 3) : testSubject(reference: 22))
    var numbers: [Int] = []
    var total = 0
    while let segment = try procedure.next() {
      let progress = procedure.progress
      guard try procedure.accept(rig.answer(segment), to: segment) == .accepted else { continue }
      numbers.append(progress.number)
      total = progress.total
      #expect(progress.number <= progress.total, "\(progress)")
    }
    #expect(numbers == Array(1...numbers.count))
    #expect(total == numbers.count)
    #expect(procedure.progress.number == total)
  }

  @Test func `a reference level that is asked for and reached nowhere is refused before the grid`()
    throws
  {
    let rig = TestRig(modes: [testMotion(170, 9)], seed: 5)
    let refusal = try #require(throws: CalibrationRefusal.self) {
      _ = try Played(testSubject(reference: 60), rig)
    }
    #expect(refusal.code == .referenceUnreached)
    #expect(refusal.description.contains("60 dB"), "\(refusal)")
  }

  @Test func `the reference level falls to what the actuator holds`() throws {
    let rig = TestRig(modes: [testMotion(240, 15, volts: 1.2, g: 0.3)], seed: 4)
    let played = try Played(testSubject(continuous: 1.2, peak: 2), rig)
    let outcome = try #require(played.procedure.outcome())
    #expect(outcome.profile.laws.referenceLevel < 25)
    #expect(outcome.notes.contains { $0.contains("reference level") })
  }
}
