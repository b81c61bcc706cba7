// SPDX-License-Identifier: Apache-2.0

import Devices
import ScratchFolder
import Units
import VirtualDevices

/// A rig that is a program in a fresh folder.
struct CommandFixture {
  let scratch: ScratchFolder
  var arguments: [String]
  var timeout = 20.0
  var period = 64
  var capture: [CaptureChannelDescription] = [Self.acceleration, Self.reference]

  static let acceleration = CaptureChannelDescription(
    name: "z", role: .acceleration, unit: .metrePerSecondSquared, input: 1)
  static let reference = CaptureChannelDescription(
    name: "reference", role: .reference, unit: .volt, input: 2)

  /// A header that fits the channels, in the rig's units.
  static let header =
    #"{"haprig":1,"channels":[{"name":"z","unit":"m/s2"},{"name":"reference","unit":"V"}]}"#

  /// A program in Python from its text.
  init(python text: String) throws {
    scratch = try ScratchFolder()
    try scratch.write(text, to: "plant.py")
    arguments = ["python3", "-S", "-E", "plant.py"]
  }

  /// A program in the shell's language that has read the greeting and answered with a line.
  init(answer: String = Self.header, shell text: String) throws {
    scratch = try ScratchFolder()
    try scratch.write("read greeting\necho '\(answer)'\n" + text, to: "plant.sh")
    arguments = ["sh", "plant.sh"]
  }

  var description: RigDescription {
    RigDescription(
      name: "outside",
      drive: DriveDescription(
        device: .command(
          CommandDescription(arguments: arguments, folder: scratch.path, timeout: timeout)),
        rate: .standard, channels: [.haptic: 1, .reference: 2], fullScaleVolts: 4,
        periodFrames: period),
      capture: CaptureDescription(kind: .command, channels: capture), actuators: [.test])
  }

  func open(report: @escaping @Sendable (String) -> Void = { _ in }) throws -> CommandRig {
    // The folder lives as long as the rig, which starts the program there for every take.
    try CommandRig(description) { [scratch] line in
      withExtendedLifetime(scratch) { report(line) }
    }
  }

  /// Answers with what it hears: the reference in millivolts first, then the haptic drive in g.
  static let echo = """
    import array, json, sys
    drive, reply = sys.stdin.buffer, sys.stdout.buffer
    hello = json.loads(drive.readline())
    assert hello["haprig"] == 1 and hello["rate"] == 48000
    assert hello["drive"] == ["haptic", "reference"], hello
    assert hello["capture"] == ["z", "reference"], hello
    reply.write(json.dumps({"haprig": 1, "channels": [
      {"name": "reference", "unit": "mV"}, {"name": "z", "unit": "g"}]}).encode() + b"\\n")
    reply.flush()
    size = hello["block"] * 2 * 4
    while True:
      data = drive.read(size)
      if len(data) < size:
        break
      heard = array.array("f", data)
      said = array.array("f", bytes(size))
      said[0::2] = array.array("f", [1000 * value for value in heard[1::2]])
      said[1::2] = heard[0::2]
      reply.write(said.tobytes())
      reply.flush()
    """
}

/// Sound files as a rig in a fresh folder.
struct FileFixture {
  let scratch: ScratchFolder
  var stimulus: String?
  var response: String?
  var capture: [CaptureChannelDescription] = [
    CommandFixture.acceleration, CommandFixture.reference,
  ]
  var period = 64

  init() throws { scratch = try ScratchFolder() }

  func path(_ name: String) -> String { scratch.path + "/" + name }

  var description: RigDescription {
    RigDescription(
      name: "files",
      drive: DriveDescription(
        device: .file(
          FileDescription(
            stimulus: stimulus.map { path($0) }, response: response.map { path($0) })),
        rate: .standard, channels: [.haptic: 1, .reference: 2], fullScaleVolts: 4,
        periodFrames: period),
      capture: CaptureDescription(kind: .file, channels: capture), actuators: [.test])
  }

  func open(skip: Int = 0) throws -> FileRig { try FileRig(description, skip: skip) }
}
