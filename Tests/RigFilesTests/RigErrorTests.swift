// SPDX-License-Identifier: Apache-2.0

import Actuators
import Devices
import RigFiles
import Testing

struct RigErrorTests {
  private func read(_ replacing: String, with text: String) throws -> RigDescription {
    try rig(rigFile(replacing, with: text))
  }

  private func readSimulated(_ replacing: String, with text: String) throws -> RigDescription {
    try rig(rigFile(replacing, with: text, of: simulated))
  }

  @Test func `an error shows its place, the line and a caret`() {
    #expect {
      try read("rate: 48000", with: "rate: -48000")
    } throws: { error in
      "\(error)" == """
        rigs/bench.yaml:5:9: 'rate' is '-48000': it must be from 8000 Hz to 192000 Hz
          rate: -48000
                ^
        """
    }
  }

  @Test func `an unknown key is named with the nearest and the valid ones`() {
    expectError(
      "7:3",
      "'fullscale' is not a key of the drive (did you mean 'full-scale'?): use device, rate, "
        + "channels, full-scale, period, run, timeout, stimulus, response, pcm, buffer, periods, "
        + "format, access, resample, link"
    ) { try read("full-scale:", with: "fullscale:") }
    expectError("1:1", "'colour' is not a key of a rig file: use name, drive") {
      try read("name:", with: "colour: red\nname:")
    }
    expectError("11:29", "'units' is not a key of the capture channel 'z' (did you mean 'unit'?)") {
      try read("unit: m/s2", with: "units: m/s2")
    }
    expectError("14:72", "'peek' is not a key of 'limits' (did you mean 'peak'?)") {
      try read("peak: 4.0 V", with: "peek: 4.0 V")
    }
  }

  @Test func `a wrong unit names the right ones`() {
    expectError("7:15", "in 'full-scale', 'A' is not a unit of voltage: use V, mV") {
      try read("full-scale: 4.0 V", with: "full-scale: 4.0 A")
    }
    expectError("7:15", "'4.0' has no unit: a voltage is given in V, mV") {
      try read("full-scale: 4.0 V", with: "full-scale: 4.0")
    }
    expectError("14:62", "'V' is not a unit of effective voltage: use Vrms") {
      try read("continuous: 2.0 Vrms", with: "continuous: 2.0 V")
    }
    expectError("11:35", "'m/s' is not a unit of the role acceleration on a command device") {
      try read("unit: m/s2", with: "unit: m/s")
    }
    expectError("12:32", "use V, Pa") {
      try read("role: audio, unit: V", with: "role: audio, unit: g")
    }
  }

  @Test(arguments: [
    ("0", "it must be from 8000 Hz to 192000 Hz"), ("-1 kHz", "it must be from 8000 Hz"),
    ("7999", "it must be from 8000 Hz"), ("192001 Hz", "to 192000 Hz"),
    ("44100.5", "it must be a whole number of hertz"), ("1e400 Hz", "is not a number"),
    ("nan Hz", "is not a number"), ("fast", "is not a number with a unit of frequency"),
    ("0xBB80", "is not a number"), ("0o17", "'o17' is not a unit of frequency"),
    ("12:30", "':30' is not a unit of frequency"), ("yes", "'yes' is not a number"),
    ("48_000", "'_000' is not a unit"),
  ])
  func `a rate that is none is refused`(text: String, phrase: String) {
    expectError("5:9", phrase) { try read("rate: 48000", with: "rate: \(text)") }
  }

  @Test func `the drive needs a known device and a haptic channel`() {
    expectError("3:11", "'midi' is not a kind of device: use simulated, command, file, alsa, usb") {
      try read("device: command\n  run", with: "device: midi\n  run")
    }
    expectError("3:11", "'comand' is not a kind of device (did you mean 'command'?)") {
      try read("device: command\n  run", with: "device: comand\n  run")
    }
    expectError("6:13", "the drive has no haptic channel: write for example '{haptic: 1}'") {
      try read("haptic: 1, ", with: "")
    }
    expectError("6:14", "'haptics' is not a key of the drive's channels (did you mean 'haptic'?)") {
      try read("haptic: 1", with: "haptics: 1")
    }
  }

  @Test func `a drive channel is a number from 1 to 64 with one role`() {
    expectError("6:22", "'haptic' is '0': it must be from 1 to 64") {
      try read("haptic: 1", with: "haptic: 0")
    }
    expectError("6:22", "it must be from 1 to 64") { try read("haptic: 1", with: "haptic: 65") }
    expectError("6:22", "'01' is not a whole number in decimal digits") {
      try read("haptic: 1", with: "haptic: 01")
    }
    expectError("6:22", "'1.0' is not a whole number") {
      try read("haptic: 1", with: "haptic: 1.0")
    }
    expectError("6:46", "drive channel 1 has the roles 'haptic' and 'reference'") {
      try read("reference: 3}", with: "reference: 1}")
    }
    expectError("6:25", "'audio-left' cannot stand here: 'audio' is all sound on one channel") {
      try read("audio: 2", with: "audio-left: 4, audio-right: 5, audio: 2")
    }
    expectError("6:13", "'audio-left' and 'audio-right' go together") {
      try read("audio: 2", with: "audio-left: 2")
    }
  }

  @Test func `keys of another device are refused`() {
    expectError("7:3", "'stimulus' cannot stand here: it goes with 'device: file'") {
      try read("full-scale: 4.0 V", with: "stimulus: out.wav\n  full-scale: 4.0 V")
    }
    expectError("6:3", "'run' cannot stand here: it goes with 'device: command'") {
      try readSimulated("full-scale: 3.6 V\n", with: "run: [a]\n  full-scale: 3.6 V\n")
    }
    expectError("1:1", "'simulation' cannot stand here: it goes with 'device: simulated'") {
      try read("name: outside-plant", with: "simulation: {plant: coinZ-170}\nname: outside-plant")
    }
    expectError("3:3", "a simulated rig needs 'simulation' beside 'drive'") {
      try readSimulated("simulation:\n  plant: coinZ-170\n  drive: {latency: 5 ms}\n", with: "")
    }
  }

  @Test func `a program needs a name`() {
    expectError("4:8", "'run' must be a list such as [python3, plant.py], but is the single value")
    {
      try read("[python3, plant.py, --seed, \"7\"]", with: "python3 plant.py")
    }
    expectError("4:8", "but is an empty list") {
      try read("[python3, plant.py, --seed, \"7\"]", with: "[]")
    }
    expectError("4:8", "'run' must begin with a program") {
      try read("[python3, plant.py, --seed, \"7\"]", with: "[\"\", x]")
    }
    expectError("4:12", "'timeout' is '0 s': it must be above 0 s") {
      try read("run: [python3, plant.py, --seed, \"7\"]", with: "timeout: 0 s\n  run: [a]")
    }
  }

  @Test func `drive and capture are one device`() {
    expectError("9:11", "drive and capture are one device on this kind of rig") {
      try read("device: command              # the same process", with: "device: file")
    }
  }

  @Test func `a missing sensor scale says what to write`() {
    expectError(
      "9:5",
      "the acceleration channel 'z' has no sensor scale: write 'sensitivity: 10.2 mV/g' from its "
        + "certificate and 'full-scale: 5 V' of the converter"
    ) { try readSimulated(", sensitivity: 10.2 mV/g", with: "") }
    expectError("9:5", "the capture channel 'z' has no converter scale: write 'full-scale: 5 V'") {
      try readSimulated("full-scale: 0.6 V, ", with: "")
    }
    expectError("10:5", "the capture channel 'reference' has no converter scale") {
      try readSimulated("role: reference, full-scale: 5 V", with: "role: reference")
    }
    expectError("11:8", "the capture channel 'z' needs 'unit': write for example 'unit: m/s2'") {
      try read("role: acceleration, unit: m/s2", with: "role: acceleration")
    }
    expectError("11:29", "'sensitivity' cannot stand here: a program answers in the channel's") {
      try read("unit: m/s2", with: "sensitivity: 10 mV/g, unit: m/s2")
    }
  }

  @Test func `a capture needs an acceleration channel`() {
    expectError("11:5", "the capture has no acceleration channel") {
      try read("role: acceleration, unit: m/s2", with: "role: voltage, unit: V")
    }
  }

  @Test func `two capture channels on one input are refused`() {
    expectError("12:5", "the channels 'z' and 'audio' are both on input 2") {
      try read("role: acceleration,", with: "role: acceleration, input: 2,")
    }
  }

  @Test func `a capture has at most 64 channels`() {
    let more = (1...64).map { "m\($0): {role: voltage, unit: V}" }.joined(separator: "\n    ")
    expectError("11:5", "the capture has 65 channels: at most 64") {
      try read(
        "audio: {role: audio, unit: V}\n    reference: {role: reference, unit: V}", with: more)
    }
  }

  @Test func `what belongs to a sensor is refused on other channels`() {
    expectError("12:26", "'axis' cannot stand here: it belongs to an acceleration channel") {
      try read("role: audio,", with: "role: audio, axis: z,")
    }
    expectError("12:19", "'sound' is not a role of a capture channel: use acceleration, audio") {
      try read("role: audio,", with: "role: sound,")
    }
  }

  @Test func `limits are above zero and fit each other`() {
    expectError("14:78", "'peak' is '0 V': it must be above 0 V") {
      try read("peak: 4.0 V", with: "peak: 0 V")
    }
    expectError("14:78", "'peak' is '-4 V'") { try read("peak: 4.0 V", with: "peak: -4 V") }
    expectError("14:62", "'continuous' is '5 Vrms', more than 'peak' with 4 V") {
      try read("continuous: 2.0 Vrms", with: "continuous: 5 Vrms")
    }
    expectError("14:49", "'limits' needs 'peak'") { try read(", peak: 4.0 V", with: "") }
  }

  @Test func `a peak above the drive's full scale is allowed`() throws {
    #expect(try read("peak: 4.0 V", with: "peak: 9 V").actuators.first?.limits.peakVolts == 9)
  }

  @Test func `an actuator has an identity of its own`() {
    expectError("14:16", "'../x' cannot be a name") { try read("id: plant-1", with: "id: ../x") }
    expectError("14:51", "drive channel 2 has the role 'audio'") {
      try read("model: outside,", with: "model: outside, channel:  2,")
    }
    let two = "actuators: [{id: a, model: m, limits: {continuous: 2 Vrms, peak: 4 V}}, "
    let one = "actuator: {id: plant-1, model: outside, limits: {continuous: 2.0 Vrms, peak: 4.0 V}}"
    expectError("14:73", "two actuators have the id 'a'") {
      try read(one, with: two + "{id: a, model: m, limits: {continuous: 2 Vrms, peak: 4 V}}]")
    }
    expectError("14:73", "'a' and 'b' are both on drive channel 1: give each its own 'channel'") {
      try read(one, with: two + "{id: b, model: m, limits: {continuous: 2 Vrms, peak: 4 V}}]")
    }
    expectError("15:1", "'actuators' cannot stand here: 'actuator' is already here") {
      try read(one, with: one + "\nactuators: []")
    }
    expectError("1:1", "a rig file needs 'actuator'") { try read(one, with: "") }
  }

  @Test func `a node of the wrong shape is named`() {
    expectError("6:13", "'channels' must be a map of keys and values, but is a list") {
      try read("{haptic: 1, audio: 2, reference: 3}", with: "[1, 2, 3]")
    }
    expectError("5:9", "'rate' must be a single value, but is a list") {
      try read("rate: 48000", with: "rate: [48000]")
    }
    expectError("1:6", "'name' has no value") { try read("name: outside-plant", with: "name:") }
  }
}
