// SPDX-License-Identifier: Apache-2.0

import Acceptance
import JSONText
import Profiles
import Reporting
import Testing

@testable import Calibration

@Suite struct CertificateJSONTests {
  @Test func `the JSON holds profile, curves, goals and recordings`() throws {
    let profile = try SampleCalibration.lra()
    let figures = SampleFigures.lra(of: profile)
    let text = SampleCalibration.certificate(profile, figures: figures).json.text(indent: 1)
    let root = try JSONDocument(Array(text.utf8)).root.value
    #expect(root["schema"]?.string == "haprig-certificate")
    #expect(root["version"]?.integer == 1)
    #expect(root["recordings"]?.elements?.count == 12)
    #expect(root["notes"]?.elements?.count == 1)
    #expect(root["method"]?.elements?.first?["name"]?.string == "sensor")
    #expect(root["table"]?.elements?.count == 25)
    #expect(root["strongest"]?.elements?.count == profile.ceiling.points.count)
    #expect(try #require(root["goals"]?.elements).count >= 15)
    let curves = try #require(root["figures"])
    #expect(curves["responses"]?.elements?.count == figures.responses.count)
    #expect(
      curves["impulse"]?["y"]?.elements?.compactMap(\.number) == figures.impulse?.y)
    #expect(curves["taps"]?.elements?.first?["t20"]?.number == 0.0091)
  }

  @Test func `a tap that was mapped says what was asked and what was wanted`() throws {
    let profile = try SampleCalibration.lra()
    var figures = SampleFigures.lra(of: profile)
    figures.taps[0].asked = .init(
      targetLevel: 30, targetFrequency: 80, wantedLevel: 5.5, wantedFrequency: 87.2, mapped: true)
    let certificate = SampleCalibration.certificate(profile, figures: figures)
    let taps = try #require(certificate.json["taps"]?.elements)
    #expect(taps[0]["targetLevel"]?.number == 30 && taps[0]["targetFrequency"]?.number == 80)
    #expect(taps[0]["wantedLevel"]?.number == 5.5 && taps[0]["wantedFrequency"]?.number == 87.2)
    #expect(taps[0]["mapped"]?.bool == true && taps[1]["mapped"] == .null)
    #expect(certificate.html.contains(">5.5 *<"))
  }

  @Test func `the profile inside can be read as a profile`() throws {
    let profile = try SampleCalibration.lra()
    let inside = try #require(SampleCalibration.certificate(profile).json["profile"])
    #expect(try CalibrationProfile(parsing: inside.utf8()) == profile)
  }

  @Test func `force and static moment follow from mass and frequency`() throws {
    let profile = try SampleCalibration.lra()
    let first = try #require(
      SampleCalibration.certificate(profile).json["strongest"]?.elements?.first)
    let acceleration = try #require(first["acceleration"]?.number)
    let force = try #require(first["force"]?.number)
    let moment = try #require(first["staticMoment"]?.number)
    #expect(abs(force - 0.1 * acceleration) < 1e-12)
    // At 60 Hz (376.99 rad/s): m X = F / w^2, in g mm.
    #expect(abs(moment - 1e6 * force / (376.99111843 * 376.99111843)) < 1e-6 * moment)
  }

  @Test func `a goal that was not measured is neither met nor missed`() throws {
    let profile = try SampleCalibration.lra(isVerified: false)
    let goals = try #require(SampleCalibration.certificate(profile).json["goals"]?.elements)
    let level = try #require(goals.first { $0["name"]?.string == "Intensity error, rms" })
    #expect(level["value"] == .null)
    #expect(level["verdict"]?.string == "not measured")
    #expect(level["atMost"]?.number == 0.5)
    #expect(level["reason"]?.string == "nothing was measured with this profile")
  }

  @Test func `every goal of a motor that was not measured says why`() throws {
    var profile = SampleCalibration.erm()
    func point(_ level: Double, isInside: Bool) -> ProfileVerification.GridPoint {
      ProfileVerification.GridPoint(
        intensity: 0.5, sharpness: 0.5, targetLevel: level, targetFrequency: 135, level: 20,
        frequency: 135, uncertainty: 0.2, isInside: isInside, isHeldOut: true)
    }
    profile.verification = ProfileVerification(grid: [point(28, isInside: false)])
    let figures = SampleFigures.erm(of: profile)
    let certificate = SampleCalibration.certificate(profile, figures: figures)
    let goals = try #require(certificate.json["goals"]?.elements)
    let missing = goals.filter { $0["verdict"]?.string == "not measured" }
    #expect(missing.allSatisfy { $0["reason"]?.string?.isEmpty == false }, "\(missing)")
    let reasons = missing.compactMap { $0["reason"]?.string }
    #expect(reasons.contains("all 1 measured points lie outside of what the actuator reaches"))
    #expect(reasons.contains { $0.contains("61 ms to come to speed") }, "\(reasons)")
    #expect(certificate.html.contains("; not measured: no tap is played on a motor"))
    #expect(certificate.text.contains("  not measured: 4 goals, no tap is played on a motor"))
    // What does not apply to a motor is not shown.
    #expect(!certificate.html.contains("rise ends below"))
  }

  @Test func `a delay that only the unknown bandwidth keeps from its goal is limited`() throws {
    var profile = try SampleCalibration.lra()
    profile.model.delay = MeasuredQuantity(2e-4, .second, uncertainty: 2.3e-4)
    func goal() throws -> JSONValue {
      let goals = SampleCalibration.certificate(profile).json["goals"]?.elements
      return try #require(goals?.first { $0["name"]?.string == "Uncertainty of the delay" })
    }
    #expect(try goal()["verdict"]?.string == "misses")
    profile.uncertainty.lines[1].name = "sensor flatness, bandwidth not given"
    #expect(try goal()["verdict"]?.string == "limited")
    #expect(try goal()["limitedBy"]?.string == "the sensor's bandwidth, which is not given")
  }

  @Test(arguments: [(0.995, "meets"), (0.98, "limited")])
  func `the coherence of repeated sweeps is a goal`(value: Double, verdict: String) throws {
    let profile = try SampleCalibration.lra()
    var figures = SampleFigures.lra(of: profile)
    func goal() throws -> JSONValue {
      let goals = SampleCalibration.certificate(profile, figures: figures).json["goals"]
      return try #require(goals?.elements?.first { $0["name"]?.string == "Coherence, least" })
    }
    #expect(try goal()["reason"]?.string == "no level was swept twice")
    // What lies outside of what sharpness asks for, 80 to 230 Hz, does not count; the best level does.
    figures.coherence = [
      .init(label: "0.2 V, 2 sweeps", x: [100, 200], y: [0.5, 0.6]),
      .init(label: "0.9 V, 2 sweeps", x: [50, 100, 200, 400], y: [0.1, 0.999, value, 0.1]),
    ]
    #expect(try goal()["value"]?.number == value)
    #expect(try goal()["verdict"]?.string == verdict)
  }

  @Test func `a level error of 0.6 dB misses the goal of 0.5 dB`() throws {
    var profile = try SampleCalibration.lra()
    profile.verification?.level = .init(rms: 0.6, percentile95: 1, greatest: 1.2)
    let certificate = SampleCalibration.certificate(profile)
    let goals = try #require(certificate.json["goals"]?.elements)
    #expect(
      goals.first { $0["name"]?.string == "Intensity error, rms" }?["verdict"]?.string == "misses")
    #expect(certificate.text.contains("misses: Intensity error, rms, 0.60 dB, goal at most 0.5 dB"))
  }

  @Test func `a goal that a named limit keeps out of reach is limited and no fail`() throws {
    var profile = try SampleCalibration.lra()
    profile.uncertainty.lines[0].relative = 0.03
    let goals = { (profile: CalibrationProfile) throws in
      try #require(SampleCalibration.certificate(profile).json["goals"]?.elements)
    }
    let limited = try #require(
      try goals(profile).first { $0["name"]?.string == "Uncertainty of acceleration" })
    #expect(limited["verdict"]?.string == "limited")
    #expect(limited["limitedBy"]?.string == "sensor sensitivity, 6.0 %")
    #expect(SampleCalibration.certificate(profile).text.contains("  limited: Uncertainty of accel"))
    // What the others would miss as well is not the sensor's doing.
    profile.uncertainty.lines.append(.init(name: "drift", relative: 0.03, evaluation: .typeB))
    let missed = try #require(
      try goals(profile).first { $0["name"]?.string == "Uncertainty of acceleration" })
    #expect(missed["verdict"]?.string == "misses" && missed["limitedBy"] == .null)
    #expect(SampleCalibration.certificate(profile).verdict == .fail)
  }

  @Test func `the envelope of a held-out pattern is a goal of 1 dB`() throws {
    var profile = try SampleCalibration.lra()
    for (rms, word) in [(0.7, "meets"), (1.2, "misses")] {
      profile.verification?.pattern = .init(
        envelope: .init(rms: rms, percentile95: 1.5, greatest: 2), duration: 1.1)
      let certificate = SampleCalibration.certificate(profile)
      let goal = try #require(
        certificate.json["goals"]?.elements?.first {
          $0["name"]?.string == "Envelope of a held-out pattern, rms"
        })
      #expect(goal["verdict"]?.string == word)
      #expect(certificate.text.contains("held-out pattern"))
    }
  }

  @Test func `noise is taken off the energy of a tap and keeps a faint one from being judged`()
    throws
  {
    let profile = try SampleCalibration.lra()
    var figures = SampleFigures.lra(of: profile)
    let taps = { (figures: CalibrationFigures) throws in
      try #require(
        SampleCalibration.certificate(profile, figures: figures).json["taps"]?.elements)
    }
    let before = try #require(try taps(figures)[0]["energyError"]?.number)
    figures.taps[0].noise = 0.01 * 8
    #expect(try #require(try taps(figures)[0]["energyError"]?.number) < before)
    figures.taps[0].noise = 0.04 * 8
    #expect(try taps(figures)[0]["peakError"] == .null)
  }

  @Test func `a tap whose tail noise hides keeps the tail from being told`() throws {
    let profile = try SampleCalibration.lra()
    var figures = SampleFigures.lra(of: profile)
    figures.taps[0].t20 = nil
    let certificate = SampleCalibration.certificate(profile, figures: figures)
    let lines = certificate.text.split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("    taps end ") && $0.hasSuffix(" not measured") })
  }

  @Test func `the peak error of a tap is measured against the wanted peak`() throws {
    let profile = try SampleCalibration.lra()
    var figures = SampleFigures.lra(of: profile)
    for index in figures.taps.indices {
      figures.taps[index].measured = figures.taps[index].wanted.map { 1.2 * $0 }
    }
    let taps = try #require(
      SampleCalibration.certificate(profile, figures: figures).json["taps"]?.elements)
    for tap in taps {
      #expect(abs(try #require(tap["peakError"]?.number) - 0.2) < 1e-9)
      // 20 log10 1.2
      #expect(abs(try #require(tap["energyError"]?.number) - 1.5836) < 1e-4)
    }
  }
}
