import Acceptance
import Actuators
import HapticRendering
import Profiles
import SignalAnalysis
import Units

/// Whether the actuator that a take's own probe found can be the one of the profile.
///
/// `haprig check` tells a drift of a hundredth; this tells another actuator, or one that is mounted in another way. A
/// run does not go on with either: its levels would be another device's.
enum MountedActuator {
  /// What temperature and a mount of the same kind move a resonance by: 30 K at 0.1 % a kelvin, and as much
  /// again for a clamp, as a share of f0.
  private static let frequencyRoom = 0.06
  /// What they move Q by, as a factor; the gain is as much the wires' and the amplifier's.
  private static let qRoom = 1.7

  /// Compares; `nil` where the profile has no resonance, or the probe found none.
  static func finding(
    of model: ResonatorModel, of id: String, known profile: ActuatorModel
  ) -> SetupFinding? {
    guard !profile.modes.isEmpty else { return nil }
    // At the levels of the calibration, and of two modes at either.
    let known = profile.modes + profile.levels.map(\.mode)
    let isOne = profile.modes.count == 1
    var reasons: [String] = []
    func compare(
      _ name: String, _ unit: MeasurementUnit, _ found: Estimate, _ values: [Double], room: Double
    ) {
      guard let low = values.min(), let high = values.max(), low > 0 else { return }
      let doubt = 3 * found.uncertainty
      guard found.value - doubt > high * room || found.value + doubt < low / room else { return }
      let nearest = found.value > high ? high : low
      reasons.append(
        "\(name) \(EngineeringFormat.text(found.value, unit)), where the profile has "
          + EngineeringFormat.text(nearest, unit))
    }
    compare(
      "a resonance of", .hertz, model.frequency, known.map(\.f0.value), room: 1 + frequencyRoom)
    if isOne {
      compare("a Q of", .one, model.q, known.map(\.q.value), room: qRoom)
    }
    guard reasons.isEmpty else {
      return SetupFinding(
        .actuator, holds: false,
        "what is mounted is not '\(id)' as the profile knows it: the probe found "
          + "\(reasons.joined(separator: " and ")): mount '\(id)' as it was calibrated, or calibrate "
          + "what is mounted")
    }
    return SetupFinding(
      .actuator, holds: true,
      "the probe found '\(id)' as the profile knows it: f0 "
        + EngineeringFormat.text(
          model.frequency.value, .hertz, uncertainty: model.frequency.uncertainty))
  }
}

extension MountedActuator {
  static func finding(of take: CapturedTake) -> SetupFinding? {
    guard let profile = take.take.configuration.profile?.profile, let model = take.alignment.model
    else { return nil }
    return finding(of: model, of: profile.actuator.id, known: profile.model)
  }
}
