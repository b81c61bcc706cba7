// SPDX-License-Identifier: Apache-2.0

import Actuators
import JSONText
import Perception
import Profiles
import SeededRandom
import Testing

struct ProfileTextTests {
  private func full() throws -> CalibrationProfile {
    var profile = try SampleProfiles.tone(
      modes: [SampleProfiles.mode(160, 8, gain: 3.3), SampleProfiles.mode(320, 8, gain: -2.8)],
      limits: DriveLimits(continuousVolts: 2.5, peakVolts: 5, slope: 9000, thermalTime: 0.5),
      laws: ProfileLaws(
        intensity: .sone, sharpness: .pinned(low: 51.5, resonance: 160, high: 290),
        contour: PerceptionContour(
          name: "mine",
          points: [.init(frequency: 20, level: -40), .init(frequency: 90, level: -30)]
        ), referenceLevel: 27.25),
      correction: ResponseCorrection(
        frequencies: [80, 160], levels: [10, 30], decibels: [[0.5, -0.25], [0, 1]]))
    profile.model.levels = [.init(drive: 0.25, mode: SampleProfiles.mode(159, 8.1, gain: 3.2))]
    profile.model.coupling = SampleProfiles.quantity(-0.02, .metrePerSecondSquaredPerVolt)
    profile.model.resistance = SampleProfiles.quantity(8, .ohm)
    profile.model.inductance = MeasuredQuantity(1e-4, .henry, uncertainty: .infinity)
    profile.actuator.temperature = 23.5
    profile.actuator.contact = "free"
    profile.conditions = ProfileConditions(
      axis: "x", mount: "wax", source: "voltage drive, 0.1 ohm")
    let asked = DriveMap(profile: profile, fullScaleVolts: 10).command(
      intensity: 0.5, sharpness: 0.25)
    profile.verification = ProfileVerification(
      grid: [
        .init(
          intensity: 0.5, sharpness: 0.25, targetLevel: asked.targetLevel,
          targetFrequency: asked.targetFrequency, level: asked.targetLevel + 0.25,
          frequency: 104.5, uncertainty: 0.25, isInside: true, isHeldOut: true)
      ],
      level: .init(rms: 0.25, percentile95: 0.25, greatest: 0.25),
      levelCrossTalk: 0.5, frequencyCrossTalk: 0.02,
      taps: [
        .init(intensity: 1, sharpness: 0.5, peak: 9, tail: -0.002, pulseToRing: 18),
        .init(intensity: 0.5, sharpness: 0.5, peak: 2, tail: nil),
      ],
      pattern: .init(
        envelope: .init(rms: 0.25, percentile95: 0.5, greatest: 1), duration: 1.25))
    return profile
  }

  @Test func `what is written is read back the same, byte for byte`() throws {
    var random = SeededRandom(seed: 0x700)
    var profiles = [try full(), try SampleProfiles.lra(), try SampleProfiles.erm()]
    for _ in 0..<20 {
      var profile = try SampleProfiles.random(&random)
      // Corrections that jump from frequency to frequency are none that a file may hold.
      if let row = profile.correction.decibels.first {
        profile.correction.decibels = profile.correction.decibels.map { _ in row }
      }
      profiles.append(profile)
    }
    var piezo = try SampleProfiles.lra()
    piezo.model = ActuatorModel(
      kind: .piezo, piezoGain: SampleProfiles.quantity(5, .metrePerSecondSquaredPerVolt),
      delay: SampleProfiles.quantity(1e-5, .second))
    piezo.feedForward = try #require(FeedForward(inverting: piezo.model))
    profiles.append(piezo)
    for profile in profiles {
      var profile = profile
      profile.noise = MeasuredQuantity(0.0125, .metrePerSecondSquared, uncertainty: 0.0005)
      let text = profile.text
      let back = try CalibrationProfile(parsing: Array(text.utf8))
      #expect(back == profile)
      #expect(back.text == text)
    }
  }

