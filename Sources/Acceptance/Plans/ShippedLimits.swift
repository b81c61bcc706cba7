/// The limits of a run whose plan states none: what a good rig passes and a bad one does not.
///
/// What the rig could show it must show: a reference that is wired owes an electrical latency, a probe a transport
/// latency. What a pattern may lack, as sound or events, is not required.
public struct ShippedLimits: Sendable, Equatable {
  /// Whether a reference is wired from drive to capture.
  public var hasReference: Bool
  /// Whether the recording is started together with the drive, so that the delay between them says something.
  public var startsTogether: Bool

  /// Tells what the rig can show.
  public init(hasReference: Bool = true, startsTogether: Bool = true) {
    self.hasReference = hasReference
    self.startsTogether = startsTogether
  }

  /// The limits on rig, timing and, of calibrated runs, feel.
  ///
  /// - Parameter hasProbe: Whether each take begins with a sweep that identifies the actuator.
  /// - Returns: The limits in the order in which they are tried.
  public func limits(hasProbe: Bool) -> [Limit] {
    rig + timing(hasProbe: hasProbe) + Self.feel
  }

  private var rig: [Limit] {
    [
      Limit(ReadingName(.dropouts), .below(0, marginal: nil)),
      Limit(ReadingName(.xruns), .below(0, marginal: nil)),
      Limit(ReadingName(.overloads), .below(0, marginal: nil)),
      // Two crystals of 100 ppm each.
      Limit(ReadingName(.drift), .within(200, marginal: 100), required: false),
      Limit(ReadingName(.eventsScored), .above(0, marginal: 0.9), required: false),
    ]
  }

  private func timing(hasProbe: Bool) -> [Limit] {
    [
      // Beyond 50 ms a touch is felt as late (Kaaresoja, Brewster and Lantz 2014).
      Limit(
        ReadingName(.latencyElectrical), .below(50e-3, marginal: 20e-3),
        required: hasReference && startsTogether),
      Limit(
        ReadingName(.latencyTransport), .below(10e-3, marginal: 5e-3),
        required: hasReference && hasProbe),
      // The bounds of sync, for an event without a sound. Without a reference it holds the electrical delay.
      Limit(
        ReadingName(.latencyEvent),
        hasReference ? .within(24e-3, marginal: 10e-3) : .within(74e-3, marginal: 30e-3),
        required: false),
      Limit(ReadingName(.latencyJitter), .below(1e-3, marginal: 0.2e-3), required: false),
      Limit(ReadingName(.syncAudioHaptic), .syncBands, required: false),
    ]
  }

  /// Points of one and of two just noticeable differences are 50 and 6.25, those of correlations of 0.71 and 0.5
  /// are 50 and 25.
  private static let feel: [Limit] =
    [ReadingKind.harmonyIntensity, .harmonySharpness, .harmonyDecay].map {
      Limit(
        ReadingName($0), .above(6.25, marginal: 50), required: false, isCalibratedOnly: true)
    } + [
      Limit(
        ReadingName(.harmonyEnvelope), .above(25, marginal: 50), required: false,
        isCalibratedOnly: true),
      Limit(
        ReadingName(.eventsDropped), .below(0, marginal: nil), required: false,
        isCalibratedOnly: true),
    ]
}

extension Plan {
  /// The plan of a run that names patterns and no plan.
  public static func standard(_ shipped: ShippedLimits) -> Plan {
    Plan(name: "standard", limits: shipped.limits(hasProbe: true))
  }
}
