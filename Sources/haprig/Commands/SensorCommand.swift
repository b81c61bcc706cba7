// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Bench
import Devices
import JSONText
import LiveRuns
import Paths
import Reporting
import RigDevices
import RigFiles
import RunArchive
import SignalAnalysis
import Units
import Workflows

struct SensorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sensor",
    abstract: "Calibrate the rig's accelerometer, by gravity or by a reference sensor.",
    discussion: """
      With --flip nothing is driven. Lay the sensor so that each end of each axis points up in turn; gravity gives \
      its scale and offset. The command waits for a line on standard input at each position. With --reference the \
      actuator shakes both sensors, and the reference sensor gives scale, flatness and delay.

      The result is written to a sensor file. In the rig file a capture channel refers to it by 'certificate: \
      sensors/NAME.yaml', instead of sensitivity, uncertainty and date.

      EXAMPLES
        haprig sensor --flip --rig bench.yaml
        haprig sensor --flip --rig bench.yaml --gravity 9.8123 --out sensors/adxl-17.yaml
        haprig sensor --reference ref --channel z --rig bench.yaml --actuator lra-07
      """)

  @Flag(help: "By gravity: six positions for three axes, two for one.")
  var flip = false

  @Option(help: "By comparison with this acceleration channel of the rig.")
  var reference: String?

  @OptionGroup var rig: RigFileOption

  @Option(help: "The actuator that shakes the sensors (default: the only one on the rig).")
  var actuator: String?

  @Option(
    help: """
      The acceleration channel to calibrate; with --flip, may be given several times (default: \
      all but the reference).
      """)
  var channel: [String] = []

  @Option(
    help: """
      Local gravity in m/s2 (default: 9.80665; gravity differs from it by up to 0.3 % from place \
      to place).
      """)
  var gravity: Double?

  @Option(help: "The sensor's name (default: the rig's name).")
  var name: String?

  @Option(
    help: """
      The sensor file to write (default: sensors/NAME.yaml beside the rig file).
      """, completion: .yaml)
  var out: String?

  @Flag(help: "Print what was found as JSON.")
  var json = false

  @Flag(name: .shortAndLong, help: "Show no progress, but still ask the questions.")
  var quiet = false

  func validate() throws {
    try Usage.require(
      flip != (reference != nil),
      "Calibrate by gravity (--flip) or by another sensor (--reference CHANNEL)")
    try Usage.require(flip || gravity == nil, "--gravity goes with --flip")
    try Usage.require(!flip || actuator == nil, "--flip drives no actuator: leave --actuator out")
    try Usage.require(
      flip || channel.count <= 1, "--reference calibrates one channel: name one with --channel")
    try Usage.require("--gravity", gravity, in: 9.7...9.9, " m/s2")
    if let name, name.isEmpty || name.utf8.count > 200 {
      throw ValidationError("--name takes a text of 1 to 200 bytes")
    }
  }

  func run() async throws {
    let user = RigOperator.terminal(isQuiet: quiet)
    guard let reference else {
      let flip = try FlipWorkflow(
        rig: RigFolder(file: try rig.file), channels: channel, sensor: name, gravity: gravity,
        by: user)
      return try await keep(flip.sensor, by: user) { try await flip.measure() }
    }
    let comparison = try ComparisonWorkflow(
      ActuatorChoice(rig: rig.file, actuator: actuator), channel: channel.first,
      reference: reference, sensor: name, by: user)
    try await keep(comparison.sensor, by: user) { try await comparison.measure() }
  }

  private func keep(
    _ sensor: String, by user: RigOperator, measure: () async throws -> SensorFile
  ) async throws {
    let path =
      try out ?? RigFolder(file: rig.file).path(of: "sensors/" + Self.fileName(sensor) + ".yaml")
    // Told now rather than after the sensor was turned six times.
    try Folder.make(FilePath.folder(of: path))
    let file = try await measure()
    try user.checkSensor()
    do {
      try AtomicFile.write(file.text, to: path)
    } catch {
      // What was measured with so many hands is not lost with the file.
      Console.error(file.text)
      throw error
    }
    Console.out(SensorListing(file: file, path: path), asJSON: json)
  }

  private static func fileName(_ name: String) -> String {
    let plain = name.map { character in
      let isPlain = character.isASCII && (character.isLetter || character.isNumber)
      return isPlain || "-_.".contains(character) ? character : "-"
    }
    return plain.first == "." ? "-" + String(plain.dropFirst()) : String(plain)
  }
}

