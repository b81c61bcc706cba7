import Acceptance
import Devices
private import Glibc
import Profiles
import RigDevices
import Units

extension RunRequest {
  /// What a run stands in, by name: the things that a difference between two nights may come from.
  ///
  /// What the caller says of it goes before what the machine and the record say.
  func environment(of record: RunRecord, version: String) -> [String: String] {
    var environment = Host.environment
    environment["haprig"] = version
    let devices = [rig.drive.device.kind, rig.capture.kind]
    // A library that no frame goes through changes nothing.
    if !devices.contains(.alsa) { environment["alsa-lib"] = nil }
    let actuator = rig.actuators[0]
    if let profile {
      environment["profile"] = "sha256 \(profile.hash)"
      if let own = profile.profile.conditions.temperature,
        profile.profile.temperatureNote(at: actuator.temperature) != nil
      {
        environment["profile.temperature"] = EngineeringFormat.text(own, .celsius)
      }
    }
    if let temperature = actuator.temperature {
      environment["temperature"] = EngineeringFormat.text(temperature, .celsius)
    }
    if let contact = actuator.contact { environment["contact"] = contact }
    if let sensor = rig.capture.channel(.acceleration)?.sensor {
      let own = EngineeringFormat.text(sensor.sensitivity, .voltPerMetrePerSecondSquared)
      environment["sensor"] = ([own] + (sensor.date.map { [$0] } ?? [])).joined(separator: ", ")
    }
    // As the first stream that told of it did: the cards' own names, and what they agreed to.
    let stream = record.patterns.flatMap(\.takes).compactMap(\.stream).first
    for device in stream?.negotiations ?? [] {
      environment["card.\(device.direction)"] =
        [device.cardName, device.format.rawValue, device.access].joined(separator: ", ")
    }
    return environment.merging(order.environment) { $1 }
  }
}

extension Host {
  /// What a run is made in, as far as this machine says it; what it does not say is absent.
  static var environment: [String: String] {
    var environment: [String: String] = [:]
    environment["alsa-lib"] = DeviceLibraries.alsa
    var system = utsname()
    if uname(&system) == 0 {
      environment["kernel"] = withUnsafeBytes(of: system.release) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
    }
    environment["governor"] = line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    // Continuous integration knows what it tests: haprig does not guess.
    environment["revision"] = getenv("HAPRIG_REVISION").map { String(cString: $0) }
    return environment.filter { !$0.value.isEmpty }
  }

  private static func line(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = read(descriptor, &buffer, buffer.count)
    return String(decoding: buffer.prefix(max(0, count)).prefix { $0 != 0x0A }, as: UTF8.self)
  }
}
