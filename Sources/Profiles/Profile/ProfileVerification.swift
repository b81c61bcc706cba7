// SPDX-License-Identifier: Apache-2.0

public import JSONText

/// What a profile achieved when it was measured again, on points that it was not fitted to among them.
public struct ProfileVerification: Sendable, Equatable {
  /// One point of the grid of intensity and sharpness.
  public struct GridPoint: Sendable, Equatable {
    /// The intensity, 0...1.
    public var intensity: Double
    /// The sharpness, 0...1.
    public var sharpness: Double
    /// The level that the laws ask for, in dB above threshold.
    public var targetLevel: Double
    /// The frequency that the laws ask for, in hertz.
    public var targetFrequency: Double
    /// The level that was measured, in dB above threshold.
    public var level: Double
    /// The frequency that was measured, in hertz.
    public var frequency: Double
    /// The expanded uncertainty (k = 2) of the level, in dB.
    public var uncertainty: Double
    /// Whether the actuator reaches the target, so that the point counts in the statistics.
    public var isInside: Bool
    /// Whether nothing was fitted to this point.
    public var isHeldOut: Bool

    /// Makes a point.
    public init(
      intensity: Double, sharpness: Double, targetLevel: Double, targetFrequency: Double,
      level: Double, frequency: Double, uncertainty: Double, isInside: Bool,
      isHeldOut: Bool = false
    ) {
      self.intensity = intensity
      self.sharpness = sharpness
      self.targetLevel = targetLevel
      self.targetFrequency = targetFrequency
      self.level = level
      self.frequency = frequency
      self.uncertainty = uncertainty
      self.isInside = isInside
      self.isHeldOut = isHeldOut
    }

    fileprivate static let form = JSONForm(
      Self.init(
        intensity:sharpness:targetLevel:targetFrequency:level:frequency:uncertainty:isInside:
        isHeldOut:),
      ("intensity", \.intensity, .positive(upTo: 1)),
      ("sharpness", \.sharpness, .number(in: 0...1)),
      ("targetLevel", \.targetLevel, .number(in: -200...200, "dB")),
      ("targetFrequency", \.targetFrequency, .frequency),
      ("level", \.level, .number(in: -200...200, "dB")), ("frequency", \.frequency, .frequency),
      ("uncertainty", \.uncertainty, .positive(upTo: 60, "dB")), ("inside", \.isInside, .bool),
      ("heldOut", \.isHeldOut, .bool))
  }

  /// Size of an error over the points inside.
  public struct Spread: Sendable, Equatable {
    /// The root of the mean square.
    public var rms: Double
    /// What 95 % of the points stay below, as a size.
    public var percentile95: Double
    /// The greatest size.
    public var greatest: Double

    /// Makes a spread.
    public init(rms: Double, percentile95: Double, greatest: Double) {
      self.rms = rms
      self.percentile95 = percentile95
      self.greatest = greatest
    }

    /// The spread as files have it; null for what is no number.
    public var json: JSONValue { Self.form.json(self) }

    fileprivate static let form = JSONForm(
      Self.init(rms:percentile95:greatest:), ("rms", \.rms, .number(in: 0...200)),
      ("percentile95", \.percentile95, .number(in: 0...200)),
      ("greatest", \.greatest, .number(in: 0...200)))
  }

  /// One tap.
  public struct Tap: Sendable, Equatable {
    /// The intensity, 0...1.
    public var intensity: Double
    /// The sharpness, 0...1.
    public var sharpness: Double
    /// The peak acceleration in m/s2: the greatest size of the waveform from 10 Hz to 2.5 kHz.
    public var peak: Double
    /// From the intended end until the response stays 20 dB below its peak, in seconds; below 0 where
    /// it does so before; nil where noise hides it.
    public var tail: Double?
    /// The pulse-to-ring ratio, in dB; nil where there is no ring above the noise.
    public var pulseToRing: Double?

    /// Makes a tap.
    public init(
      intensity: Double, sharpness: Double, peak: Double, tail: Double?, pulseToRing: Double? = nil
    ) {
      self.intensity = intensity
      self.sharpness = sharpness
      self.peak = peak
      self.tail = tail
      self.pulseToRing = pulseToRing
    }

