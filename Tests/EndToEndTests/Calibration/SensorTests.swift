// SPDX-License-Identifier: Apache-2.0

import ForeignPlant
import Foundation
import Glibc
import JSONText
import Testing

/// `haprig sensor` on a plant that haprig knows nothing of.
@Suite(
  .disabled(
    if: ForeignPlant.obstacle != nil, Comment(rawValue: ForeignPlant.obstacle ?? "no obstacle")))
struct SensorTests {
  /// A plant that is turned with every start: each recording finds it as the next of a list.
  private func plant(_ orientations: [String], _ more: String...) -> ForeignPlant {
    var plant = ForeignPlant(
      "coinZ-170", "orientation=\(orientations.joined(separator: ","))", "turn=0")
    plant.parameters += more
    return plant
  }

  private static let six = ["+x", "-x", "+y", "-y", "+z", "-z"]

  private func rig(_ channels: [String] = ["z"]) -> ForeignRig {
    var rig = ForeignRig()
    rig.capture = channels + ["reference"]
    return rig
  }

  /// Writes the rig, and the lines that somebody types.
  private func bench(
    _ plant: ForeignPlant, channels: [String] = ["z"], lines: Int
  ) throws -> Workbench {
    let bench = try Workbench()
    try bench.write(try plant.rigFile(rig(channels)), to: "rig.yaml")
    try bench.write(String(repeating: "\n", count: lines), to: "returns")
    return bench
  }

  /// Runs haprig with the file `returns` as its standard input.
  private func sensor(_ bench: Workbench, _ arguments: String...) throws -> Ending {
    let words = ([Workbench.haprig, "sensor"] + arguments + ["--rig", "rig.yaml"])
      .map { "'\($0)'" }.joined(separator: " ")
    return try bench.start(["sh", "-c", "exec \(words) < returns"]).end()
  }

  private func axes(_ ending: Ending) throws -> [JSONValue] {
    try #require(ending.code == 0, "\(ending.errors)")
    let json = try JSONValue(parsing: Array(ending.output.utf8))
    return json["axes"]?.elements ?? []
  }

  @Test func `six positions give scale and offset of three axes`() throws {
    let plant = plant(
      Self.six, "sensor-scale=0.96", "offset=0.3,-0.2,0.11", "noise=60", "cross-axis=0")
    let bench = try bench(plant, channels: ["x", "y", "z"], lines: 6)
    let ending = try sensor(bench, "--flip", "--json")
    let axes = try axes(ending)
    #expect(axes.compactMap { $0["axis"]?.string } == ["x", "y", "z"])
    for (axis, offset) in zip(axes, [0.3, -0.2, 0.11]) {
      let factor = try #require(axis["factor"]?.number)
      let uncertainty = try #require(axis["uncertainty"]?.number)
      #expect(abs(factor * 0.96 - 1) < 2 * uncertainty, "\(factor) ± \(uncertainty)")
      #expect((0.001...0.003).contains(uncertainty), "\(uncertainty)")
      let found = try #require(axis["offset"]?.number)
      #expect(abs(found - offset / 0.96) < 0.005, "\(found)")
      #expect(abs((axis["noise"]?.number ?? 0) / 0.0912 - 1) < 0.05)
    }
    #expect(ending.errors.contains("[1/6] lay the sensor with its +x axis up, then press Return"))
    #expect(bench.names(in: "sensors") == ["foreign-plant-1.yaml"])
  }

