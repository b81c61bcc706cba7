private import Glibc
import RigDevices

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

  /// The only line of a small file of the system.
  private static func line(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = read(descriptor, &buffer, buffer.count)
    return String(decoding: buffer.prefix(max(0, count)).prefix { $0 != 0x0A }, as: UTF8.self)
  }
}
