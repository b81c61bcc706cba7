// SPDX-License-Identifier: Apache-2.0

import Actuators
import DeviceStreams
import Devices
import Fuzzing
import Synchronization
import USBDevices
import USBModels
import USBTransport
import Units

/// Opens whatever the bytes are as a board, plays to it, and lets it go.
func checkDevice(_ bytes: [UInt8]) {
  let bus = FakeUSBBus()
  bus.plug(AnyDevice(bytes), faults: faults(bytes))
  do throws(DeviceError) {
    let board = try USBRig(
      rig, device: USBDescription(selection: USBSelection(), timeout: 0.05), on: bus)
    if let drive = board.drive, let sensors = board.sensors {
      try play(drive, sensors)
    }
  } catch {
    require(!error.message.isEmpty, "no message")
  }
  require(bus.use == FakeUSBBus.Use(), "kept: \(bus.use)")
  require(bus.clock() < 20_000_000_000, "\(bus.clock()) ns for 1024 frames")
}

private func play(_ drive: USBDrive, _ sensors: USBSensors) throws(DeviceError) {
  try drive.start()
  try sensors.start()
  let block = [Float](repeating: 0.25, count: 128)
  for _ in 0..<8 {
    var sent = 0
    while sent < block.count { sent += try drive.write(block.span.extracting(sent..<block.count)) }
    var heard = [Float](repeating: 0, count: 128)
    var span = heard.mutableSpan
    _ = try sensors.read(into: &span)
    require(heard.allSatisfy(\.isFinite), "a sensor that is no number")
  }
  try drive.stop()
  try sensors.stop()
}

private let rig = RigDescription(
  name: "fuzz",
  drive: DriveDescription(
    device: .usb(USBDescription(selection: USBSelection())), rate: SampleRate(hertz: 8000),
    channels: [.haptic: 1], fullScaleVolts: 3.3, periodFrames: 64),
  capture: CaptureDescription(
    kind: .usb,
    channels: [
      CaptureChannelDescription(
        name: "z", role: .acceleration, unit: .metrePerSecondSquared, input: 1)
    ]),
  actuators: [
    Actuator(
      id: "a", model: "m", limits: DriveLimits(continuousVolts: 2, peakVolts: 3))
  ])

/// Up to two faults of the bus, by the first four bytes.
private func faults(_ bytes: [UInt8]) -> [FakeUSBFault] {
  let kinds: [FakeUSBFault.Kind] = [
    .stall, .babble, .fail, .unplug, .lose, .duplicate, .swap, .shorten(to: 5), .corrupt(byte: 9),
    .hold(nanoseconds: 30_000_000),
  ]
  return stride(from: 0, to: min(4, bytes.count - 1), by: 2).compactMap { place in
    // Half of all inputs have none.
    guard bytes[place] < 128 else { return nil }
    return FakeUSBFault(
      kinds[Int(bytes[place]) % kinds.count], endpoint: bytes[place] & 64 == 0 ? 0x01 : 0x81,
      transfer: Int(bytes[place + 1]))
  }
}

/// A device with a board's descriptors whose answers are a real board's, with the bytes written into them:
/// one in so many packets is changed, added or left out, its check sum made right again or not.
private final class AnyDevice: FakeUSBDevice {
  private struct State: Sendable {
    var board: BoardDevice<LoopbackPlant>
    var steps: [UInt8]
    var place = 4
    var sent = 0
  }

  private let state: Mutex<State>

  init(_ steps: [UInt8]) {
    let identity = BoardIdentity(
      tickRate: 1_000_000, driveRates: [8000], sensorRates: [8000], driveChannelCount: 1,
      sensorChannelCount: 1, bufferFrames: 512, fullScaleMicrovolts: 3_300_000,
      sensorFullScale: 156_906_400, serial: "HR-0001")
    state = Mutex(State(board: BoardDevice(identity, plant: LoopbackPlant(identity)), steps: steps))
  }

  var record: USBDeviceRecord {
    USBDeviceRecord(
      address: USBAddress(bus: 1, device: 1, ports: [1]), vendor: 0x1209, product: 0x4852,
      descriptorBytes: FakeBoard<LoopbackPlant>.descriptors, serial: "HR-0001", megabits: 480)
  }

  func control(
    _ request: USBControlRequest, bytes: inout [UInt8], at nanoseconds: UInt64
  ) -> Int? { nil }

  func accept(_ bytes: Span<UInt8>, on endpoint: UInt8, at nanoseconds: UInt64) -> Bool {
    var copy: [UInt8] = []
    for index in 0..<bytes.count { copy.append(bytes[index]) }
    state.withLock { $0.board.receive(copy, at: nanoseconds / 1000) }
    return true
  }

  func give(_ bytes: inout MutableSpan<UInt8>, on endpoint: UInt8, at nanoseconds: UInt64) -> Int? {
    let packet = state.withLock { state -> [UInt8]? in
      state.board.advance(to: nanoseconds / 1000)
      guard !state.board.outbox.isEmpty else { return nil }
      let packet = state.board.outbox.removeFirst()
      state.sent += 1
      return Self.changed(packet, &state)
    }
    guard let packet else { return nil }
    let count = min(packet.count, bytes.count)
    for index in 0..<count { bytes[index] = packet[index] }
    return count
  }

  /// The packet, or what four bytes make of it: how many packets to leave alone, where, what, and how.
  private static func changed(_ packet: [UInt8], _ state: inout State) -> [UInt8] {
    guard state.place + 4 <= state.steps.count, packet.count > 16 else { return packet }
    let step = Array(state.steps[state.place..<(state.place + 4)])
    guard state.sent > Int(step[0]) else { return packet }
    state.place += 4
    state.sent = 0
    var packet = packet
    let place = Int(step[1]) % packet.count
    packet[place] = step[2]
    switch step[3] % 4 {
    case 0: return packet
    case 1: return Array(packet.prefix(place))
    default: break
    }
    // The check sum is right: the values are what is wrong.
    let content = Array(packet.dropLast(4))
    let sum = CRC32.of(content)
    return content + (0..<4).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
  }
}