  @Test func `gravity of the place makes the scale more certain`() throws {
    let bench = try bench(plant(["+z", "-z"], "sensor-scale=1.05"), lines: 2)
    let axis = try #require(
      try axes(sensor(bench, "--flip", "--gravity", "9.80665", "--json")).first)
    let factor = try #require(axis["factor"]?.number)
    let uncertainty = try #require(axis["uncertainty"]?.number)
    #expect(uncertainty < 0.0005)
    #expect(abs(factor * 1.05 - 1) < 2 * uncertainty)
  }

  @Test func `a rig file that names the sensor file measures true accelerations`() throws {
    let plant = plant(["+z", "-z"], "sensor-scale=0.9")
    let bench = try bench(plant, lines: 2)
    let first = try sensor(bench, "--flip", "--out", "sensors/adxl.yaml")
    #expect(first.code == 0, "\(first.errors)")
    #expect(first.output.contains("good to 0.3 % anywhere on earth"))
    #expect(first.output.contains("sensor file: sensors/adxl.yaml"))
    let text = try plant.rigFile(rig())
    #expect(text.contains("uncertainty: 1 %"))
    try bench.write(
      text.replacing("uncertainty: 1 %", with: "certificate: sensors/adxl.yaml"), to: "rig.yaml")
    // What is left to correct is nothing, and the scale of the file stands.
    let axis = try #require(try axes(sensor(bench, "--flip", "--json")).first)
    let (factor, before) = (axis["factor"]?.number, axis["before"]?["factor"]?.number)
    #expect(abs((before ?? 0) * 0.9 - 1) < 0.005)
    #expect(abs((factor ?? 0) / (before ?? 1) - 1) < 1e-4)
  }

  @Test func `a wrong position is told and asked for again`() throws {
    // Twice +z where -z is asked for, and once on its side.
    let bench = try bench(plant(["+z", "+z", "+x", "-z"]), channels: ["x", "y", "z"], lines: 40)
    let ending = try sensor(bench, "--flip", "--channel", "z")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(
      ending.errors.contains("[2/2] again: the sensor lies upside down: it saw gravity along +z"))
    #expect(ending.errors.contains("[2/2] again: no axis sees gravity (z "))
    #expect(ending.errors.components(separatedBy: "with its -z axis up").count == 4)
  }

  @Test func `crossed axes are told by name`() throws {
    let bench = try bench(plant(Self.six, "wrong-axis=1"), channels: ["x", "y", "z"], lines: 1)
    let ending = try sensor(bench, "--flip")
    #expect(ending.code == 2)
    // The wire of z carries x.
    #expect(
      ending.errors.contains("again: the sensor saw gravity along +z (9.81 m/s2), not along +x"))
    #expect(ending.errors.contains("the input ended before the position +x up was recorded"))
    #expect(bench.names(in: "sensors").isEmpty)
  }

  @Test func `a sensor on its back is told`() throws {
    let bench = try bench(plant(["+z", "-z"], "upside-down=1"), lines: 1)
    let ending = try sensor(bench, "--flip")
    #expect(ending.code == 2)
    #expect(ending.errors.contains("the sensor lies upside down: it saw gravity along -z"))
  }

  @Test(arguments: [
    ("0.101972", "g are taken for m/s2"), ("9.80665", "m/s2 are taken for g"),
  ])
  func `units that are mixed up are no calibration`(scale: String, sentence: String) throws {
    let bench = try bench(plant(["+z", "-z"], "sensor-scale=\(scale)"), lines: 2)
    let ending = try sensor(bench, "--flip")
    #expect(ending.code == 2)
    #expect(ending.errors.contains(sentence), "\(ending.errors)")
    #expect(bench.names(in: "sensors").isEmpty)
  }

  @Test func `a door that slams is no rest`() throws {
    let bench = try bench(plant(["+z", "+z", "-z"], "slam=1"), lines: 3)
    let ending = try sensor(bench, "--flip")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.errors.contains("[1/2] again: the sensor was not still, axis z moved by"))
  }

  @Test func `a sensor that feels no gravity cannot be flipped`() throws {
    let bench = try bench(plant(["+z"], "gravity=0"), lines: 20)
    let ending = try sensor(bench, "--flip")
    #expect(ending.code == 2)
    #expect(ending.errors.contains("a converter that blocks direct current never sees it"))
    #expect(ending.errors.contains("was not found in 10 tries"))
  }

  @Test func `Ctrl-C between two positions writes nothing`() throws {
    let bench = try bench(plant(["+z", "-z"]), lines: 1)
    let command =
      "exec '\(Workbench.haprig)' sensor --flip --rig rig.yaml < <(cat returns; sleep 60)"
    let program = try bench.start(["bash", "-c", command])
    for _ in 0..<12_000 where !program.errorsSoFar.contains("[2/2] lay") { usleep(5_000) }
    program.send(SIGINT)
    let ending = try program.end(within: 30)
    #expect(ending.code == 130, "\(ending.errors)")
    #expect(ending.errors.contains("stopped by signal 2"))
    #expect(bench.names(in: "sensors").isEmpty)
  }

  @Test func `an old sensor file stays where a measurement fails`() throws {
    let bench = try bench(plant(["+z", "-z"]), lines: 1)
    try bench.write("old", to: "sensors/foreign-plant-1.yaml")
    #expect(try sensor(bench, "--flip").code == 2)
    #expect(try bench.bytes("sensors/foreign-plant-1.yaml") == Data("old".utf8))
    #expect(bench.names(in: "sensors") == ["foreign-plant-1.yaml"])
  }

  @Test func `a sensor file behind a link out of the folder is not read`() throws {
    let bench = try bench(plant(["+z", "-z"]), lines: 2)
    let outside = bench.folder.deletingLastPathComponent().appending(path: "outside.yaml")
    try Data("format: haprig-sensor\n".utf8).write(to: outside)
    try FileManager.default.createSymbolicLink(
      at: bench.file("a.yaml"), withDestinationURL: outside)
    let text = try plant(["+z"]).rigFile(rig())
    try bench.write(text.replacing("uncertainty: 1 %", with: "certificate: a.yaml"), to: "rig.yaml")
    let ending = try bench.haprig("sensor", "--flip", "--rig", "rig.yaml")
    #expect(ending.code == 2)
    #expect(ending.errors.contains("a link leads out of the rig file's folder"), "\(ending.errors)")
  }
}