    fileprivate static let form = JSONForm(
      Self.init(intensity:sharpness:peak:tail:pulseToRing:),
      ("intensity", \.intensity, .number(in: 0...1)),
      ("sharpness", \.sharpness, .number(in: 0...1)),
      ("peak", \.peak, .number(in: 0...1e6, "m/s2")),
      ("tail", \.tail, .optional(.number(in: -1...100, "s"))),
      ("pulseToRing", \.pulseToRing, .optional(.number(in: -200...200, "dB"))))
  }

  /// How the envelope of a pattern came out that nothing was fitted to: curves, glides and taps.
  public struct Pattern: Sendable, Equatable {
    /// Errors of the envelope over the moments that the actuator reaches, in dB.
    public var envelope: Spread
    /// How long those moments are together, in seconds.
    public var duration: Double

    /// Makes a pattern's account.
    public init(envelope: Spread, duration: Double) {
      self.envelope = envelope
      self.duration = duration
    }

    fileprivate static let form = JSONForm<Pattern> { field throws(ProfileError) in
      let field = try field.object("envelope", "duration")
      guard let envelope = try field.member("envelope") else {
        throw field.error("\(field.path) has no envelope, but must have one")
      }
      return Pattern(
        envelope: try Spread.form.value(of: envelope),
        duration: try field["duration"].positive(upTo: 3600, "s"))
    } _: {
      ["envelope": $0.envelope.json, "duration": .finite($0.duration)]
    }
  }

  /// The points that were measured.
  public var grid: [GridPoint]
  /// Errors of the level, in dB; nil without a point inside.
  public var level: Spread?
  /// Errors of the frequency as the size of a ratio less one; nil without a point inside.
  public var frequency: Spread?
  /// Both together in just noticeable differences; nil without a point inside.
  public var consistency: Spread?
  /// The greatest change of level along sharpness at one intensity, in dB.
  public var levelCrossTalk: Double?
  /// The greatest change of frequency along intensity at one sharpness, as a ratio less one.
  public var frequencyCrossTalk: Double?
  /// The taps that were measured.
  public var taps: [Tap]
  /// The pattern that was played; nil where none was, or where the actuator follows too little of it.
  public var pattern: Pattern?

  /// Makes a verification.
  public init(
    grid: [GridPoint], level: Spread? = nil, frequency: Spread? = nil,
    consistency: Spread? = nil, levelCrossTalk: Double? = nil, frequencyCrossTalk: Double? = nil,
    taps: [Tap] = [], pattern: Pattern? = nil
  ) {
    self.grid = grid
    self.level = level
    self.frequency = frequency
    self.consistency = consistency
    self.levelCrossTalk = levelCrossTalk
    self.frequencyCrossTalk = frequencyCrossTalk
    self.taps = taps
    self.pattern = pattern
  }

  static let form = JSONForm(
    Self.init(
      grid:level:frequency:consistency:levelCrossTalk:frequencyCrossTalk:taps:pattern:),
    ("grid", \.grid, .list(GridPoint.form)), ("level", \.level, .optional(Spread.form)),
    ("frequency", \.frequency, .optional(Spread.form)),
    ("consistency", \.consistency, .optional(Spread.form)),
    ("levelCrossTalk", \.levelCrossTalk, .optional(.number(in: 0...200, "dB"))),
    ("frequencyCrossTalk", \.frequencyCrossTalk, .optional(.number(in: 0...100))),
    ("taps", \.taps, .list(Tap.form)), ("pattern", \.pattern, .optional(Pattern.form)))
}

extension ProfileVerification.Spread {
  /// The spread of errors of either sign; nil without any.
  ///
  /// The 95th percentile is the size that at least 95 % of the errors do not exceed.
  public init?(of errors: [Double]) {
    let sizes = errors.map { abs($0) }.sorted()
    guard let greatest = sizes.last else { return nil }
    let place = Int((0.95 * Double(sizes.count)).rounded(.up))
    self.init(
      rms: (sizes.reduce(0) { $0 + $1 * $1 } / Double(sizes.count)).squareRoot(),
      percentile95: sizes[max(0, place - 1)], greatest: greatest)
  }
}
