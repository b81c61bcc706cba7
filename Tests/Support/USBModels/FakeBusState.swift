// SPDX-License-Identifier: Apache-2.0

import USBTransport

/// A transfer's slot as the bus keeps it while it is in flight.
struct SlotReference: @unchecked Sendable {
  // Sendable: between submit and completion the slot is the bus's alone, under the bus's lock.
  let slot: UnsafeMutablePointer<USBTransferSlot>

  init(_ slot: UnsafeMutablePointer<USBTransferSlot>) { self.slot = slot }
}

/// What a fake bus has under its lock.
struct FakeBusState: Sendable {
  /// Nanoseconds since the bus was made; not 0, so that no stamp looks like none.
  var now: UInt64 = 1_000_000
  var units: [FakeUnit] = []
  /// Counts what was plugged and unplugged.
  var plugCount = 0
  var use = FakeUSBBus.Use()
  private var lastDevice: UInt8 = 0

  /// The units that are plugged.
  var present: [FakeUnit] { units.filter(\.isPresent) }

  mutating func plug(
    _ device: any FakeUSBDevice, port: UInt8, guarded: FakeUSBBus.Guard, faults: [FakeUSBFault]
  ) -> USBAddress {
    unplug(port: port)
    lastDevice = lastDevice == 127 ? 1 : lastDevice + 1
    let address = USBAddress(bus: 1, device: lastDevice, ports: [port])
    var record = device.record
    record.address = address
    let unit = FakeUnit(device: device, record: record, guarded: guarded, faults: faults)
    // A place that nobody has open any more is used again: a thousand plugs take no thousand places.
    if let free = units.firstIndex(where: { !$0.isPresent && $0.openings == 0 }) {
      units[free] = unit
    } else {
      units.append(unit)
    }
    plugCount += 1
    return address
  }

  mutating func unplug(port: UInt8) {
    guard
      let unit = units.firstIndex(where: { $0.isPresent && $0.record.address.ports == [port] })
    else { return }
    plugCount += 1
    units[unit].remove(at: now)
  }

  mutating func open(_ address: USBAddress) -> Result<Int, USBFailure> {
    let place = units.firstIndex { $0.isPresent && $0.record.address == address }
    guard let unit = place else { return .failure(.notFound) }
    guard units[unit].guarded != .denied else { return .failure(.denied) }
    use.ports += 1
    units[unit].openings += 1
    return .success(unit)
  }

  mutating func cancel(_ reference: SlotReference, unit: Int) {
    units[unit].cancel(reference, at: now)
  }

  /// Moves the clock tick by tick until something happens, at most so far.
  mutating func serve(nanoseconds: UInt64, packetsPerTick: Int) {
    let end = now + nanoseconds
    let plugs = plugCount
    while true {
      var hasEnded = false
      for unit in units.indices where units[unit].isPresent {
        if units[unit].serve(at: now, packets: packetsPerTick) { hasEnded = true }
        if units[unit].isLeaving { unplug(port: units[unit].record.address.ports[0]) }
      }
      if hasEnded || plugCount != plugs {
        now += FakeUSBBus.tick
        return
      }
      if now >= end { return }
      now += FakeUSBBus.tick
    }
  }
}
