public import Acceptance
public import Actuators
public import Devices
public import HapticRendering
public import Perception
import Units

/// Describing a run's rig, actuator and laws in its record.
public enum RunAccount {
  /// The rig as records show it.
  public static func rig(_ rig: RigDescription) -> RunRecord.Rig {
    RunRecord.Rig(
      name: rig.name, device: rig.drive.device.kind.rawValue, rate: rig.drive.rate.hertz,
      fullScaleVolts: rig.drive.fullScaleVolts,
      driveChannels: Dictionary(
        uniqueKeysWithValues: rig.drive.channels.map { ($0.key.rawValue, $0.value) }))
  }

  /// The actuator as records show it: with the two voltages that it bears.
  public static func actuator(_ actuator: Actuator) -> Actuator {
    Actuator(
      id: actuator.id, model: actuator.model, kind: actuator.kind,
      limits: DriveLimits(
        continuousVolts: actuator.limits.continuousVolts, peakVolts: actuator.limits.peakVolts))
  }

  /// The laws by name.
  public static func laws(
    _ configuration: RenderConfiguration, _ target: IntensityTarget
  ) -> [String: String] {
    var laws = configuration.lawNames
    laws["contour"] = target.contour.name
    laws["level"] = target.law.name
    return laws
  }
}
