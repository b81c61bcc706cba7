// SPDX-License-Identifier: Apache-2.0

import Devices
import Testing
import Units

struct RecordingTests {
  private func recording(events: [StreamEvent] = []) -> Recording {
    let vibration = CaptureChannel(
      name: "case", role: .acceleration, unit: .metrePerSecondSquared)
    let second = CaptureChannel(name: "table", role: .acceleration, unit: .metrePerSecondSquared)
    let wire = CaptureChannel(name: "wire", role: .reference, unit: .volt)
    return Recording(
      channels: [
        .init(description: wire, samples: [1, 2, 3]),
        .init(description: vibration, samples: [4, 5, 6]),
        .init(description: second, samples: [7, 8, 9]),
      ], rate: .standard, frameCount: 3, driveFrameCount: 3, captureEvents: events)
  }

  @Test func `a channel is found by its role, the first of several`() {
    #expect(recording().channel(.acceleration)?.samples == [4, 5, 6])
    #expect(recording().channel(.acceleration)?.description.name == "case")
    #expect(recording().channel(.reference)?.samples == [1, 2, 3])
    #expect(recording().channel(.current) == nil)
  }

  @Test func `only what lost frames is a gap`() {
    let events = [
      StreamEvent(kind: .overrun, frame: 10, length: 5),
      StreamEvent(kind: .overload, frame: 20, length: 9, channel: "case"),
      StreamEvent(kind: .drop, frame: 40, length: 1),
      StreamEvent(kind: .underrun, frame: 50, length: 2),
    ]
    #expect(recording(events: events).gaps == [10..<15, 40..<41])
    #expect(recording().gaps.isEmpty)
  }

  @Test func `a channel of another length is a programmer's error`() async {
    await #expect(processExitsWith: .failure) {
      let channel = CaptureChannel(name: "case", role: .acceleration, unit: .volt)
      _ = Recording(
        channels: [.init(description: channel, samples: [1, 2])], rate: .standard, frameCount: 3,
        driveFrameCount: 3)
    }
  }

  @Test func `a fault does not take what was recorded before it`() {
    let fault = DeviceError(.unplugged, device: "card", message: "it is gone: plug it in again")
    let recording = Recording(
      channels: [], rate: .standard, frameCount: 0, driveFrameCount: 100, fault: fault)
    #expect(recording.fault?.description == "card: it is gone: plug it in again")
    #expect(recording.fault?.code == .unplugged)
    #expect(recording.driveFrameCount == 100)
  }
}

struct StreamEventTests {
  @Test func `an event touches the frames from its first on`() {
    #expect(StreamEvent(kind: .drop, frame: 100, length: 20).frames == 100..<120)
    #expect(StreamEvent(kind: .overload, frame: 7, length: 0).frames.isEmpty)
  }

  @Test func `kinds have the names that records carry`() {
    #expect(
      StreamEvent.Kind.allCases.map(\.rawValue) == ["underrun", "overrun", "drop", "overload"])
  }
}

struct RigDescriptionTests {
  private func drive(_ channels: [DriveRole: Int]) -> DriveDescription {
    DriveDescription(
      device: .file(FileDescription()), rate: .standard, channels: channels, fullScaleVolts: 5)
  }

  @Test func `a drive has as many channels as its highest role needs`() {
    #expect(drive([.haptic: 1]).channelCount == 1)
    #expect(drive([.haptic: 1, .reference: 4]).channelCount == 4)
    #expect(drive([.audioLeft: 1, .audioRight: 2, .haptic: 3]).format.channelCount == 3)
    #expect(drive([:]).channelCount == 1)
  }

  @Test func `a device names its kind`() throws {
    let plant = try #require(PlantParameters.named("linX-170"))
    let simulated = DeviceSelection.simulated(SimulationDescription(plant: plant))
    #expect(simulated.kind == .simulated)
    #expect(DeviceSelection.file(FileDescription()).kind == .file)
    let command = CommandDescription(arguments: ["rig"], folder: "/")
    #expect(DeviceSelection.command(command).kind == .command)
    #expect(command.timeout == 10)
  }

  @Test func `a channel is shown by the port without its wiring`() {
    let channel = CaptureChannelDescription(
      name: "case", role: .acceleration, unit: .metrePerSecondSquared, input: 2,
      fullScaleVolts: 5, sensor: SensorCertificate(sensitivity: 0.0102), axis: "z")
    #expect(
      channel.port
        == CaptureChannel(name: "case", role: .acceleration, unit: .metrePerSecondSquared))
    let capture = CaptureDescription(kind: .file, channels: [channel])
    #expect(capture.channel(.acceleration)?.input == 2)
    #expect(capture.channel(.voltage) == nil)
  }
}
