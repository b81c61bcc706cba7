// SPDX-License-Identifier: Apache-2.0

import USBModels
import USBTransport

/// A fake bus that passes for a real one: takes on it have a thread, and its time passes as fast as that runs.
final class PacedBus: USBBackend {
  private let bus: FakeUSBBus

  init(_ bus: FakeUSBBus) { self.bus = bus }

  var isVirtual: Bool { false }

  func devices() throws(USBFailure) -> [USBDeviceRecord] { try bus.devices() }

  func open(_ device: USBDeviceRecord) throws(USBFailure) -> any USBPort { try bus.open(device) }

  func serveEvents(microseconds: Int) throws(USBFailure) {
    try bus.serveEvents(microseconds: microseconds)
  }

  func clock() -> UInt64 { bus.clock() }
}
