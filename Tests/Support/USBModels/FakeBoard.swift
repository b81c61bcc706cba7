// SPDX-License-Identifier: Apache-2.0

import Devices
package import USBDevices
public import USBTransport

/// A board of the vendor protocol on a fake bus: the reference board behind its endpoints.
public final class FakeBoard<Plant: BoardPlant>: FakeUSBDevice {
  /// The address of the endpoint that takes packets.
  public static var output: UInt8 { 0x01 }
  /// The address of the endpoint that gives packets.
  public static var input: UInt8 { 0x81 }

  private let device: Guarded<BoardDevice<Plant>>
  private let identity: BoardIdentity
  /// Ticks of a nanosecond of the bus.
  private let rate: Double
  private let start: UInt64

  /// Makes a board.
  ///
  /// - Parameters:
  ///   - device: The board.
  ///   - drift: How much faster its clock is than the bus's, in parts per million.
  ///   - start: Where its clock stands when the bus's begins, in ticks.
  public init(_ device: BoardDevice<Plant>, drift: Double = 0, start: UInt64 = 0) {
    self.start = start
    identity = device.identity
    rate = Double(device.identity.tickRate) * 1e-9 * (1 + drift * 1e-6)
    self.device = Guarded(device)
  }

  /// Looks at the board as it is.
  public func withBoard<Result: Sendable>(
    _ body: (inout BoardDevice<Plant>) -> Result
  ) -> Result {
    device.withLock { body(&$0) }
  }

  /// What the bus tells: a vendor's device with one interface of the protocol.
  public var record: USBDeviceRecord {
    USBDeviceRecord(
      address: USBAddress(bus: 1, device: 1, ports: [1]), vendor: 0x1209, product: 0x4852,
      descriptorBytes: Self.descriptors, manufacturer: "haprig", productName: "reference board",
      serial: identity.serial, megabits: 480)
  }

  /// The descriptors of a board at high speed.
  public static var descriptors: [UInt8] {
    [
      18, 1, 0x00, 0x02, 0, 0, 0, 64, 0x09, 0x12, 0x52, 0x48, 0, 1, 1, 2, 3, 1,
      9, 2, 32, 0, 1, 1, 0, 0x80, 50,
      9, 4, 0, 0, 2, 0xff, 0x48, 0x01, 0,
      7, 5, 0x01, 2, 0x00, 0x02, 0, 7, 5, 0x81, 2, 0x00, 0x02, 0,
    ]
  }

  /// Refuses: the protocol uses no control requests.
  public func control(
    _ request: USBControlRequest, bytes: inout [UInt8], at nanoseconds: UInt64
  ) -> Int? { nil }

  /// Gives the bytes to the board.
  public func accept(_ bytes: Span<UInt8>, on endpoint: UInt8, at nanoseconds: UInt64) -> Bool {
    var copy: [UInt8] = []
    copy.reserveCapacity(bytes.count)
    for index in 0..<bytes.count { copy.append(bytes[index]) }
    device.withLock { $0.receive(copy, at: tick(nanoseconds)) }
    return true
  }

  /// Gives the oldest packet that waits.
  public func give(
    _ bytes: inout MutableSpan<UInt8>, on endpoint: UInt8, at nanoseconds: UInt64
  ) -> Int? {
    let packet = device.withLock { board -> [UInt8]? in
      board.advance(to: tick(nanoseconds))
      return board.outbox.isEmpty ? nil : board.outbox.removeFirst()
    }
    guard let packet else { return nil }
    for index in 0..<min(packet.count, bytes.count) { bytes[index] = packet[index] }
    return packet.count
  }

  private func tick(_ nanoseconds: UInt64) -> UInt64 {
    start + UInt64(Double(nanoseconds) * rate)
  }
}

extension BoardIdentity {
  /// The reference board of the tests: two drive channels and three sensors, at 8 and 48 kHz.
  package static let reference = BoardIdentity(
    tickRate: 1_000_000, driveRates: [8000, 48_000], sensorRates: [8000, 48_000],
    driveChannelCount: 2, sensorChannelCount: 3, bufferFrames: 1024,
    fullScaleMicrovolts: 4_000_000, sensorFullScale: 160_000_000, serial: "BOARD-1")
}
