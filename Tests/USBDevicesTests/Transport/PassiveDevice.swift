import USBDevices
import USBModels

/// A device that answers no request, takes what it is sent, and gives nothing unless it says otherwise.
protocol PassiveDevice: FakeUSBDevice {}

extension PassiveDevice {
  func control(
    _ request: USBControlRequest, bytes: inout [UInt8], at nanoseconds: UInt64
  ) -> Int? { nil }

  func accept(_ bytes: Span<UInt8>, on endpoint: UInt8, at nanoseconds: UInt64) -> Bool { true }

  func give(
    _ bytes: inout MutableSpan<UInt8>, on endpoint: UInt8, at nanoseconds: UInt64
  ) -> Int? { nil }
}

/// A device that has descriptors of choice and nothing to say.
final class MuteDevice: PassiveDevice {
  let record: USBDeviceRecord

  init(_ record: USBDeviceRecord) { self.record = record }
}
