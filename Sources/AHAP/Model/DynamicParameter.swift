// SPDX-License-Identifier: Apache-2.0

/// The parameters that act on a whole pattern while it plays; the raw values are the IDs in a file.
///
/// Ranges, neutral values and ways to combine are those of Apple's documentation and header.
public enum DynamicParameterID: String, Sendable, CaseIterable {
  case hapticIntensity = "HapticIntensityControl"
  case hapticSharpness = "HapticSharpnessControl"
  case hapticAttackTime = "HapticAttackTimeControl"
  case hapticDecayTime = "HapticDecayTimeControl"
  case hapticReleaseTime = "HapticReleaseTimeControl"
  case audioVolume = "AudioVolumeControl"
  case audioPan = "AudioPanControl"
  case audioPitch = "AudioPitchControl"
  case audioBrightness = "AudioBrightnessControl"
  case audioAttackTime = "AudioAttackTimeControl"
  case audioDecayTime = "AudioDecayTimeControl"
  case audioReleaseTime = "AudioReleaseTimeControl"

  /// How a dynamic value joins an event's value.
  public enum Combination: String, Sendable {
    case multiply
    case add
  }

  /// How the value joins the event's value.
  public var combination: Combination {
    switch self {
    case .hapticIntensity, .audioVolume: .multiply
    default: .add
    }
  }

  /// The values that Apple allows; others are moved to the nearer end.
  public var range: ClosedRange<Double> { combination == .multiply ? 0...1 : -1...1 }

  /// The value that changes nothing.
  public var neutral: Double { combination == .multiply ? 1 : 0 }

  /// The events that the parameter acts on; never both.
  public var domain: ParameterDomain {
    switch self {
    case .hapticIntensity, .hapticSharpness, .hapticAttackTime, .hapticDecayTime,
      .hapticReleaseTime:
      .haptic
    default: .audio
    }
  }

  /// The event parameter whose value is changed.
  public var target: EventParameterID {
    switch self {
    case .hapticIntensity: .hapticIntensity
    case .hapticSharpness: .hapticSharpness
    case .hapticAttackTime, .audioAttackTime: .attackTime
    case .hapticDecayTime, .audioDecayTime: .decayTime
    case .hapticReleaseTime, .audioReleaseTime: .releaseTime
    case .audioVolume: .audioVolume
    case .audioPan: .audioPan
    case .audioPitch: .audioPitch
    case .audioBrightness: .audioBrightness
    }
  }

  /// Combines an event's value with a dynamic value and limits the result to the event parameter's
  /// range.
  public func apply(_ dynamic: Double, to event: Double) -> Double {
    let joined = combination == .multiply ? event * dynamic : event + dynamic
    return min(max(joined, target.range.lowerBound), target.range.upperBound)
  }
}

/// A step of a dynamic parameter: from its time on it holds for the whole pattern.
public struct DynamicParameter: Sendable, Hashable {
  /// What is changed.
  public var id: DynamicParameterID
  /// The time in seconds from the start of the pattern.
  public var time: Double
  /// The value within the range of the ID.
  public var value: Double
  /// The rank among the entries of the pattern: of two at one time the higher one wins.
  public var order: Int
  /// Where the parameter stands in its file.
  public var source: SourceMark

  /// Creates a step.
  public init(
    id: DynamicParameterID, time: Double, value: Double, order: Int = 0,
    source: SourceMark = SourceMark()
  ) {
    self.id = id
    self.time = time
    self.value = value
    self.order = order
    self.source = source
  }
}

/// A dynamic parameter over time: straight lines between control points.
///
/// After the last point its value holds.
public struct ParameterCurve: Sendable, Hashable {
  /// A control point.
  public struct Point: Sendable, Hashable {
    /// The time in seconds from the curve's own ``ParameterCurve/time``.
    public var time: Double
    /// The value within the range of the curve's ID.
    public var value: Double

    /// Creates a control point.
    public init(time: Double, value: Double) {
      self.time = time
      self.value = value
    }
  }

  /// The most points that are known to be safe on a phone.
  public static let safePointCount = 16

  /// What is changed.
  public var id: DynamicParameterID
  /// The time in seconds from the start of the pattern.
  public var time: Double
  /// The control points in rising order of time.
  public var points: [Point]
  /// The rank among the entries of the pattern: of two at one time the higher one wins.
  public var order: Int
  /// Where the curve stands in its file.
  public var source: SourceMark

  /// Creates a curve.
  public init(
    id: DynamicParameterID, time: Double, points: [Point], order: Int = 0,
    source: SourceMark = SourceMark()
  ) {
    self.id = id
    self.time = time
    self.points = points
    self.order = order
    self.source = source
  }

  /// The time of the last point in seconds from the start of the pattern.
  public var end: Double { time + (points.last?.time ?? 0) }

  /// Tells whether the points look as if counted from the start of the pattern.
  ///
  /// That is so if the first point equals the curve's time, which is not 0, and the last point lies
  /// beyond the end of the pattern by more than a millisecond. A sign, not a proof: Apple's Jump
  /// meets the first half and is right.
  public func looksAbsolute(patternEnd: Double) -> Bool {
    guard let first = points.first, time != 0, first.time == time else { return false }
    return end > patternEnd + 0.001
  }

  /// Gives the curve whose points, counted from the start of the pattern so far, are counted from
  /// the curve's time.
  public func rebased() -> Self {
    var curve = self
    curve.points = points.map { Point(time: max($0.time - time, 0), value: $0.value) }
    return curve
  }
}
