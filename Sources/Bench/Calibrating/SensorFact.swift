public import Devices
import Units

extension CaptureChannelDescription {
  /// What a certificate says of an accelerometer: its axis, its scale, and what the scale rests on.
  public var sensorFact: String {
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
