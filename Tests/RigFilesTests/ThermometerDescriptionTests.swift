// SPDX-License-Identifier: Apache-2.0

import Actuators
import Devices
import RigFiles
import Testing

struct ThermometerDescriptionTests {
  private func read(_ text: String) throws -> RigDescription {
    try rig(rigFile("name: bench\n", with: "name: bench\n\(text)\n", of: simulated))
  }

  @Test func `a thermometer is read with all that is written`() throws {
    #expect(try rig(simulated).thermometer == nil)
    let kernel = try read(
      "temperature: {file: /sys/class/hwmon/hwmon0/temp1_input, scale: 0.001, uncertainty: 0.5 degC}"
    )
    #expect(
      kernel.thermometer
        == ThermometerDescription(
          .file("/sys/class/hwmon/hwmon0/temp1_input"), scale: 0.001, uncertainty: 0.5))
    #expect(kernel.actuators[0].temperature == nil)
    let program = try read("temperature: {command: [read-sensor, --celsius], interval: 5 s}")
    #expect(
      program.thermometer
        == ThermometerDescription(.command(["read-sensor", "--celsius"]), interval: 5))
  }

  @Test(arguments: [
    ("23 degC", "must be a map"), ("{scale: 1}", "needs 'command'"),
    ("{file: /sys/a, command: [b]}", "cannot stand here: 'file' is already here"),
    ("{file: temp1_input}", "is no file of a sensor"),
    ("{file: /etc/passwd}", "is no file of a sensor"),
    ("{file: /sys/../etc/passwd}", "is no file of a sensor"),
    ("{file: /sysx/a}", "is no file of a sensor"), ("{command: []}", "is an empty list"),
    ("{command: read-sensor}", "must be a list"), ("{file: /sys/a, scale: 0}", "must be"),
    ("{file: /sys/a, uncertainty: 0.5}", "has no unit"),
    ("{file: /sys/a, uncertainty: 0.5 K}", "is not a unit of temperature"),
    ("{file: /sys/a, interval: 1 ms}", "must be from 100 ms"),
    ("{file: /sys/a, path: x}", "is not a key of the rig's temperature"),
  ]) func `what is wrong is told`(text: String, sentence: String) {
    let error = #expect(throws: RigFileError.self) { try read("temperature: \(text)") }
    #expect(error?.description.contains(sentence) == true, "\(error?.description ?? "none")")
  }
}
