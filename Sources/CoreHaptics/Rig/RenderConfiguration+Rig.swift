import Actuators
import Devices
import HapticRendering
import Profiles
import Units

extension RenderConfiguration {
  /// The standard laws for the first actuator of a rig.
  init(rig: RigDescription, limits: DriveLimits, profile: CalibrationProfile?) {
    self.init()
    rate = rig.drive.rate
    let isTone = rig.actuators[0].kind != .erm
    waveform = isTone ? .tone : .level
    fullScale =
      limits.safeFullScale(fullScaleVolts: rig.drive.fullScaleVolts, isTone: isTone)
      / rig.drive.fullScaleVolts
    guard let profile else { return }
    sharpnessLaw = profile.laws.sharpness
    intensityLaw = profile.laws.intensity
    self.profile = ProfileRendering(
      profile: profile, fullScaleVolts: rig.drive.fullScaleVolts, rate: rig.drive.rate,
      transientLength: transientShape.length)
  }
}
