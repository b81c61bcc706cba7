import Devices
import Glibc
import Paths

enum VirtualCardPlugin {
  /// The file's name, which ALSA forms of the type's.
  static let fileName = "libasound_module_pcm_haprig.so"
  /// The PCM's name in the configuration that is made here.
  static let pcmName = "haprig_virtual_card"

  /// The places to look at, in order: what a person says, beside the program, ALSA's own folder.
  static func candidates(environment: (String) -> String? = variable) -> [String] {
    var places: [String] = []
    if let named = environment("HAPRIG_ALSA_PLUGIN") { places.append(named) }
    if let program = SystemFiles().resolved("/proc/self/exe") {
      places.append(FilePath.join(FilePath.folder(of: program), fileName))
    }
    if let folder = environment("ALSA_PLUGIN_DIR") { places.append("\(folder)/\(fileName)") }
    for folder in [
      "/usr/lib/x86_64-linux-gnu/alsa-lib", "/usr/lib/aarch64-linux-gnu/alsa-lib",
      "/usr/lib64/alsa-lib", "/usr/lib/alsa-lib",
    ] {
      places.append("\(folder)/\(fileName)")
    }
    return places
  }

  static func path(rig: String, places: [String] = candidates()) throws(DeviceError) -> String {
    for place in places {
      if let path = SystemFiles().resolved(place) { return path }
    }
    throw DeviceError(
      .notFound, device: rig,
      message:
        "the virtual card's plug-in \(fileName) is in none of \(places.joined(separator: ", ")): "
        + "build it with 'swift build --product asound_module_pcm_haprig', or name the file in "
        + "HAPRIG_ALSA_PLUGIN")
  }

  /// ALSA's configuration of one virtual card, which no other program shares.
  static func configuration(
    plugin: String, rigFile: String, clock: SimulationDescription.Clock, state: String
  ) -> String {
    """
    pcm_type.haprig { lib "\(escaped(plugin))" }
    pcm.\(pcmName) {
      type haprig
      rig "\(escaped(rigFile))"
      clock "\(clock.rawValue)"
      state "\(escaped(state))"
    }

    """
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
  }

  private static func variable(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
