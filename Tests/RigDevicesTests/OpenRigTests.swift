import Devices
import RigDevices
import Testing
import Units

/// What is exclusive is held by one, and what is not can be open twice.
struct OpenRigTests {
  @Test func `a rig in virtual time may be open twice`() throws {
    let plant = try #require(PlantParameters.named("coinZ-170"))
    let rig = RigDescription(
      name: "twice",
      drive: DriveDescription(
        device: .simulated(SimulationDescription(plant: plant)), rate: .standard,
        channels: [.haptic: 1], fullScaleVolts: 4),
      capture: CaptureDescription(
        kind: .simulated,
        channels: [
          CaptureChannelDescription(name: "v", role: .voltage, unit: .volt, input: 1)
        ]),
      actuators: [
        ActuatorDescription(
          id: "one", model: "any", channel: 1,
          limits: ActuatorLimits(continuousVolts: 2, peakVolts: 3))
      ])
    let first = try OpenRig(rig) { _ in }
    let second = try OpenRig(rig) { _ in }
    #expect(!first.isPaced)
    #expect(!second.isPaced)
    #expect(RigLock.holdings().allSatisfy { $0.rig != "twice" })
  }

  @Test func `a breakout beside a sound card is opened by its port`() throws {
    let breakout = SerialDescription(
      path: "/dev/haprig-none", content: .packets(.witMotion), sampleRate: 200)
    let rig = RigDescription(
      name: "breakout",
      drive: DriveDescription(
        device: .alsa(ALSADescription(pcm: "hw:CARD=Absent,DEV=0")), rate: .standard,
        channels: [.haptic: 1], fullScaleVolts: 4),
      capture: CaptureDescription(
        kind: .serial,
        channels: [
          CaptureChannelDescription(
            name: "z", role: .acceleration, unit: .metrePerSecondSquared, input: 3)
        ], serial: breakout),
      actuators: [
        ActuatorDescription(
          id: "one", model: "any", channel: 1,
          limits: ActuatorLimits(continuousVolts: 2, peakVolts: 3))
      ])
    let error = #expect(throws: DeviceError.self) { try OpenRig(rig) { _ in } }
    #expect(error?.code == .notFound)
    #expect(error?.message.contains("could not open '/dev/haprig-none'") == true)
  }

  @Test func `an accelerometer of the kernel beside a sound card is opened by its name`() throws {
    let rig = RigDescription(
      name: "kernel",
      drive: DriveDescription(
        device: .alsa(ALSADescription(pcm: "hw:CARD=Absent,DEV=0")), rate: .standard,
        channels: [.haptic: 1], fullScaleVolts: 4),
      capture: CaptureDescription(
        kind: .iio,
        channels: [
          CaptureChannelDescription(
            name: "z", role: .acceleration, unit: .metrePerSecondSquared, input: 3)
        ], iio: IIODescription(sensor: "haprig-none")),
      actuators: [
        ActuatorDescription(
          id: "one", model: "any", channel: 1,
          limits: ActuatorLimits(continuousVolts: 2, peakVolts: 3))
      ])
    let error = #expect(throws: DeviceError.self) { try OpenRig(rig) { _ in } }
    #expect(error?.code == .notFound)
  }
}
