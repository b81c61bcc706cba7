// SPDX-License-Identifier: Apache-2.0

import Devices
import RigFiles
import Testing

/// A capture channel whose scale a sensor file says.
struct CertificateTests {
  private struct Missing: Error, CustomStringConvertible {
    let description = "there is no such file"
  }

  private static let voltSensor = flippedSensor.replacing(
    "factor: 1.0234", with: "sensitivity: 10.4 mV/g"
  ).replacing("before: {factor: 1}", with: "before: {sensitivity: 10.2 mV/g}")

  /// Reads a rig whose folder holds some sensor files.
  private func read(
    _ text: String, _ files: [String: String] = ["sensors/adxl.yaml": flippedSensor]
  ) throws -> RigDescription {
    try RigDescription(yaml: Array(text.utf8), file: "rigs/bench.yaml") { path in
      guard let file = files[path] else { throw Missing() }
      return Array(file.utf8)
    }
  }

  /// The command rig with more in its acceleration channel.
  private func command(_ more: String) throws -> String {
    try rigFile("unit: m/s2}", with: "unit: m/s2, \(more)}")
  }

  /// The simulated rig with something in the place of its sensitivity.
  private func converter(_ words: String) throws -> String {
    try rigFile("sensitivity: 10.2 mV/g", with: words, of: simulated)
  }

  @Test func `a factor scales what a program tells`() throws {
    let rig = try read(command("axis: z, certificate: sensors/adxl.yaml"))
    let sensor = try #require(rig.capture.channels[0].sensor)
    #expect(abs(sensor.sensitivity * 1.0234 - 1) < 1e-12)
    #expect(abs((sensor.relativeUncertainty ?? 0) - 0.0021) < 1e-12)
    #expect(sensor.date == "2026-11-21")
  }

  @Test func `a sensitivity stands for the one of a rig file`() throws {
    let rig = try read(
      converter("axis: z, certificate: sensors/adxl.yaml, delay: 1 ms"),
      ["sensors/adxl.yaml": Self.voltSensor])
    let sensor = try #require(rig.capture.channels[0].sensor)
    #expect(abs(sensor.sensitivity - 10.4e-3 / 9.80665) < 1e-12)
    #expect(sensor.delay == 1e-3)
  }

  @Test func `a comparison tells delay and flatness, where the rig file does not`() throws {
    let compared = flippedSensor.replacing("method: flip", with: "method: comparison")
      .replacing(
        "    factor: 1.0234",
        with: "    factor: 1.0234\n    delay: 175 us\n    delay-uncertainty: 3 us")
    func sensor(_ more: String, _ file: String) throws -> SensorCertificate {
      let rig = try read(
        command("certificate: sensors/adxl.yaml\(more)"), ["sensors/adxl.yaml": file])
      return try #require(rig.capture.channels[0].sensor)
    }
    let taken = try sensor("", compared)
    #expect(abs(taken.delay - 175e-6) < 1e-12)
    let source = try #require(taken.source)
    #expect(source.file == "sensors/adxl.yaml" && source.method == "comparison")
    #expect(source.holdsFlatness && abs((source.delayUncertainty ?? 0) - 3e-6) < 1e-12)
    for (more, delay) in [(", bandwidth: 5 kHz", 0.0), (", delay: 1 ms", 1e-3)] {
      let own = try sensor(more, compared)
      #expect(own.delay == delay && own.source?.delayUncertainty == nil)
    }
    let flipped = try sensor("", flippedSensor)
    #expect(flipped.delay == 0 && flipped.source?.holdsFlatness == false)
  }

  @Test func `a channel without an axis is looked up by its name`() throws {
    let rig = try read(command("certificate: sensors/adxl.yaml"))
    #expect(rig.capture.channels[0].sensor?.date == "2026-11-21")
    expectError("11:63", "'sensors/adxl.yaml' has no axis 'x': it has z") {
      try read(command("axis: x, certificate: sensors/adxl.yaml"))
    }
  }

  @Test(arguments: ["uncertainty: 1 %", "date: 2026-01-01"])
  func `what the file says cannot stand beside it`(key: String) throws {
    expectError("11:41", "the file that 'certificate' names says it: keep one of the two") {
      try read(command("\(key), certificate: sensors/adxl.yaml"))
    }
  }

  @Test func `a sensitivity beside a certificate is refused`() throws {
    expectError("9:48", "'sensitivity' cannot stand here: the file that 'certificate' names") {
      try read(converter("sensitivity: 10.2 mV/g, certificate: sensors/adxl.yaml"))
    }
  }

  @Test func `volts and units are not taken for each other`() throws {
    expectError("11:54", "says how many volts the sensor gives, but a program answers in units") {
      try read(
        command("certificate: sensors/adxl.yaml"), ["sensors/adxl.yaml": Self.voltSensor])
    }
    expectError("9:61", "but this channel measures volts") {
      try read(converter("certificate: sensors/adxl.yaml"))
    }
  }

  @Test(arguments: ["/etc/passwd", "../adxl.yaml", "a/../../b.yaml", "..", "sensors/"])
  func `a path that leaves the rig file's folder is not even read`(path: String) throws {
    expectError("11:54", "is not a path to a file below the rig file's folder") {
      try RigDescription(
        yaml: Array(command("certificate: \(path)").utf8), file: "rigs/bench.yaml"
      ) { path in
        Issue.record("asked for \(path)")
        return []
      }
    }
  }

  @Test func `a file that is not there is told at its name`() throws {
    expectError("11:54", "the sensor file cannot be read: there is no such file") {
      try read(command("certificate: sensors/other.yaml"))
    }
  }

  @Test func `without a reader sensor files are refused`() throws {
    expectError("11:54", "no sensor files are read here: write the scale itself") {
      try rig(command("certificate: sensors/adxl.yaml"))
    }
  }

  @Test func `an error in a sensor file names both files`() throws {
    #expect {
      try read(
        command("certificate: sensors/adxl.yaml"),
        ["sensors/adxl.yaml": flippedSensor.replacing("1.0234", with: "much")])
    } throws: { error in
      "\(error)".hasPrefix("rigs/sensors/adxl.yaml:11:13: ")
        && "\(error)".contains("(named in rigs/bench.yaml:11:54)")
    }
  }

  @Test func `only an accelerometer has a certificate`() throws {
    expectError("12:35", "it belongs to an acceleration channel, and this is audio") {
      try read(rigFile("role: audio, unit: V", with: "role: audio, unit: V, certificate: a.yaml"))
    }
  }
}
