// SPDX-License-Identifier: Apache-2.0

import RigFiles
import Testing

/// A sensor file as a flip writes it.
let flippedSensor = """
  format: haprig-sensor
  version: 1
  sensor: adxl-17
  date: 2026-11-21
  method: flip
  program: "haprig 0.1.0"
  rig: bench-1
  axes:
    z:
      channel: z
      factor: 1.0234
      uncertainty: 0.21 %
      before: {factor: 1}
      offset: -0.12 m/s2
      offset-uncertainty: 0.003 m/s2
      noise: 0.0061 m/s2
  assumed:
    gravity: 9.80665 m/s2
    gravity-uncertainty: 0.17 %
    tilt: 2 deg

  """

struct SensorFileTests {
  private func read(_ text: String) throws -> SensorFile {
    try SensorFile(yaml: Array(text.utf8), file: "sensors/adxl.yaml")
  }

  private func changed(_ replacing: String, _ text: String) throws -> SensorFile {
    try read(rigFile(replacing, with: text, of: flippedSensor))
  }

  @Test func `a flip is read and written as it was`() throws {
    let file = try read(flippedSensor)
    #expect(file.sensor == "adxl-17")
    #expect(file.method == .flip)
    let axis = try #require(file.axes.first)
    #expect(axis.scale == .factor(1.0234))
    #expect(abs(axis.uncertainty - 0.0021) < 1e-12)
    #expect(axis.offset?.value == -0.12)
    #expect(file.assumed?.gravity == 9.80665)
    #expect(file.text == flippedSensor)
  }

  @Test func `a comparison is read and written as it was`() throws {
    var axis = SensorFile.Axis(
      name: "x", channel: "dut", scale: .sensitivity(1.0415e-3), uncertainty: 0.0123)
    axis.previous = .sensitivity(1.04e-3)
    axis.delay = .init(-12.5e-6, uncertainty: 0.4e-6)
    axis.flatness = [
      .init(frequency: 20, ratio: 0.998, uncertainty: 0.01),
      .init(frequency: 1000, ratio: 1.021, uncertainty: 0.015),
    ]
    var file = SensorFile(
      sensor: "the \"red\" one: \\", date: "2026-11-21", method: .comparison,
      program: "haprig 0.1.0", rig: "bench 2", axes: [axis])
    file.reference = .init(channel: "ref", uncertainty: 0.005, date: "2026-01-31")
    let again = try read(file.text)
    #expect(again.text == file.text)
    #expect(again.sensor == file.sensor)
    #expect(again.reference == file.reference)
    let found = try #require(again.axes.first)
    #expect(abs((found.delay?.value ?? 0) + 12.5e-6) < 1e-12)
    #expect(found.flatness.map(\.ratio) == [0.998, 1.021])
    guard case .sensitivity(let value) = found.scale else {
      Issue.record("the scale became \(found.scale)")
      return
    }
    #expect(abs(value / 1.0415e-3 - 1) < 1e-5)
  }

  @Test(arguments: [1.0, 0.000_123_456_7, 98_765.4321, 1e-9, 0.1, 299.999_99])
  func `a written scale keeps six digits`(factor: Double) throws {
    let file = SensorFile(
      sensor: "a", date: "b", method: .flip, program: "c", rig: "d",
      axes: [.init(name: "z", channel: "z", scale: .factor(factor), uncertainty: 0.001)])
    let again = try read(file.text)
    guard case .factor(let found) = again.axes[0].scale else {
      Issue.record("no factor")
      return
    }
    #expect(abs(found / factor - 1) < 5.1e-6, "\(file.text)")
    #expect(again.text == file.text)
  }

  @Test func `a file of another kind or version says so before its keys are looked at`() {
    expectError("1:1", "this is no sensor file: it must say 'format: haprig-sensor'") {
      try read("name: bench\n")
    }
    expectError("1:9", "this is no sensor file") {
      try changed("format: haprig-sensor", "format: else")
    }
    expectError("2:10", "is of version 2, and this haprig reads 1") {
      try changed("version: 1", "version: 2\nnew-key: 3")
    }
  }

  @Test func `what is wrong in a sensor file is told with its place`() {
    expectError("11:5", "'faktor' is not a key of the axis 'z' (did you mean 'factor'?)") {
      try read(flippedSensor.replacing("    factor: 1.0234", with: "    faktor: 1.0234"))
    }
    expectError("11:13", "'factor' is '-1': it must be above 0 and at most 1000000") {
      try changed("factor: 1.0234", "factor: -1")
    }
    expectError("11:13", "is not a number") { try changed("factor: 1.0234", "factor: nan") }
    expectError("12:18", "'uncertainty' is '80 %'") { try changed("y: 0.21 %", "y: 80 %") }
    expectError("11:13", "not both") {
      try changed("uncertainty: 0.21 %", "sensitivity: 10 mV/g\n    uncertainty: 0.2 %")
    }
    expectError("9:3", "the axis 'z' has no scale") { try changed("    factor: 1.0234\n", "") }
    expectError("18:12", "'gravity' is '2 g'") {
      try changed("gravity: 9.80665 m/s2", "gravity: 2 g")
    }
    expectError("20:9", "an angle from 0 deg to 45 deg") { try changed("2 deg", "2 rad") }
  }

  @Test func `whatever bytes a sensor file has, it is read or refused`() {
    let bytes = Array(flippedSensor.utf8)
    for end in bytes.indices {
      _ = try? SensorFile(yaml: Array(bytes[..<end]), file: "prefix")
      var damaged = bytes
      damaged[end] ^= 0x15
      _ = try? SensorFile(yaml: damaged, file: "damaged")
    }
    expectError("1:1", "at most 1048576") {
      try SensorFile(yaml: [UInt8](repeating: 0x20, count: 1 << 20 + 1), file: "long")
    }
  }
}
