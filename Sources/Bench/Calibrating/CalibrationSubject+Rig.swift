// SPDX-License-Identifier: Apache-2.0

package import Actuators
package import Calibration
package import Devices
package import Perception
package import Profiles
import Units

extension CalibrationSubject {
  package init(
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

extension RigDescription {
  /// The rig with one of its actuators alone, its drive on the haptic role; `nil` where it has none
  /// of that id.
  package func focused(on id: String) -> RigDescription? {
    guard let actuator = actuators.first(where: { $0.id == id }) else { return nil }
    var rig = self
    rig.actuators = [actuator]
    rig.drive.channels[.haptic] = channel(of: actuator)
    return rig
  }
}
