public import Actuators
public import Calibration
public import Devices
public import Perception
public import Profiles

extension CalibrationSubject {
  /// What a rig file says of an actuator, under given laws.
  public init(
    rig: RigDescription, actuator: Actuator, target: IntensityTarget,
    sharpness: SharpnessLaw, referenceIsGiven: Bool, earlier: CalibrationProfile? = nil,
    run: String, program: String, date: String
  ) {
    let sensor = rig.capture.channel(.acceleration)?.sensor
    let sound: [DriveRole] = [.audio, .audioLeft, .audioRight]
    self.init(
      actuator: actuator, rig: rig.name, fullScaleVolts: rig.drive.fullScaleVolts,
      rate: rig.drive.rate,
      hasReference: rig.drive.channels[.reference] != nil
        && rig.capture.channel(.reference) != nil,
      run: run, program: program, date: date)
    sensorUncertainty = sensor?.relativeUncertainty
    sensorDelay = sensor?.delay ?? 0
    sensorBandwidth = sensor?.bandwidth
    otherChannels = sound.compactMap { rig.drive.channels[$0] }.sorted()
    self.target = target
    self.sharpness = sharpness
    self.referenceIsGiven = referenceIsGiven
    self.earlier = earlier
    sensorIsCompared = sensor?.source?.holdsFlatness ?? false
    sensorDelayUncertainty = sensor?.source?.delayUncertainty
  }
}

extension RigDescription {
  /// The rig with one of its actuators alone, its drive on the haptic role; `nil` where it has none
  /// of that id.
  public func focused(on id: String) -> RigDescription? {
    guard let actuator = actuators.first(where: { $0.id == id }) else { return nil }
    var rig = self
    rig.actuators = [actuator]
    rig.drive.channels[.haptic] = channel(of: actuator)
    return rig
  }
}
