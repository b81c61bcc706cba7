import Acceptance
import Actuators
import Devices
import Profiles
import Units

/// What a run stands in, by name: the things that a difference between two nights may come from.
enum RunEnvironment {
  /// What is known of it.
  static func account(
    _ request: RunRequest, _ record: RunRecord, version: String
  ) -> [String: String] {
    var account = Host.environment
    account["haprig"] = version
    let devices = [request.rig.drive.device.kind, request.rig.capture.kind]
    // A library that no frame goes through changes nothing.
    if !devices.contains(.alsa) { account["alsa-lib"] = nil }
    let actuator = request.rig.actuators[0]
    if let profile = request.profile {
      account["profile"] = "sha256 \(profile.hash)"
      if let own = profile.profile.actuator.temperature,
        profile.profile.temperatureNote(at: actuator.temperature) != nil
      {
        account["profile.temperature"] = EngineeringFormat.text(own, .celsius)
      }
    }
    if let temperature = actuator.temperature {
      account["temperature"] = EngineeringFormat.text(temperature, .celsius)
    }
    if let contact = actuator.contact { account["contact"] = contact }
    if let sensor = request.rig.capture.channel(.acceleration)?.sensor {
      let own = EngineeringFormat.text(sensor.sensitivity, .voltPerMetrePerSecondSquared)
      account["sensor"] = ([own] + (sensor.date.map { [$0] } ?? [])).joined(separator: ", ")
    }
    // As the first stream that told of it did: the cards' own names, and what they agreed to.
    let stream = record.patterns.flatMap(\.takes).compactMap(\.stream).first
    for device in stream?.negotiations ?? [] {
      account["card.\(device.direction)"] =
        [device.cardName, device.format.rawValue, device.access].joined(separator: ", ")
    }
    return account
  }
}
