// SPDX-License-Identifier: Apache-2.0

import Actuators
import Calibration
import Glibc
import Perception
import Profiles
import SeededRandom
import Units

/// A subject as a rig file would describe it; 8 kHz, so that debug builds are quick.
func testSubject(
  kind: ActuatorKind = .lra, continuous: Double = 2.5, peak: Double = 3.6, reference: Double? = nil
) -> CalibrationSubject {
  var subject = CalibrationSubject(
    actuator: Actuator(
      id: "unit-1", model: "type", kind: kind,
      limits: DriveLimits(continuousVolts: continuous, peakVolts: peak), mass: 0.1, temperature: 23),
    rig: "bench", fullScaleVolts: peak, rate: SampleRate(hertz: 8_000), hasReference: true,
    run: "run", program: "1", date: "2026-01-01")
  subject.sensorUncertainty = 0.002
  subject.otherChannels = [2]
  subject.target = IntensityTarget(referenceLevel: reference ?? 30)
  subject.referenceIsGiven = reference != nil
  return subject
}

/// A resonator that makes `g` of peak acceleration at `volts` rms.
func testMotion(
  _ frequency: Double, _ q: Double, volts: Double = 2.5, g: Double = 1.05,
  hardening: Double = 0.05, loss: Double = 0.1
) -> TestMotion {
  let peak = volts * 2.0.squareRoot()
  return TestMotion(
    frequency: frequency, q: q, gain: g * 9.80665 / peak, rated: peak, hardening: hardening,
    loss: loss)
}

/// What playing a calibration to its end, or to a purpose, came to.
struct Played {
  var procedure: CalibrationProcedure
  var rig: TestRig
  /// Segments with the responses that were accepted.
  var accepted: [(segment: CalibrationSegment, response: SegmentResponse)] = []
  /// The reasons for playing a segment again.
  var repeats: [String] = []
  /// Seconds of drive.
  var seconds = 0.0

  /// Plays; stops before the first segment of a purpose where one is given.
  init(
    _ subject: CalibrationSubject, _ rig: TestRig, until purpose: CalibrationSegment.Purpose? = nil
  ) throws(CalibrationRefusal) {
    procedure = CalibrationProcedure(subject: subject)
    self.rig = rig
    while let segment = try procedure.next() {
      if segment.purpose == purpose { break }
      let response = self.rig.answer(segment)
      seconds += segment.duration
      switch try procedure.accept(response, to: segment) {
      case .accepted: accepted.append((segment, response))
      case .again(let reason): repeats.append(reason)
      }
    }
  }
}

/// The code of the refusal that a rig leads to; nil where the calibration ends well.
func refusal(
  _ subject: CalibrationSubject = testSubject(), _ change: (inout TestRig) -> Void
) -> CalibrationRefusal? {
  var rig = TestRig(modes: [testMotion(170, 9)], seed: 5)
  change(&rig)
  do {
    _ = try Played(subject, rig)
    return nil
  } catch {
    return error
  }
}

/// How often a seeded test is repeated: some by default, more where the environment asks for it.
let seedCount = getenv("HAPRIG_CALIBRATION_SEEDS").flatMap { Int(String(cString: $0)) } ?? 40