  @Test func `the fitted model stands under the agreed names`() throws {
    let model = try #require(try SampleProfiles.lra().json["model"])
    #expect(model["kind"] == "resonator")
    for (key, value, unit) in [
      ("f0", 150, "Hz"), ("q", 10, "1"), ("gain", 5.3, "m/s2/V"), ("delay", 1e-4, "s"),
    ] {
      #expect(model[key]?["value"] == .number(value))
      #expect(model[key]?["unit"] == .string(unit))
      #expect(model[key]?["uncertainty"] == .number(value / 256))
    }
  }

  @Test func `an infinite uncertainty is null and comes back`() throws {
    let profile = try full()
    #expect(profile.json["model"]?["inductance"]?["uncertainty"] == .null)
    let back = try CalibrationProfile(parsing: Array(profile.text.utf8))
    #expect(back.model.inductance?.uncertainty == .infinity)
  }

  /// What reading says of the full profile's text with one place changed.
  private func error(_ old: String, _ new: String) throws -> ProfileError {
    let text = try full().text
    let range = try #require(text.firstRange(of: old), "no '\(old)' in the text")
    let changed = text[..<range.lowerBound] + new + text[range.upperBound...]
    return try #require(throws: ProfileError.self) {
      _ = try CalibrationProfile(parsing: Array(changed.utf8))
    }
  }

  @Test func `an error names line and column, path, what is wrong and what is expected`() throws {
    let found = try error("\"unit\": \"Hz\"", "\"unit\": \"kHz\"")
    #expect(found.path == "model.f0.unit")
    #expect(found.description == "14:12: model.f0.unit is 'kHz', but must be 'Hz'")
  }

  @Test(arguments: [
    (
      "\"version\": 1", "\"version\": 3", "this profile is of schema version 3; this haprig reads 1"
    ),
    ("\"version\": 1", "\"version\": 0", "calibrate the actuator again"),
    ("\"version\": 1", "\"version\": 1.5", "must be a whole number"),
    ("\"haprig-profile\"", "\"something\"", "this is not a profile"),
    ("\"rig\":", "\"rigs\":", "'rigs' is no key of actuator: known are id, model, kind, rig"),
    ("\"id\": \"lra-1\"", "\"id\": 7", "actuator.id must be a string, but here is a number"),
    ("\"kind\": \"modes\"", "\"kind\": \"spring\"", "must be one of: resonator, modes, erm, piezo"),
    ("\"kind\": \"modes\"", "\"kind\": \"erm\"", "belongs to the kind 'modes'"),
    ("\"value\": 160.0", "\"value\": -160.0", "must be above 0"),
    ("\"value\": 160.0", "\"value\": 161.0", "must be the same"),
    ("\"delay\":", "\"delay\": {}, \"delay\":", "model.delay is there twice"),
    (
      "\"intensity\": \"sone\"", "\"intensity\": \"loud\"",
      "must be one of: square, linear, sone, aosp"
    ),
    ("\"form\": \"pinned\"", "\"form\": \"bent\"", "must be one of: logarithmic, linear, pinned"),
    ("\"resonance\": 160.0", "\"resonance\": 1600.0", "must lie between"),
    ("\"referenceLevel\": 27.25", "\"referenceLevel\": 2.0", "above the floor"),
    ("\"peakVolts\": 5.0", "\"peakVolts\": 0", "must be above 0"),
    ("\"binding\": \"continuous\"", "\"binding\": \"mood\"", "must be one of: peak, continuous"),
    ("\"combined\": ", "\"combined\": 1", "the lines add up to"),
    ("\"type\": \"B\"", "\"type\": \"C\"", "must be one of: A, B"),
    ("   -0.25", "   -25.0", "falls by a dB a dB or faster"),
    ("   -0.25\n", "   -0.25,\n 1\n", "there are 2 levels"),
    ("\"thermalTime\": 0.5", "\"thermalTime\": 1e999", "larger than any 64-bit"),
  ])
  func `what is no profile is refused with the reason`(
    old: String, new: String, reason: String
  ) throws {
    let found = try error(old, new)
    #expect(found.message.contains(reason), "\(found)")
    #expect(found.position.line >= 1 && found.position.column >= 1)
  }

  @Test func `a text that is cut anywhere is refused and never a trap`() throws {
    let bytes = Array(try full().text.utf8)
    for length in stride(from: 0, to: bytes.count - 2, by: 37) {
      #expect(throws: ProfileError.self) {
        try CalibrationProfile(parsing: Array(bytes[..<length]))
      }
    }
  }

  @Test func `a changed byte is refused or read and never a trap`() throws {
    var random = SeededRandom(seed: 0x800)
    let bytes = Array(try full().text.utf8)
    for _ in 0..<300 {
      var changed = bytes
      for _ in 0..<random.integer(1...3) {
        let palette = Array("0123456789-.eE\"{}[],: nulltrue".utf8)
        changed[random.integer(0...bytes.count - 1)] =
          palette[
            random.integer(0...palette.count - 1)]
      }
      guard let profile = try? CalibrationProfile(parsing: changed) else { continue }
      let map = DriveMap(profile: profile, fullScaleVolts: 10)
      let command = map.command(intensity: 0.5, sharpness: 0.5)
      #expect(command.volts.isFinite || command.volts.isNaN, "\(random)")
    }
  }

  @Test func `a file that is far too long or has far too long a list is refused`() throws {
    let large = [UInt8](repeating: 0x20, count: CalibrationProfile.largestText + 1)
    let found = try #require(throws: ProfileError.self) {
      _ = try CalibrationProfile(parsing: large)
    }
    #expect(found.message.contains("this is another file"))
    let list = Array(repeating: "1.0", count: 5000).joined(separator: ", ")
    let long = try error("   -0.25\n", "   -0.25, \(list)\n")
    #expect(long.message.contains("at most 4096"), "\(long)")
  }
}

