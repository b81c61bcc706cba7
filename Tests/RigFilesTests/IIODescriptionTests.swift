// SPDX-License-Identifier: Apache-2.0

import Devices
import RigFiles
import Testing

/// A sound card that drives, an accelerometer of the kernel that feels.
private let kernelSensor = """
  name: bench
  drive: {device: alsa, pcm: "hw:CARD=A,DEV=0", rate: 48 kHz, channels: {haptic: 1}, full-scale: 4 V}
  capture:
    device: iio
    sensor: adxl355
    trigger: adxl355-dev0
    sampling-frequency: 4 kHz
    channels:
      z: {role: acceleration, axis: z, input: 3}
  actuator: {id: a, model: m, limits: {continuous: 1 Vrms, peak: 2 V}}

  """

struct IIODescriptionTests {
  private func read(_ replacing: String = "", with text: String = "") throws -> RigDescription {
    try rig(rigFile(replacing, with: text, of: kernelSensor))
  }

  @Test func `a sensor is read with all that is written`() throws {
    let rig = try read()
    #expect(rig.drive.device.kind == .alsa)
    #expect(rig.capture.kind == .iio)
    #expect(
      rig.capture.iio
        == IIODescription(sensor: "adxl355", trigger: "adxl355-dev0", samplingFrequency: 4000))
    #expect(rig.capture.channels.first?.fullScaleVolts == nil)
    let other = try read("trigger: adxl355-dev0", with: "sample-rate: 4013.5 Hz\n  timeout: 2 s")
    #expect(
      other.capture.iio
        == IIODescription(
          sensor: "adxl355", samplingFrequency: 4000, sampleRate: 4013.5, timeout: 2))
  }

  @Test(arguments: [
    ("sensor: adxl355", "timeout: 1 s", "needs 'sensor'"),
    ("sensor: adxl355", "sensor: /dev/iio:device0", "is no name of a sensor or a trigger"),
    ("trigger: adxl355-dev0", "trigger: ../x", "is no name of a sensor or a trigger"),
    ("sampling-frequency: 4 kHz", "sampling-frequency: 10 Hz", "must be from 50 Hz"),
    ("sampling-frequency: 4 kHz", "scale: 1 g", "goes with 'device: serial'"),
    ("sampling-frequency: 4 kHz", "pcm: \"hw:0\"", "goes with 'device: alsa'"),
    ("role: acceleration, axis: z", "role: voltage", "has axes of acceleration alone"),
    ("input: 3", "input: 4", "has inputs 1, 2 and 3"),
    ("input: 3", "input: 3, sensitivity: 10 mV/g", "the kernel knows the sensor's scale"),
    ("device: alsa, pcm: \"hw:CARD=A,DEV=0\"", "device: iio", "feels and drives nothing"),
    ("device: alsa, pcm: \"hw:CARD=A,DEV=0\"", "device: file", "drive beside 'serial' or 'iio'"),
  ])
  func `what does not fit is refused`(old: String, new: String, phrase: String) throws {
    let error = #expect(throws: RigFileError.self) { try read(old, with: new) }
    let message = error?.description ?? ""
    #expect(message.contains(phrase), "\(message)")
    #expect(message.hasPrefix("rigs/bench.yaml:"))
  }

  @Test func `a USB device may drive beside a sensor of the kernel`() throws {
    let rig = try read("device: alsa, pcm: \"hw:CARD=A,DEV=0\"", with: "device: usb")
    #expect(rig.drive.device.kind == .usb && rig.capture.kind == .iio)
    #expect(rig.capture.iio?.sensor == "adxl355")
  }

  @Test func `keys of a sensor go with no other device`() throws {
    for key in ["sensor: adxl355", "trigger: t", "sampling-frequency: 1 kHz"] {
      let error = #expect(throws: RigFileError.self) {
        try rig(rigFile("device: command  ", with: "\(key)  ", of: outsidePlant))
      }
      #expect(error?.description.contains("goes with 'device: iio'") == true)
    }
  }
}
