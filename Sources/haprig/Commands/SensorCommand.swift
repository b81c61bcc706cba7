import ArgumentParser
import Bench
import Devices
import JSONText
import Paths
import RigFiles
import RunArchive
import Workflows

/// Calibrates accelerometers by gravity, or by another accelerometer.
struct SensorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sensor",
    abstract: "Calibrate the rig's accelerometer, by gravity or by a reference sensor.",
    discussion: """
      With --flip nothing is driven: the sensor is laid with each end of each axis up, and gravity \
      gives scale and offset. Each position waits for a line on standard input. With --reference the \
      actuator shakes both sensors, and the reference gives scale, flatness and delay.

      What was found is written to a sensor file. A capture channel of the rig file names it by \
      'certificate: sensors/NAME.yaml', in the place of sensitivity, uncertainty and date.

      EXAMPLES
        haprig sensor --flip --rig bench.yaml
        haprig sensor --flip --rig bench.yaml --gravity 9.8123 --out sensors/adxl-17.yaml
        haprig sensor --reference ref --channel z --rig bench.yaml --actuator lra-07
      """)

  @Flag(name: .long, help: "By gravity: six positions for three axes, two for one.")
  var flip = false

  @Option(name: .long, help: "By comparison with this acceleration channel of the rig.")
  var reference: String?

  @Option(
    name: .long, help: "The rig's description (rigs/*.yaml).",
    completion: .file(extensions: ["yaml"]))
  var rig: String

  @Option(name: .long, help: "The actuator that shakes the sensors; the rig's only one.")
  var actuator: String?

  @Option(
    name: .long,
    help: "The acceleration channel to calibrate, several for --flip; all but the reference.")
  var channel: [String] = []

  @Option(name: .long, help: "Local gravity in m/s2; 9.80665, which is good to 0.3 %.")
  var gravity: Double?

  @Option(name: .long, help: "The sensor's name; the rig's.")
  var name: String?

  @Option(
    name: .long, help: "The sensor file; sensors/NAME.yaml beside the rig file.",
    completion: .file(extensions: ["yaml"]))
  var out: String?

  @Flag(name: .long, help: "Print what was found as JSON.")
  var json = false

  @Flag(name: .shortAndLong, help: "Show no progress; questions are asked all the same.")
  var quiet = false

  func validate() throws {
    guard flip != (reference != nil) else {
      throw ValidationError(
        "Calibrate by gravity (--flip) or by another sensor (--reference CHANNEL)")
    }
    guard flip || gravity == nil else {
      throw ValidationError("--gravity goes with --flip")
    }
    guard !flip || actuator == nil else {
      throw ValidationError("--flip drives no actuator: leave --actuator out")
    }
    guard flip || channel.count <= 1 else {
      throw ValidationError("--reference calibrates one channel: name one with --channel")
    }
    if let gravity, !(9.7...9.9).contains(gravity) {
      throw ValidationError("--gravity takes 9.7 to 9.9 m/s2, not \(gravity)")
    }
    if let name, name.isEmpty || name.utf8.count > 200 {
      throw ValidationError("--name takes a text of 1 to 200 bytes")
    }
  }

  func run() async throws {
    let user = RigOperator.terminal(isQuiet: quiet)
    try await ExitStatus.awaited {
      guard let reference else {
        let flip = try FlipWorkflow(
          rig: RigFolder(file: rig), channels: channel, sensor: name, gravity: gravity, by: user)
        return try await keep(flip.sensor, by: user) { try await flip.measure() }
      }
      let comparison = try ComparisonWorkflow(
        ActuatorChoice(rig: rig, actuator: actuator), channel: channel.first,
        reference: reference, sensor: name, by: user)
      try await keep(comparison.sensor, by: user) { try await comparison.measure() }
    }
  }

  /// Measures a sensor, and writes what was found.
  private func keep(
    _ sensor: String, by user: RigOperator, measure: () async throws -> SensorFile
  ) async throws {
    let path = out ?? RigFolder(file: rig).path(of: "sensors/" + Self.fileName(sensor) + ".yaml")
    // Told now rather than after the sensor was turned six times.
    try Folder.make(FilePath.folder(of: path))
    let account = SensorAccount(file: try await measure(), path: path)
    try user.checkSensor()
    do {
      try AtomicFile.write(account.file.text, to: path)
    } catch {
      // What was measured with so many hands is not lost with the file.
      Console.error(account.file.text)
      throw error
    }
    Console.out(
      json ? account.json.text(indent: 1) + "\n" : account.text + "sensor file: \(path)\n")
  }

  /// A name as part of a file's name.
  private static func fileName(_ name: String) -> String {
    let plain = name.map { character in
      let isPlain = character.isASCII && (character.isLetter || character.isNumber)
      return isPlain || "-_.".contains(character) ? character : "-"
    }
    return plain.first == "." ? "-" + String(plain.dropFirst()) : String(plain)
  }
}