struct ProfileRefusalTests {
  /// An actuator of a rig file that gives neither mass nor contact.
  private static func actuator(
    _ id: String = "lra-1", model: String = "linX", kind: ActuatorKind = .lra,
    limits: DriveLimits = SampleProfiles.limits
  ) -> Actuator {
    Actuator(id: id, model: model, kind: kind, limits: limits)
  }

  @Test func `a profile is accepted for its actuator, laws and limits`() throws {
    let profile = try SampleProfiles.lra()
    try profile.check(for: profile.actuator, laws: profile.laws)
    var laws = profile.laws
    laws.referenceLevel = 20
    try profile.check(for: Self.actuator(), laws: laws)
    let limits = DriveLimits(continuousVolts: 9, peakVolts: 9, thermalTime: 2)
    try profile.check(for: Self.actuator(limits: limits))
  }

  private func refusal(
    of actuator: Actuator = actuator(), laws: ProfileLaws? = nil
  ) throws -> String {
    let profile = try SampleProfiles.lra()
    return try #require(throws: ProfileRefusal.self) {
      try profile.check(for: actuator, laws: laws)
    }.description
  }

  @Test func `another actuator's profile is refused by both names`() throws {
    let text = try refusal(of: Self.actuator("lra-2"))
    #expect(text.contains("'lra-1'") && text.contains("'lra-2'"))
  }

  @Test(arguments: [
    (ProfileLaws(intensity: .sone), "intensity law 'square'", "'sone'"),
    (ProfileLaws(sharpness: .mpeg65To300), "sharpness law 'log80-230'", "'mpeg65-300'"),
    (ProfileLaws(contour: .velocity), "contour 'aosp16'", "'velocity'"),
  ])
  func `other laws are refused by both names`(
    laws: ProfileLaws, own: String, wanted: String
  ) throws {
    let text = try refusal(laws: laws)
    #expect(text.contains(own) && text.contains(wanted), "\(text)")
  }

  @Test(arguments: [
    (DriveLimits(continuousVolts: 2, peakVolts: 5), "a continuous drive of 2.5 Vrms"),
    (DriveLimits(continuousVolts: 2.5, peakVolts: 4), "a peak of 5.0 V, but the rig file 4.0 V"),
    (DriveLimits(continuousVolts: 2.5, peakVolts: 5, slope: 100), "a slope of any size"),
    (DriveLimits(continuousVolts: 2.5, peakVolts: 5, thermalTime: 0.1), "a thermal time of 1.0 s"),
  ])
  func `limits wider than the rig's are refused by both numbers`(
    limits: DriveLimits, what: String
  ) throws {
    let text = try refusal(of: Self.actuator(limits: limits))
    #expect(text.contains(what), "\(text)")
  }

  /// What a rig file, or a profile, says of how an actuator is mounted.
  struct Mounting: Sendable {
    var mass: Double?
    var contact: String?
    var temperature: Double?
    var axis: String?
    var mount: String?

    func actuator(_ other: Actuator = ProfileRefusalTests.actuator()) -> Actuator {
      var actuator = other
      (actuator.mass, actuator.contact, actuator.temperature) = (mass, contact, temperature)
      return actuator
    }

    var conditions: ProfileConditions { ProfileConditions(axis: axis, mount: mount) }
  }

  private static let made = Mounting(
    mass: 0.1, contact: "free", temperature: 23, axis: "x y", mount: "wax")

  private func check(_ rig: Mounting, made: Mounting = made) throws {
    var profile = try SampleProfiles.lra()
    profile.actuator = made.actuator(profile.actuator)
    profile.conditions = made.conditions
    try profile.check(for: rig.actuator(), conditions: rig.conditions)
  }

  @Test(arguments: [
    (Mounting(mass: 0.2), "100.0 g", "200.0 g"),
    (Mounting(mass: 0.097), "100.0 g", "97.0 g"),
    (Mounting(contact: "hand"), "contact 'free'", "'hand'"),
    (Mounting(mount: "screw"), "mount 'wax'", "'screw'"),
    (Mounting(axis: "z"), "along x y", "says z"),
  ])
  func `other conditions are refused with both`(
    rig: Mounting, own: String, other: String
  ) throws {
    let text = try #require(throws: ProfileRefusal.self) { try check(rig) }.description
    #expect(text.contains(own) && text.contains(other), "\(text)")
  }

  @Test func `conditions that are near, or that one side leaves open, are accepted`() throws {
    try check(Mounting(mass: 0.1019, contact: "Free", axis: "y z", mount: "wax"))
    try check(Mounting())
    try check(Mounting(mass: 3, contact: "hand", axis: "z"), made: Mounting())
    // A channel's name in the place of an axis that the rig file does not give.
    try check(Mounting(axis: "z"), made: Mounting(axis: "accelerometer"))
    try check(Mounting(temperature: 60))
  }

  @Test func `another type or kind under one name is refused`() throws {
    for (model, kind, word) in [
      ("coinZ", ActuatorKind.lra, "'coinZ'"), ("linX", .vcm, "'vcm'"),
    ] {
      let text = try refusal(of: Self.actuator(model: model, kind: kind))
      #expect(text.contains(word), "\(text)")
    }
  }

  @Test func `a temperature more than 10 K away is told`() throws {
    let profile = try SampleProfiles.lra()
    let note = try #require(profile.temperatureNote(at: 60))
    #expect(note.contains("23.0 degC") && note.contains("60.0 degC"))
    #expect(profile.temperatureNote(at: 33) == nil && profile.temperatureNote(at: nil) == nil)
    var open = profile
    open.actuator.temperature = nil
    #expect(open.temperatureNote(at: 60) == nil)
  }
}

struct UncertaintyBudgetTests {
  @Test func `contributions add as squares`() {
    let budget = UncertaintyBudget(lines: [
      .init(name: "a", relative: 0.03, evaluation: .typeB),
      .init(name: "b", relative: 0.04, evaluation: .typeA, degreesOfFreedom: 4),
    ])
    #expect(abs(budget.combined - 0.05) < 1e-15)
    #expect(abs(budget.expanded - 0.1) < 1e-15)
  }

  // 0.05^4 / (0.04^4 / 4) = 9.765625
  @Test func `degrees of freedom are those of Welch and Satterthwaite`() throws {
    let budget = UncertaintyBudget(lines: [
      .init(name: "a", relative: 0.03, evaluation: .typeB),
      .init(name: "b", relative: 0.04, evaluation: .typeA, degreesOfFreedom: 4),
    ])
    #expect(abs(try #require(budget.degreesOfFreedom) - 9.765625) < 1e-9)
    #expect(UncertaintyBudget(lines: []).degreesOfFreedom == nil)
    #expect(UncertaintyBudget(lines: []).combined == 0)
  }
}
