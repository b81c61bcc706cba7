// SPDX-License-Identifier: Apache-2.0

import USBModels
import USBTransport

/// A device at full speed: packets move at the beginning of a frame of the bus, once a millisecond.
final class FullSpeedDevice: FakeUSBDevice {
  private let device: any FakeUSBDevice

  init(_ device: any FakeUSBDevice) { self.device = device }

  var record: USBDeviceRecord {
    var record = device.record
    record.megabits = 12
    return record
  }

  func control(
    _ request: USBControlRequest, bytes: inout [UInt8], at nanoseconds: UInt64
  ) -> Int? { device.control(request, bytes: &bytes, at: nanoseconds) }

  func accept(_ bytes: Span<UInt8>, on endpoint: UInt8, at nanoseconds: UInt64) -> Bool {
    isFrame(nanoseconds) && device.accept(bytes, on: endpoint, at: nanoseconds)
  }

  func give(_ bytes: inout MutableSpan<UInt8>, on endpoint: UInt8, at nanoseconds: UInt64) -> Int? {
    isFrame(nanoseconds) ? device.give(&bytes, on: endpoint, at: nanoseconds) : nil
  }

  private func isFrame(_ nanoseconds: UInt64) -> Bool { nanoseconds % 1_000_000 < FakeUSBBus.tick }
}