private struct SensorListing: Listing {
  let file: SensorFile
  let path: String

  var text: String {
    let table = TextTable(
      head: ["axis", "channel", "scale", "uncertainty (k = 1)", "was", "offset", "noise"],
      rows: file.axes.map { axis in
        [
          axis.name, axis.channel, axis.scale.text, Self.percent(axis.uncertainty),
          axis.previous?.text ?? "",
          axis.offset.map {
            EngineeringFormat.text($0.value, .metrePerSecondSquared, uncertainty: $0.uncertainty)
          } ?? "",
          axis.noise.map { EngineeringFormat.text($0, .metrePerSecondSquared) } ?? "",
        ]
      })
    return table.text + assumptions + comparison + "sensor file: \(path)\n"
  }

  private var assumptions: String {
    guard let assumed = file.assumed else { return "" }
    let known =
      assumed.gravityUncertainty > 0.001
      ? ", good to 0.3 % anywhere on earth; give the value of the place with --gravity"
      : " as given"
    return "assumed: gravity \(assumed.gravity) m/s2\(known); axes upright within "
      + "\(EngineeringFormat.significant(assumed.tilt)) deg (1 sigma)\n"
  }

  private var comparison: String {
    guard let reference = file.reference, let axis = file.axes.first else { return "" }
    var text = "reference: \(reference.channel), \(Self.percent(reference.uncertainty))"
    if let date = reference.date { text += ", certificate of \(date)" }
    if let delay = axis.delay {
      text +=
        "\ndelay after it: "
        + EngineeringFormat.text(delay.value, .second, uncertainty: delay.uncertainty)
    }
    if let low = axis.flatness.min(by: { $0.ratio < $1.ratio }),
      let high = axis.flatness.max(by: { $0.ratio < $1.ratio })
    {
      text += "\nflat within \(Self.decibels(low)) to \(Self.decibels(high))"
    }
    return text + "\n"
  }

  private static func decibels(_ point: SensorFile.Flatness) -> String {
    "\(EngineeringFormat.fixed(Decibels.of(amplitude: point.ratio), 2)) dB (at "
      + "\(EngineeringFormat.significant(point.frequency)) Hz)"
  }

  private static func percent(_ ratio: Double) -> String {
    EngineeringFormat.significant(ratio * 100) + " %"
  }

  var json: JSONValue {
    let (assumed, reference) = (file.assumed, file.reference)
    return .object(of: [
      "file": path, "sensor": file.sensor, "date": file.date, "method": file.method.rawValue,
      "program": file.program, "rig": file.rig, "axes": file.axes.map(Self.json),
      "assumed": assumed.map {
        JSONValue.object(of: [
          "gravity": $0.gravity, "gravityUncertainty": $0.gravityUncertainty, "tilt": $0.tilt,
        ])
      },
      "reference": reference.map {
        JSONValue.object(all: [
          "channel": $0.channel, "uncertainty": $0.uncertainty, "date": $0.date,
        ])
      },
    ])
  }

  private static func json(_ axis: SensorFile.Axis) -> JSONValue {
    let flatness = axis.flatness.map { point in
      JSONValue.object(of: [
        "frequency": point.frequency, "ratio": point.ratio, "uncertainty": point.uncertainty,
      ])
    }
    let scale = member(axis.scale)
    return .object(of: [
      "axis": axis.name, "channel": axis.channel, scale.key: scale.value,
      "uncertainty": axis.uncertainty,
      "before": axis.previous.map { JSONValue.object([member($0)]) },
      "offset": axis.offset?.value, "offsetUncertainty": axis.offset?.uncertainty,
      "delay": axis.delay?.value, "delayUncertainty": axis.delay?.uncertainty,
      "noise": axis.noise, "flatness": flatness.isEmpty ? nil : flatness,
    ])
  }

  /// In V/(m/s2), or true m/s2 for each that is told.
  private static func member(_ scale: SensorFile.Scale) -> JSONMember {
    switch scale {
    case .sensitivity(let value): JSONMember("sensitivity", .number(value))
    case .factor(let value): JSONMember("factor", .number(value))
    }
  }
}

