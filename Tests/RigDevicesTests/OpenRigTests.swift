// SPDX-License-Identifier: Apache-2.0

import Actuators
import Devices
import RigDevices
import Testing
import Units

/// What is exclusive is held by one, and what is not can be open twice.
struct OpenRigTests {
  private let acceleration = CaptureChannelDescription(
    name: "z", role: .acceleration, unit: .metrePerSecondSquared, input: 3)

  private func rig(
    _ name: String, on device: DeviceSelection, _ capture: CaptureDescription
  ) -> RigDescription {
    RigDescription(
      name: name,
      drive: DriveDescription(
        device: device, rate: .standard, channels: [.haptic: 1], fullScaleVolts: 4),
      capture: capture,
      actuators: [
        Actuator(
          id: "one", model: "any",
          limits: DriveLimits(continuousVolts: 2, peakVolts: 3))
      ])
  }

  @Test func `a rig in virtual time may be open twice`() throws {
    let plant = try #require(PlantParameters.named("coinZ-170"))
    let rig = rig(
      "twice", on: .simulated(SimulationDescription(plant: plant)),
      CaptureDescription(
        kind: .simulated,
        channels: [
          CaptureChannelDescription(name: "v", role: .voltage, unit: .volt, input: 1)
        ]))
    let first = try OpenRig(rig) { _ in }
    let second = try OpenRig(rig) { _ in }
    #expect(!first.isPaced)
    #expect(!second.isPaced)
    #expect(RigLock.holdings().allSatisfy { $0.rig != "twice" })
  }

  /// A device that drives, not there either; the sensor is opened first.
  private static let drives: [DeviceSelection] = [
    .alsa(ALSADescription(pcm: "hw:CARD=Absent,DEV=0")),
    .usb(USBDescription(selection: USBSelection(serial: "absent"))),
  ]

  @Test(arguments: drives)
  func `a breakout beside another drive is opened by its port`(drive: DeviceSelection) throws {
    let breakout = SerialDescription(
      path: "/dev/haprig-none", content: .packets(.witMotion), sampleRate: 200)
    let rig = rig(
      "breakout", on: drive,
      CaptureDescription(kind: .serial, channels: [acceleration], serial: breakout))
    let error = #expect(throws: DeviceError.self) { try OpenRig(rig) { _ in } }
    #expect(error?.code == .notFound)
    #expect(error?.message.contains("could not open '/dev/haprig-none'") == true)
  }

  @Test(arguments: drives)
  func `an accelerometer of the kernel beside another drive is opened by its name`(
    drive: DeviceSelection
  ) throws {
    let rig = rig(
      "kernel", on: drive,
      CaptureDescription(
        kind: .iio, channels: [acceleration], iio: IIODescription(sensor: "haprig-none")))
    let error = #expect(throws: DeviceError.self) { try OpenRig(rig) { _ in } }
    #expect(error?.code == .notFound)
  }
}
