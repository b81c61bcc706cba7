import ArgumentParser
import Bench
import Devices
import JSONText
import RigFiles
import RunArchive

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
    Interruption.listen()
    do {
      let folder = RigFolder(file: rig)
      let measurement = try flip ? byGravity(folder) : byReference()
      let path = out ?? folder.path(of: "sensors/" + Self.fileName(measurement.sensor) + ".yaml")
      // Told now rather than after the sensor was turned six times.
      if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
        try Folder.make(String(path[..<slash]))
      }
      let account = SensorAccount(file: try await measurement.measure(), path: path)
      try SensorBench.checkInterruption()
      do {
        try AtomicFile.write(account.file.text, to: path)
      } catch {
        // What was measured with so many hands is not lost with the file.
        Console.error(account.file.text)
        throw error
      }
      Console.out(
        json ? account.json.text(indent: 1) + "\n" : account.text + "sensor file: \(path)\n")
    } catch {
      throw ExitStatus.status(of: error)
    }
  }

  /// A measurement that is about to be made.
  private struct Measurement {
    let sensor: String
    let measure: () async throws -> SensorFile
  }

  private func byGravity(_ folder: RigFolder) throws -> Measurement {
    let description = try folder.read().rig
    let channels = try SensorChannels(description, names: channel, file: rig)
    let sensor = name ?? ([description.name] + channel).joined(separator: "-")
    let workflow = FlipWorkflow(
      file: rig, rig: description, channels: channels, sensor: sensor, gravity: gravity,
      isQuiet: quiet)
    return Measurement(sensor: sensor) { try await workflow.measure() }
  }

  private func byReference() throws -> Measurement {
    let choice = try ActuatorChoice(rig: rig, actuator: actuator)
    let all = SensorChannels.accelerometers(choice.rig)
    let known = try SensorChannels.find(reference ?? "", in: all, file: rig)
    let others = all.filter { $0.place != known.place }
    let wanted: SensorChannels.Channel
    if let name = channel.first {
      wanted = try SensorChannels.find(name, in: others, file: rig)
    } else if others.count == 1 {
      wanted = others[0]
    } else {
      throw InputError(
        "\(rig): beside the reference the rig has \(others.count) acceleration channels: "
          + (others.isEmpty
            ? "add the one that is to be calibrated"
            : "name one with --channel, of "
              + others.map(\.description.name).joined(separator: ", ")))
    }
    guard let uncertainty = known.description.sensor?.relativeUncertainty else {
      throw InputError(
        "\(rig): the reference '\(known.description.name)' has no uncertainty: write 'uncertainty: 1 %' "
          + "from its certificate, or name its sensor file")
    }
    let sensor = name ?? choice.rig.name + "-" + wanted.description.name
    let workflow = ComparisonWorkflow(
      choice: choice, channel: wanted, reference: known, referenceUncertainty: uncertainty,
      sensor: sensor, isQuiet: quiet)
    return Measurement(sensor: sensor) { try await workflow.measure() }
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
