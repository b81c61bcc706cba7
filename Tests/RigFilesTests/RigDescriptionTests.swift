// SPDX-License-Identifier: Apache-2.0

import Actuators
import Devices
import RigFiles
import Testing
import Units

struct RigDescriptionTests {
  @Test func `the command example reads as it is shown`() throws {
    let rig = try rig(outsidePlant)
    #expect(
      rig
        == RigDescription(
          name: "outside-plant",
          drive: DriveDescription(
            device: .command(
              CommandDescription(
                arguments: ["python3", "plant.py", "--seed", "7"], folder: "rigs")),
            rate: .standard, channels: [.haptic: 1, .audio: 2, .reference: 3],
            fullScaleVolts: 4),
          capture: CaptureDescription(
            kind: .command,
            channels: [
              CaptureChannelDescription(
                name: "z", role: .acceleration, unit: .metrePerSecondSquared, input: 1),
              CaptureChannelDescription(name: "audio", role: .audio, unit: .volt, input: 2),
              CaptureChannelDescription(
                name: "reference", role: .reference, unit: .volt, input: 3),
            ]),
          actuators: [
            Actuator(
              id: "plant-1", model: "outside",
              limits: DriveLimits(continuousVolts: 2, peakVolts: 4))
          ], actuatorChannels: ["plant-1": 1]))
  }

  @Test(arguments: [("a.yaml", "."), ("/a.yaml", "/"), ("x/y/a.yaml", "x/y")])
  func `a program is started in the folder of the rig file`(file: String, folder: String) throws {
    let rig = try RigDescription(yaml: Array(outsidePlant.utf8), file: file)
    guard case .command(let command) = rig.drive.device else {
      Issue.record("not a command: \(rig.drive.device)")
      return
    }
    #expect(command.folder == folder)
  }

  @Test(arguments: [
    ("48000", 48_000.0), ("44.1 kHz", 44_100), ("8 kHz", 8000), ("192000 Hz", 192_000),
  ])
  func `a rate is in hertz unless it says otherwise`(text: String, hertz: Double) throws {
    let rig = try rig(rigFile("rate: 48000", with: "rate: \(text)"))
    #expect(rig.drive.rate.hertz == hertz)
  }

  @Test func `an actuator keeps everything that is written about it`() throws {
    let text = try rigFile(
      "{id: plant-1, model: outside, limits: {continuous: 2.0 Vrms, peak: 4.0 V}}",
      with: """
        {id: plant-1, model: outside, kind: vcm, channel: 4, mass: 100 g, contact: phantom, \
        temperature: 23 degC, \
        limits: {continuous: 2.0 Vrms, peak: 4.0 V, slope: 40 V/ms, thermal: 2 s}}
        """)
    let rig = try rig(text)
    #expect(
      rig.actuators == [
        Actuator(
          id: "plant-1", model: "outside", kind: .vcm,
          limits: DriveLimits(
            continuousVolts: 2, peakVolts: 4, slope: 40_000, thermalTime: 2),
          mass: 0.1, contact: "phantom", temperature: 23)
      ])
    #expect(rig.channel(of: rig.actuators[0]) == 4)
  }

  @Test func `several actuators stand in a list`() throws {
    let text = try rigFile(
      "actuator: {id: plant-1, model: outside, limits: {continuous: 2.0 Vrms, peak: 4.0 V}}",
      with: """
        actuators:
          - {id: a, model: m, limits: {continuous: 2 Vrms, peak: 4 V}}
          - {id: b, model: m, channel: 4, limits: {continuous: 2 Vrms, peak: 4 V}}
        """)
    #expect(try rig(text).actuators.map(\.id) == ["a", "b"])
    #expect(try rig(text).actuatorChannels == ["a": 1, "b": 4])
  }

  @Test func `a certificate becomes SI units`() throws {
    let text = try rigFile(
      "sensitivity: 10.2 mV/g",
      with: """
        sensitivity: 10.2 mV/g, uncertainty: 1 %, date: 2025-03-14, delay: 10 us, \
        bandwidth: 10 kHz, axis: y
        """, of: simulated)
    let channel = try #require(try rig(text).capture.channels.first)
    #expect(channel.unit == .metrePerSecondSquared)
    #expect(channel.fullScaleVolts == 0.6)
    #expect(channel.axis == "y")
    let sensor = try #require(channel.sensor)
    #expect(abs(sensor.sensitivity - 10.2e-3 / 9.80665) < 1e-15)
    #expect(sensor.relativeUncertainty == 0.01)
    #expect(sensor.date == "2025-03-14")
    #expect(abs(sensor.delay - 10e-6) < 1e-15)
    #expect(sensor.bandwidth == 10_000)
  }

  @Test func `a program that answers in g is delivered in metres per second squared`() throws {
    let rig = try rig(rigFile("unit: m/s2", with: "unit: g"))
    #expect(rig.capture.channels.first?.unit == .metrePerSecondSquared)
  }

  @Test func `the delay of a sensor inside a program is kept`() throws {
    let rig = try rig(rigFile("unit: m/s2", with: "unit: m/s2, delay: 1 ms"))
    let sensor = try #require(rig.capture.channels.first?.sensor)
    #expect(sensor == SensorCertificate(sensitivity: 1, delay: 1e-3))
  }

  @Test func `channels stand in the order of their inputs`() throws {
    let text = try rigFile("role: acceleration, unit", with: "role: acceleration, input: 9, unit")
    let channels = try rig(text).capture.channels
    #expect(channels.map(\.name) == ["audio", "reference", "z"])
    #expect(channels.map(\.input) == [2, 3, 9])
  }

  @Test func `a file rig takes its paths from the folder of the rig file`() throws {
    let text = try rigFile(
      "run: [python3, plant.py, --seed, \"7\"]",
      with: "stimulus: out.wav\n  response: /data/in.wav"
    ).replacing("device: command", with: "device: file")
    #expect(
      try rig(text).drive.device
        == .file(FileDescription(stimulus: "rigs/out.wav", response: "/data/in.wav")))
  }

  @Test func `the channels of a file can be in units already`() throws {
    let text = try rigFile("run: [python3, plant.py, --seed, \"7\"]", with: "response: in.wav")
      .replacing("device: command", with: "device: file")
    let channels = try rig(text).capture.channels
    #expect(channels.map(\.fullScaleVolts) == [nil, nil, nil])
    #expect(channels.map(\.unit) == [.metrePerSecondSquared, .volt, .volt])
  }

  @Test func `a scalar stays what was written`() throws {
    for name in ["yes", "0o17", "12:30", "null", "~", "1e3", "on"] {
      #expect(try rig(rigFile("name: outside-plant", with: "name: \(name)")).name == name)
    }
  }

  @Test func `a byte order mark and carriage returns are no part of the text`() throws {
    let text = "\u{FEFF}" + outsidePlant.replacing("\n", with: "\r\n")
    #expect(try rig(text) == rig(outsidePlant))
  }
}
