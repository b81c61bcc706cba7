/// Which way of a reading is the better one.
public enum BetterDirection: String, Sendable, Hashable, CaseIterable {
  /// Less is better: latency, jitter, losses, noise.
  case lower
  /// More is better: correlation, pulse to ring.
  case higher
  /// The nearer to 0 the better: errors, offsets.
  case nearerZero
  /// No way is better: any change is to be looked at.
  case steady

  /// The direction of a reading by its name; `steady` for a name that is not known and for controls.
  public init(reading: String) {
    self =
      switch reading {
      case "latency.electrical", "latency.transport", "latency.rise", "latency.onset",
        "latency.event", "latency.total", "latency.jitter", "latency.jitter.stream",
        "latency.jitter.restarts", "consistency.j", "energy.outside", "gamut.outside",
        "quantisation.level", "quantisation.frequency", "quantisation.silenced",
        "quantisation.prolonged", "quantisation.delay",
        "dropouts", "xruns", "xruns.perHour", "overloads", "noise.floor", "drive.limited",
        "mixing.limited", "profile.limited", "voices.dropped", "intensity.contrast",
        "events.dropped", "events.late", "events.extra", "response.rise", "response.braking",
        "response.distortion", "response.crossAxis":
        .lower
      case "envelope.correlation", "pulseToRing", "events.scored", "response.snr": .higher
      case _ where reading == "harmony" || reading.hasPrefix("harmony."): .higher
      case "sync.audioHaptic", "intensity.error", "intensity.jnd", "sharpness.error", "decay.error",
        "drift":
        .nearerZero
      default: .steady
      }
  }

  /// What a change from one level to another is.
  public func course(from before: Double, to after: Double) -> Course {
    let gain: Double =
      switch self {
      case .lower: before - after
      case .higher: after - before
      case .nearerZero: abs(before) - abs(after)
      case .steady: before == after ? 0 : -1
      }
    return gain > 0 ? .better : gain < 0 ? .worse : .same
  }

  /// What a change means for the product.
  public enum Course: String, Sendable, Hashable {
    case better
    case same
    case worse
  }
}