/// A comparison with a reference sensor, on a plant that shakes two.
struct SensorComparisonTests {
  /// A rig with a second accelerometer.
  private func bench(_ second: String) throws -> Workbench {
    let bench = try Workbench()
    try bench.write(Self.program, to: "two.py")
    try bench.commandRig("two.py", "1.06", "7")
    let text = String(decoding: try bench.bytes("rig.yaml"), as: UTF8.self)
    let one = "z: {role: acceleration, unit: m/s2}"
    try #require(text.contains(one))
    try bench.write(
      text.replacing(one, with: "z: {role: acceleration, unit: m/s2}\n    \(second)"),
      to: "rig.yaml")
    return bench
  }

  /// A resonator felt by two sensors: z is wrong by a factor and late by whole frames.
  private static let program =
    Plants.physics + """
      hello = json.loads(sys.stdin.buffer.readline())
      UNITS = {"z": "m/s2", "known": "m/s2", "audio": "V", "reference": "V"}
      channels = [{"name": name, "unit": UNITS[name]} for name in hello["capture"]]
      size = hello["block"] * len(hello["drive"]) * 4
      print(json.dumps({"haprig": 1, "channels": channels}), flush=True)
      body, noise = Resonator(), Noise()
      scale, late = float(sys.argv[1]), int(sys.argv[2])
      line = [0.0] * late
      while True:
          data = sys.stdin.buffer.read(size)
          if len(data) < size:
              break
          drive = struct.unpack("<%df" % (size // 4), data)
          out = []
          for at in range(hello["block"]):
              true = body.step(drive[len(hello["drive"]) * at])
              line.append(true)
              told = {"known": true, "z": scale * line.pop(0), "audio": 0.0, "reference": 0.0}
              out += [told[name] + noise.step() for name in hello["capture"]]
          sys.stdout.buffer.write(struct.pack("<%df" % len(out), *out))
          sys.stdout.buffer.flush()

      """

  @Test func `a reference gives scale, delay and flatness`() throws {
    let bench = try bench("known: {role: acceleration, unit: m/s2, uncertainty: 0.5 %}")
    let ending = try bench.haprig(
      "sensor", "--reference", "known", "--rig", "rig.yaml", "--actuator", "plant-1", "--json")
    try #require(ending.code == 0, "\(ending.errors)")
    let json = try JSONValue(parsing: Array(ending.output.utf8))
    let axis = try #require(json["axes"]?.elements?.first)
    let factor = try #require(axis["factor"]?.number)
    let uncertainty = try #require(axis["uncertainty"]?.number)
    #expect(abs(factor * 1.06 - 1) < 2 * uncertainty, "\(factor) ± \(uncertainty)")
    #expect((0.005...0.008).contains(uncertainty), "\(uncertainty)")
    let delay = try #require(axis["delay"]?.number)
    #expect(abs(delay - 7.0 / 48_000) < 2e-6, "\(delay)")
    let points = axis["flatness"]?.elements ?? []
    #expect(points.count > 20)
    #expect(points.allSatisfy { abs(($0["ratio"]?.number ?? 0) - 1) < 0.02 })
    #expect(json["reference"]?["channel"]?.string == "known")
    #expect(bench.names(in: "sensors") == ["outside-plant-z.yaml"])
  }

  @Test func `a reference without an uncertainty proves nothing`() throws {
    let bench = try bench("known: {role: acceleration, unit: m/s2}")
    let ending = try bench.haprig("sensor", "--reference", "known", "--rig", "rig.yaml")
    #expect(ending.code == 2)
    #expect(ending.errors.contains("the reference 'known' has no uncertainty"))
  }

  @Test func `a reference that is not there is told with those that are`() throws {
    let bench = try bench("known: {role: acceleration, unit: m/s2, uncertainty: 1 %}")
    let ending = try bench.haprig("sensor", "--reference", "other", "--rig", "rig.yaml")
    #expect(ending.code == 2)
    #expect(ending.errors.contains("no acceleration channel 'other': it has z, known"))
  }
}
