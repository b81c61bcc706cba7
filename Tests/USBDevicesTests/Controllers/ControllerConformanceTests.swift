// SPDX-License-Identifier: Apache-2.0

import ControllerModels
import DeviceConformance
import Devices
import Testing
import USBModels

@testable import USBDevices

/// The contract of the ports on devices that take tones and devices that report motion.
struct ControllerConformanceTests {
  @Test(arguments: ControllerKind.allCases, DeviceConformance.checks([]))
  func `a controller that drives and feels keeps the contract of the ports`(
    kind: ControllerKind, check: DeviceConformance.Check
  ) throws {
    try DeviceConformance([]) {
      let bench = try ControllerFixture(kind)
      return DevicePair(
        output: try #require(bench.rig.drive), input: try #require(bench.rig.sensors))
    }.run(check)
  }

  @Test(arguments: DRV2605LDescription.Bridge.allCases, DeviceConformance.checks([]))
  func `a DRV2605L beside a board that feels keeps the contract of the ports`(
    bridge: DRV2605LDescription.Bridge, check: DeviceConformance.Check
  ) throws {
    try DeviceConformance([]) {
      let bus = FakeUSBBus()
      Self.plug(bridge, on: bus)
      bus.plug(Self.board, port: 2)
      let chip = DRV2605LDescription(bridge: bridge, resonance: 175)
      return try Self.pair(
        ChipFixtureMaker.description(chip),
        USBDescription(selection: USBSelection(), driver: .drv2605L(chip)),
        USBDescription(selection: USBSelection()), on: bus)
    }.run(check)
  }

  @Test(arguments: ControllerKind.allCases, DeviceConformance.checks([]))
  func `a controller that feels beside a board that drives keeps the contract of the ports`(
    kind: ControllerKind, check: DeviceConformance.Check
  ) throws {
    try DeviceConformance([]) {
      let bus = FakeUSBBus()
      bus.plug(Self.board, port: 1)
      bus.plug(kind.model, port: 2, guarded: .kernelDriver)
      return try Self.pair(
        ControllerFixture.description(kind.driver), USBDescription(selection: USBSelection()),
        USBDescription(selection: USBSelection(), driver: kind.driver), on: bus)
    }.run(check)
  }

  /// A board that does not know its full scale, beside rigs of any.
  private static var board: FakeBoard<WitnessPlant> {
    var identity = BoardFixture.identity
    identity.fullScaleMicrovolts = 0
    return FakeBoard(
      BoardDevice(identity, plant: WitnessPlant(width: identity.sensorChannelCount)))
  }

  private static func plug(_ bridge: DRV2605LDescription.Bridge, on bus: FakeUSBBus) {
    switch bridge {
    case .mcp2221a:
      bus.plug(FakeBridge<ModelMCP2221A>(identity: MCP2221ABridge.identity, isBulk: false))
    case .cp2112:
      bus.plug(FakeBridge<ModelCP2112>(identity: CP2112Bridge.identity, isBulk: false))
    case .ft232h:
      bus.plug(FakeBridge<ModelFT232H>(identity: FT232HBridge.identity, isBulk: true))
    }
  }

  /// Two devices on one bus as one rig.
  private static func pair(
    _ rig: RigDescription, _ driving: USBDescription, _ feeling: USBDescription,
    on bus: FakeUSBBus
  ) throws -> DevicePair {
    let drive = try USBRig(rig, device: driving, halves: .drive, on: bus)
    let sensors = try USBRig(rig, device: feeling, halves: .sensors, on: bus)
    drive.accompany(sensors)
    return DevicePair(
      output: DriveBeside(try #require(drive.drive), sensors),
      input: try #require(sensors.sensors))
  }
}

/// A drive that tells another device's sensors how far it went.
private final class DriveBeside: DriveOutput {
  private let drive: USBDrive
  private let sensors: USBRig

  init(_ drive: USBDrive, _ sensors: USBRig) {
    self.drive = drive
    self.sensors = sensors
  }

  var format: StreamFormat { drive.format }

  func start() throws(DeviceError) { try drive.start() }

  func write(_ frames: Span<Float>) throws(DeviceError) -> Int {
    let taken = try drive.write(frames)
    sensors.advance(frames: taken)
    return taken
  }

  func silence() { drive.silence() }

  func stop() throws(DeviceError) {
    defer { sensors.endDrive() }
    try drive.stop()
  }

  func takeEvents() -> [StreamEvent] { drive.takeEvents() }

  func seenEvents() -> [StreamEvent] { drive.seenEvents() }

  func clockReading() -> ClockReading? { drive.clockReading() }
}
