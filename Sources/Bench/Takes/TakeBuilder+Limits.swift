import Actuators
import Devices
import HapticRendering
import Profiles
import SignalAnalysis
import Units

extension TakeBuilder {
  /// A probe lowered further than this, as a share of its amplitude, shows the actuator no more.
  static let lowestProbeShare = 0.1

  /// How much of its amplitude the slope limit leaves of the probe, 0...1.
  ///
  /// The probe is the rig's own signal and any amplitude measures alike, so it is lowered as a whole:
  /// its shape, which the fit relies on, stays.
  var probeShare: Double {
    guard let slope = limits.slope else { return 1 }
    let samples = probeSamples
    let steepest = zip(samples, samples.dropFirst()).reduce(0) { max($0, abs($1.1 - $1.0)) }
    let asked =
      steepest * configuration.rate.hertz * configuration.fullScale * rig.drive.fullScaleVolts
    // Not the limit itself: what single precision makes of a sample may be a little more.
    return min(1, (1 - 1e-5) * slope / asked)
  }

  /// Refuses, before anything is played, what cannot be played within the actuator's limits.
  ///
  /// An event whose own drive exceeds a limit, and a probe that a slope limit would leave too weak. What
  /// exceeds a limit for moments only, as where events add up, is not refused but limited and counted.
  ///
  /// - Parameter patterns: What is going to be played.
  /// - Throws: `InputError` that names the event furthest beyond, the limit, and what would keep it.
  public func checkLimits(of patterns: [LoadedPattern]) throws(InputError) {
    if hasProbe, probeShare < Self.lowestProbeShare { throw probeRefusal }
    for pattern in patterns {
      let drive = NominalDrive(
        intent: Intent(timeline: timeline(of: pattern), configuration: configuration),
        configuration: configuration, limits: limits, fullScaleVolts: rig.drive.fullScaleVolts)
      let breaches = drive.breaches()
      guard let worst = breaches.max(by: { $0.excess.ratio < $1.excess.ratio }) else { continue }
      throw refusal(of: pattern, worst, drive, others: breaches.count - 1)
    }
  }

  private func refusal(
    of pattern: LoadedPattern, _ breach: NominalDrive.Breach, _ drive: NominalDrive, others: Int
  ) -> InputError {
    let (event, limit) = (breach.event, breach.excess.limit)
    var drawn = EngineeringFormat.text(breach.volts, .volt)
    if let frequency = breach.frequency {
      drawn += " at \(EngineeringFormat.text(frequency, .hertz))"
    }
    var remedy = "raise 'limits.\(limit.rawValue)' if the actuator's data sheet allows it"
    // Rounded down: what is told has to keep the limit.
    if let highest = drive.highestIntensity(at: breach), highest >= 0.001 {
      let told = EngineeringFormat.significant((highest * 1000).rounded(.down) / 1000)
      remedy = "lower its intensity there to \(told) or less, or \(remedy)"
    }
    let more =
      others == 0 ? "" : "; \(others) other event\(others == 1 ? "" : "s") of it ask too much"
    return InputError(
      "\(pattern.file): event \(event.index) (\(event.kind.rawValue) at "
        + "\(EngineeringFormat.significant(event.start)) s) asks for \(quantity(breach.excess)) at "
        + "\(EngineeringFormat.significant(breach.time)) s, with \(drawn), and \(actuatorName) bears "
        + "\(amount(breach.excess.allowed, of: limit)) ('limits.\(limit.rawValue)'): \(remedy)\(more)"
    )
  }

  private var probeRefusal: InputError {
    let slope = amount(limits.slope ?? 0, of: .slope)
    return InputError(
      "rig \(rig.name): \(actuatorName) bears a slope of \(slope) ('limits.slope'), which leaves the "
        + "probe that identifies it \(EngineeringFormat.significant(100 * probeShare)) % of its "
        + "amplitude: write 'probe: false' in a plan, or raise 'limits.slope' if the actuator's data "
        + "sheet allows it")
  }

  private var actuatorName: String {
    "the actuator '\(rig.actuators[0].id)' on drive channel \(rig.channel(of: rig.actuators[0]))"
  }

  private func quantity(_ excess: DriveLimits.Excess) -> String {
    let asked = amount(excess.asked, of: excess.limit)
    return switch excess.limit {
    case .peak: "a peak of \(asked)"
    case .slope: "a slope of \(asked)"
    case .continuous:
      "an effective voltage of \(asked) over \(EngineeringFormat.text(limits.thermalTime, .second))"
    }
  }

  private func amount(_ value: Double, of limit: DriveLimits.Excess.Limit) -> String {
    switch limit {
    case .peak: EngineeringFormat.text(value, .volt)
    case .slope: EngineeringFormat.text(value, .voltPerSecond)
    case .continuous: EngineeringFormat.text(value, .voltRMS)
    }
  }
}