struct LatencyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "latency",
    abstract: "Measure the electrical delay from the reference output to the reference input.",
    discussion: """
      Connect the reference output to the reference input with a wire. The command plays sweeps in several streams \
      and restarts the devices for each. It prints the delay, its spread within a stream and between restarts, and \
      the drift between the two clocks. If a number cannot be trusted, it prints the reason instead, and the exit \
      code is 1.

      EXAMPLE
        haprig latency --rig rigs/simulated-lra.yaml --restarts 3
      """)

  @OptionGroup var rig: RigOptions

  @Option(help: "How many streams to play, with the devices restarted for each.")
  var restarts = 5

  @Option(help: "The length of each stream in seconds.")
  var seconds = 10.0

  @Flag(help: "Print the measurement as JSON.")
  var json = false

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false

  func validate() throws {
    try Usage.require("--restarts", restarts, in: 1...1000)
    try Usage.require("--seconds", seconds, in: 1.3...3600)
  }

  func run() async throws {
    let user = RigOperator.terminal(isQuiet: quiet)
    defer { user.tell(.idle) }
    let description = try rig.choice.readToPlay()
    try description.requireReference(for: "latency", file: rig.rig.file)
    user.tell(.work(LiveEvent.Work(rig: description.name, title: "latency")))
    let open = try OpenSession(description, without: "latency needs a rig that records", by: user)
    let measured: LatencyMeasurement
    do {
      measured = try await LatencyMeasurement.measure(
        LatencyPlan(restarts: restarts, duration: seconds), on: description,
        session: open.session
      ) { user.tell(.step("latency", share: $0)) }
    } catch let refusal as LatencyRefusal {
      throw ExitStatus(.failed, "\(description.name): not measured: \(refusal)")
    }
    user.tell(.idle)
    Console.out(
      LatencyListing(rig: description.name, measured: measured), asJSON: json, sortedKeys: true)
    try open.finish()
  }
}

private struct LatencyListing: Listing {
  let rig: String
  let measured: LatencyMeasurement

  private func seconds(_ frames: Double) -> Double { measured.rate.seconds(frames) }

  private func time(_ frames: Double) -> String {
    EngineeringFormat.text(seconds(frames), .second, finest: MeasurementUnit.second.finest)
  }

  var text: String {
    let (delay, drift, streams) = (measured.delay, measured.drift, measured.streams)
    let whole = delay.value.rounded(.down)
    let sweeps = streams.reduce(0) { $0 + $1.sweepCount }
    let latency = EngineeringFormat.text(
      seconds(delay.value), .second, uncertainty: seconds(delay.uncertainty))
    let rest = EngineeringFormat.fixed(delay.value - whole, 4)
    var lines = [
      "\(rig): electrical loop, \(sweeps) sweeps in \(Count.of(streams.count, "stream"))",
      "  latency           \(latency)",
      "                    \(Int(whole)) frames + \(rest) at \(measured.rate)",
      "  within a stream   \(time(measured.withinSpread)) (one standard deviation of a sweep; by "
        + "the noise alone it would be \(time(measured.cramerRaoBound)))",
    ]
    if let spread = measured.restartSpread {
      let values = streams.map(\.delay.value)
      let range = (values.max() ?? 0) - (values.min() ?? 0)
      lines.append(
        "  between restarts  \(time(spread)) (one standard deviation; range \(time(range)))")
    }
    let clocks = EngineeringFormat.text(
      drift.value, .partsPerMillion, uncertainty: drift.uncertainty)
    lines.append("  drift             \(clocks)")
    let rejected = streams.flatMap(\.rejected)
    if !rejected.isEmpty {
      lines.append("  left out          \(rejected.count) sweeps, the first: \(rejected[0])")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  var json: JSONValue {
    let (delay, drift) = (measured.delay, measured.drift)
    return .object(of: [
      "rig": rig, "rate": measured.rate.hertz,
      "latency": JSONValue.object(of: [
        "value": seconds(delay.value), "unit": "s", "uncertainty": seconds(delay.uncertainty),
        "frames": delay.value,
      ]),
      "drift": JSONValue.object(of: [
        "value": drift.value, "unit": "ppm", "uncertainty": drift.uncertainty,
      ]),
      "withinStream": seconds(measured.withinSpread),
      "cramerRaoBound": seconds(measured.cramerRaoBound),
      "streams": measured.streams.map(stream),
      "betweenRestarts": measured.restartSpread.map(seconds),
    ])
  }

  private func stream(_ stream: LatencyStream) -> JSONValue {
    .object(of: [
      "latency": seconds(stream.delay.value), "uncertainty": seconds(stream.delay.uncertainty),
      "drift": stream.drift.value, "driftUncertainty": stream.drift.uncertainty,
      "scatter": seconds(stream.scatter), "sweeps": stream.sweepCount,
      "signalToNoise": stream.signalToNoise, "gain": stream.gain, "rejected": stream.rejected,
    ])
  }
}
