// SPDX-License-Identifier: Apache-2.0

public import USBModels
public import USBTransport

/// A charging grip with two Joy-Cons on a bus in this process, each behind an interface of its own.
public final class FakeChargingGrip: FakeUSBDevice {
  /// The Joy-Cons, in the order of their interfaces.
  public let joyCons: [FakeSwitchController]

  /// Makes a grip with Joy-Cons of two kinds: 1 left, 2 right.
  public init(kinds: [UInt8]) {
    joyCons = kinds.map { kind in
      var manner = FakeSwitchController.Manner()
      manner.kind = kind
      return FakeSwitchController(manner: manner)
    }
  }

  /// What the bus tells.
  public var record: USBDeviceRecord {
    USBDeviceRecord(
      address: USBAddress(bus: 1, device: 1, ports: [1]), vendor: 0x057e, product: 0x200e,
      descriptorBytes: [
        18, 1, 0x00, 0x02, 0, 0, 0, 64, 0x7e, 0x05, 0x0e, 0x20, 0, 2, 1, 2, 3, 1,
        9, 2, 55, 0, 2, 1, 0, 0xa0, 250,
        9, 4, 0, 0, 2, 3, 0, 0, 0, 7, 5, 0x81, 3, 64, 0, 8, 7, 5, 0x01, 3, 64, 0, 8,
        9, 4, 1, 0, 2, 3, 0, 0, 0, 7, 5, 0x82, 3, 64, 0, 8, 7, 5, 0x02, 3, 64, 0, 8,
      ], productName: "Charging Grip", serial: "000000000001", megabits: 12)
  }

  /// Refuses: nothing is asked by control requests.
  public func control(
    _ request: USBControlRequest, bytes: inout [UInt8], at nanoseconds: UInt64
  ) -> Int? { nil }

  /// Gives a report to the Joy-Con of the endpoint.
  public func accept(_ bytes: Span<UInt8>, on endpoint: UInt8, at nanoseconds: UInt64) -> Bool {
    joyCons[Int(endpoint & 0x7f) - 1].accept(bytes, on: endpoint, at: nanoseconds)
  }

  /// Gives a report of the endpoint's Joy-Con.
  public func give(
    _ bytes: inout MutableSpan<UInt8>, on endpoint: UInt8, at nanoseconds: UInt64
  ) -> Int? {
    joyCons[Int(endpoint & 0x7f) - 1].give(&bytes, on: endpoint, at: nanoseconds)
  }
}
