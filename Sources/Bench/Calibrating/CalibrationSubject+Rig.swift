public import Calibration
public import Devices
public import Perception
public import Profiles

extension CalibrationSubject {
  /// What a rig file says of an actuator, under given laws.
  public init(
    rig: RigDescription, actuator: ActuatorDescription, target: IntensityTarget,
    sharpness: SharpnessLaw, referenceIsGiven: Bool, earlier: CalibrationProfile? = nil,
    run: String, program: String, date: String
  ) {
    let sensor = rig.capture.channel(.acceleration)?.sensor
    let sound: [DriveRole] = [.audio, .audioLeft, .audioRight]
    self.init(
      id: actuator.id, model: actuator.model, kind: actuator.kind, rig: rig.name,
      limits: actuator.limits, fullScaleVolts: rig.drive.fullScaleVolts,
      rate: rig.drive.rate, mass: actuator.mass, contact: actuator.contact,
      temperature: actuator.temperature, sensorUncertainty: sensor?.relativeUncertainty,
      sensorDelay: sensor?.delay ?? 0, sensorBandwidth: sensor?.bandwidth,
      hasReference: rig.drive.channels[.reference] != nil
        && rig.capture.channel(.reference) != nil,
      otherChannels: sound.compactMap { rig.drive.channels[$0] }.sorted(), target: target,
      sharpness: sharpness, referenceIsGiven: referenceIsGiven, earlier: earlier, run: run,
      program: program, date: date)
    sensorIsCompared = sensor?.source?.holdsFlatness ?? false
    sensorDelayUncertainty = sensor?.source?.delayUncertainty
  }
}

extension ProfileConditions {
  /// What a rig file says of an actuator's surroundings.
  public init(_ actuator: ActuatorDescription, on rig: RigDescription) {
    self.init(
      temperature: actuator.temperature, mass: actuator.mass, contact: actuator.contact,
      axis: rig.capture.axes)
  }
}

extension RigDescription {
  /// The rig with one of its actuators alone, its drive on the haptic role; `nil` where it has none
  /// of that id.
  public func focused(on id: String) -> RigDescription? {
    guard let actuator = actuators.first(where: { $0.id == id }) else { return nil }
    var rig = self
    rig.actuators = [actuator]
    rig.drive.channels[.haptic] = actuator.channel
    return rig
  }
}
