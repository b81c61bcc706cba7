/// The parameters of an event with a value for each of them.
public struct ResolvedParameters: Sendable, Hashable {
  /// Intensity, 0 to 1.
  public var intensity: Double
  /// Sharpness, 0 to 1.
  public var sharpness: Double
  /// Attack time, 0 to 1, no unit.
  public var attackTime: Double
  /// Decay time, 0 to 1, no unit.
  public var decayTime: Double
  /// Release time, 0 to 1, no unit.
  public var releaseTime: Double
  /// Whether the level holds for the event's duration.
  public var isSustained: Bool
  /// Volume, 0 to 1.
  public var audioVolume: Double
  /// Pitch, -1 to 1.
  public var audioPitch: Double
  /// Balance, -1 to 1.
  public var audioPan: Double
  /// Brightness, 0 to 1.
  public var audioBrightness: Double
}

extension HapticEvent {
  /// The value of a parameter: as written, else the default of the event's kind.
  ///
  /// - Parameters:
  ///   - id: The parameter.
  ///   - defaults: The values of what is not written.
  /// - Returns: The value within the parameter's range.
  public func value(of id: EventParameterID, defaults: EventDefaults = .apple) -> Double {
    parameters[id] ?? defaults.value(of: id, for: kind)
  }

  /// All parameters: as written, else the defaults of the event's kind.
  ///
  /// - Parameter defaults: The values of what is not written.
  /// - Returns: A value for each parameter.
  public func resolved(defaults: EventDefaults = .apple) -> ResolvedParameters {
    func value(_ id: EventParameterID) -> Double { self.value(of: id, defaults: defaults) }
    return ResolvedParameters(
      intensity: value(.hapticIntensity), sharpness: value(.hapticSharpness),
      attackTime: value(.attackTime), decayTime: value(.decayTime),
      releaseTime: value(.releaseTime), isSustained: value(.sustained) >= 0.5,
      audioVolume: value(.audioVolume), audioPitch: value(.audioPitch),
      audioPan: value(.audioPan), audioBrightness: value(.audioBrightness))
  }
}
