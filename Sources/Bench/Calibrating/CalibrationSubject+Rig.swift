package import Calibration
package import Devices
package import Perception
package import Profiles
import Units

extension CalibrationSubject {
  package init(
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
  package init(_ actuator: ActuatorDescription, on rig: RigDescription) {
    self.init(
      temperature: actuator.temperature, mass: actuator.mass, contact: actuator.contact,
      axis: rig.capture.axes)
  }
}

extension CaptureChannelDescription {
  /// What a certificate says of an accelerometer: its axis, its scale, and what the scale rests on.
  package var sensorFact: String {
    var parts = [axis.map { "axis \($0)" } ?? "no axis given"]
    // A device that tells m/s2 has no volts; what a certificate corrects of it is a factor.
    if fullScaleVolts == nil, productString != .fullScale {
      parts.append("answers in m/s2")
      if let scale = sensor?.sensitivity, scale != 1 {
        parts.append("times a factor of \(EngineeringFormat.significant(1 / scale))")
      }
    } else if let sensor {
      parts.append("\(EngineeringFormat.significant(1e3 * sensor.sensitivity)) mV/(m/s2)")
    }
    let day = sensor?.date.map { "of \($0)" }
    if let source = sensor?.source {
      parts.append("\(source.method) in \(source.file) \(day ?? "of no date given")")
    } else {
      parts.append(day.map { "certificate \($0)" } ?? "certificate of no date given")
    }
    let share = sensor?.relativeUncertainty.map { EngineeringFormat.significant(100 * $0) + " %" }
    return (parts + ["standard uncertainty \(share ?? "not given")"]).joined(separator: ", ")
  }
}
