// SPDX-License-Identifier: Apache-2.0

package import USBTransport

/// A device that answers no request, takes what it is sent, and gives nothing unless it says otherwise.
package protocol PassiveDevice: FakeUSBDevice {}

extension PassiveDevice {
  package func control(
    _ request: USBControlRequest, bytes: inout [UInt8], at nanoseconds: UInt64
  ) -> Int? { nil }

  package func accept(_ bytes: Span<UInt8>, on endpoint: UInt8, at nanoseconds: UInt64) -> Bool {
    true
  }

  package func give(
    _ bytes: inout MutableSpan<UInt8>, on endpoint: UInt8, at nanoseconds: UInt64
  ) -> Int? { nil }
}

/// A device that has descriptors of choice and nothing to say.
package final class MuteDevice: PassiveDevice {
  package let record: USBDeviceRecord

  package init(_ record: USBDeviceRecord) { self.record = record }
}
