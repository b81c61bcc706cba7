// SPDX-License-Identifier: Apache-2.0

import Actuators
import Devices
import USBModels
import Units

@testable import USBDevices

/// A rig on the reference board, on a bus in this process.
struct BoardFixture {
  static let rate = 8000.0
  let bus: FakeUSBBus
  let board: FakeBoard<WitnessPlant>
  let rig: USBRig

  static let identity = BoardIdentity.reference

  static func description(rate: Double = BoardFixture.rate, inputs: [Int] = [1]) -> RigDescription {
    RigDescription(
      name: "bench",
      drive: DriveDescription(
        device: .usb(USBDescription(selection: USBSelection())), rate: SampleRate(hertz: rate),
        channels: [.haptic: 1], fullScaleVolts: 4, periodFrames: 64),
      capture: CaptureDescription(
        kind: .usb,
        channels: inputs.map {
          CaptureChannelDescription(
            name: "z\($0)", role: $0 == 1 ? .reference : .acceleration,
            unit: $0 == 1 ? .volt : .metrePerSecondSquared, input: $0,
            fullScaleVolts: $0 == 1 ? 1 : nil)
        }),
      actuators: [
        Actuator(
          id: "a", model: "m",
          limits: DriveLimits(continuousVolts: 2, peakVolts: 4))
      ])
  }

  init(
    faults: [FakeUSBFault] = [], drift: Double = 0, now: UInt64 = 0, timeout: Double = 1,
    rate: Double = BoardFixture.rate, inputs: [Int] = [1],
    identity: BoardIdentity = BoardFixture.identity,
    halves: TakeHalves = [.drive, .sensors]
  ) throws {
    bus = FakeUSBBus()
    board = FakeBoard(
      BoardDevice(identity, plant: WitnessPlant(width: identity.sensorChannelCount), now: now),
      drift: drift, start: now)
    bus.plug(board, faults: faults)
    rig = try USBRig(
      Self.description(rate: rate, inputs: inputs),
      device: USBDescription(selection: USBSelection(), timeout: timeout), halves: halves, on: bus)
  }

  /// Plays a signal in blocks and gives what the sensors delivered, in order.
  func play(
    frames total: Int, block: Int = 64, signal: (Int) -> Float
  ) throws(DeviceError) -> [Float] {
    try rig.play(frames: total, block: block, signal: signal)
  }
}

extension USBRig {
  /// Plays a signal in blocks and gives what the sensors delivered, in order.
  func play(
    frames total: Int, block: Int = 64, signal: (Int) -> Float
  ) throws(DeviceError) -> [Float] {
    guard let drive, let sensors else { return [] }
    try drive.start()
    try sensors.start()
    let width = sensors.format.channelCount
    var heard: [Float] = []
    var sent = 0
    while sent < total {
      let samples = (sent..<min(sent + block, total)).map(signal)
      sent += try drive.write(samples.span)
      heard += try read(sensors, width)
    }
    try drive.stop()
    while heard.count < total * width {
      let more = try read(sensors, width)
      if more.isEmpty { break }
      heard += more
    }
    try sensors.stop()
    return heard
  }

  private func read(_ sensors: USBSensors, _ width: Int) throws(DeviceError) -> [Float] {
    var block = [Float](repeating: 0, count: 512 * width)
    var span = block.mutableSpan
    let count = try sensors.read(into: &span)
    return Array(block.prefix(count * width))
  }
}
