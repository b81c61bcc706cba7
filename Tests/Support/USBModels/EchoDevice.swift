// SPDX-License-Identifier: Apache-2.0

package import Devices
import Synchronization
package import USBTransport

/// A vendor's device that gives back what it takes, in order: bulk 01 and 81, interrupt 82.
package final class EchoDevice: FakeUSBDevice {
  private let kept = Guarded<[[UInt8]]>([])
  private let isSilent: Bool
  package let serial: String?
  package let record: USBDeviceRecord

  package static let descriptors: [UInt8] = [
    18, 1, 0x00, 0x02, 0, 0, 0, 64, 0x09, 0x12, 0xDE, 0xC0, 0, 1, 1, 2, 3, 1,
    9, 2, 39, 0, 1, 1, 0, 0x80, 50, 9, 4, 0, 0, 3, 255, 0, 0, 0,
    7, 5, 0x01, 2, 0x00, 0x02, 0, 7, 5, 0x81, 2, 0x00, 0x02, 0, 7, 5, 0x82, 3, 64, 0, 4,
  ]

  package init(
    serial: String? = "SN0001", isSilent: Bool = false, megabits: Double? = nil,
    descriptors: [UInt8] = EchoDevice.descriptors
  ) {
    self.serial = serial
    self.isSilent = isSilent
    record = USBDeviceRecord(
      address: USBAddress(bus: 1, device: 1, ports: [1]), vendor: 0x1209, product: 0xC0DE,
      descriptorBytes: descriptors, productName: "echo", serial: serial, megabits: megabits)
  }

  package func control(
    _ request: USBControlRequest, bytes: inout [UInt8], at nanoseconds: UInt64
  ) -> Int? {
    guard request.request == 1, request.isInput else { return nil }
    let answer = Array((serial ?? "").utf8)
    for (place, byte) in answer.prefix(bytes.count).enumerated() { bytes[place] = byte }
    return min(answer.count, bytes.count)
  }

  package func accept(_ bytes: Span<UInt8>, on endpoint: UInt8, at nanoseconds: UInt64) -> Bool {
    guard !isSilent else { return false }
    var copy: [UInt8] = []
    for index in 0..<bytes.count { copy.append(bytes[index]) }
    kept.withLock { $0.append(copy) }
    return true
  }

  package func give(
    _ bytes: inout MutableSpan<UInt8>, on endpoint: UInt8, at nanoseconds: UInt64
  ) -> Int? {
    if endpoint == 0x82 {
      bytes[0] = 7
      return 1
    }
    let packet = kept.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    guard let packet else { return nil }
    for index in 0..<packet.count { bytes[index] = packet[index] }
    return packet.count
  }
}

/// A device that counts: every packet in carries the next number.
package final class CountingDevice: PassiveDevice {
  private let next = Atomic<UInt64>(0)
  package let record = EchoDevice().record

  package init() {}

  package func give(
    _ bytes: inout MutableSpan<UInt8>, on endpoint: UInt8, at nanoseconds: UInt64
  ) -> Int? {
    let number = next.add(1, ordering: .relaxed).oldValue
    for place in 0..<8 { bytes[place] = UInt8(truncatingIfNeeded: number >> (8 * UInt64(place))) }
    return 8
  }
}

/// The echo device's endpoints.
package enum Echo {
  package static let output = USBEndpoint(address: 0x01, kind: .bulk, packetBytes: 512)
  package static let input = USBEndpoint(address: 0x81, kind: .bulk, packetBytes: 512)
  package static let interrupt = USBEndpoint(
    address: 0x82, kind: .interrupt, packetBytes: 64, interval: 4)
  package static let identity = USBSelection.Identity(vendor: 0x1209, product: 0xC0DE)
}
