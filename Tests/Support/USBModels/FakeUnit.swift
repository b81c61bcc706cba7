// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
import USBTransport

/// One plugged device of a fake bus, with what is in flight to it.
struct FakeUnit: Sendable {
  let device: any FakeUSBDevice
  var record: USBDeviceRecord
  var guarded: FakeUSBBus.Guard
  var isPresent = true
  /// Set by a fault: the bus takes the device off.
  var isLeaving = false
  var halted: Set<UInt8> = []
  var openings = 0
  let interfaces: Set<UInt8>
  /// When the latest fault struck.
  private(set) var lastFault: UInt64?

  private var faults: [FakeUSBFault]
  private var lines: [UInt8: Line] = [:]

  /// What is in flight on one endpoint, and what faults have kept back.
  private struct Line: Sendable {
    var waiting: [SlotReference] = []
    /// How many of `waiting` are done, so that the array is shifted seldom.
    var done = 0
    var count = 0
    var heldUntil: UInt64 = 0
    /// Packets of the device that come before its next ones.
    var kept: [[UInt8]] = []

    var first: SlotReference? { done < waiting.count ? waiting[done] : nil }

    mutating func removeFirst() {
      done += 1
      if done == waiting.count {
        waiting.removeAll(keepingCapacity: true)
        done = 0
      }
    }
  }

  init(
    device: any FakeUSBDevice, record: USBDeviceRecord, guarded: FakeUSBBus.Guard,
    faults: [FakeUSBFault]
  ) {
    self.device = device
    self.record = record
    self.guarded = guarded
    self.faults = faults
    let descriptors = try? USBDescriptors(bytes: record.descriptorBytes)
    interfaces = Set(descriptors?.configurations.flatMap(\.interfaces).map(\.number) ?? [])
  }

  mutating func add(_ reference: SlotReference) {
    lines[reference.slot.pointee.endpoint.address, default: Line()].waiting.append(reference)
  }

  mutating func cancel(_ reference: SlotReference, at now: UInt64) {
    let address = reference.slot.pointee.endpoint.address
    guard var line = lines[address] else { return }
    let waiting = line.waiting[line.done...]
    guard waiting.contains(where: { $0.slot == reference.slot }) else { return }
    line.waiting = waiting.filter { $0.slot != reference.slot }
    line.done = 0
    lines[address] = line
    reference.slot.pointee.complete(.cancelled, actual: 0, at: now)
  }

  /// Takes the device off: everything in flight ends.
  mutating func remove(at now: UInt64) {
    isPresent = false
    isLeaving = false
    for address in lines.keys.sorted() {
      guard let line = lines[address] else { continue }
      for reference in line.waiting[line.done...] {
        reference.slot.pointee.complete(.unplugged, actual: 0, at: now)
      }
    }
    lines = [:]
  }

  /// Looks at every endpoint once; true where a transfer ended.
  mutating func serve(at now: UInt64, packets: Int) -> Bool {
    var hasEnded = false
    for address in lines.keys.sorted() {
      guard var line = lines[address] else { continue }
      // What is taken out is the only copy: nothing is copied by changing it.
      lines[address] = nil
      for _ in 0..<packets {
        guard !isLeaving, serveOne(&line, address, at: now) else { break }
        hasEnded = true
      }
      lines[address] = line
    }
    return hasEnded
  }

  /// Moves the oldest transfer of an endpoint, where it can be; true where it ended.
  private mutating func serveOne(_ line: inout Line, _ address: UInt8, at now: UInt64) -> Bool {
    guard let slot = line.first?.slot else { return false }
    if slot.pointee.endpoint.kind == .interrupt {
      let seconds = record.polling(of: slot.pointee.endpoint).interval
      let interval = UInt64((seconds * 1e9).rounded()) / FakeUSBBus.tick
      guard (now / FakeUSBBus.tick).isMultiple(of: interval) else { return false }
    }
    if halted.contains(address) {
      return false
    }
    if now < line.heldUntil { return Self.isOverdue(slot, &line, at: now) }
    let fault = takeFault(address, line.count)
    if fault != nil { lastFault = now }
    switch fault {
    case .stall:
      halted.insert(address)
      return Self.end(slot, &line, .stalled, 0, at: now)
    case .babble: return Self.end(slot, &line, .babbled, slot.pointee.length, at: now)
    case .fail: return Self.end(slot, &line, .failed(), 0, at: now)
    case .unplug:
      isLeaving = true
      return false
    case .hold(let time):
      line.heldUntil = now + time
      return Self.isOverdue(slot, &line, at: now)
    case .lose where address & 0x80 != 0:
      // The device gave it, and nobody has it: the transfer waits on for the next.
      if ask(slot, address, at: now) == nil {
        faults.append(FakeUSBFault(.lose, endpoint: address, transfer: line.count))
      }
      return Self.isOverdue(slot, &line, at: now)
    default: break
    }
    let moved =
      address & 0x80 == 0
      ? accept(slot, address, fault, at: now) : give(slot, &line, address, fault, at: now)
    guard let moved else {
      if let fault { faults.append(FakeUSBFault(fault, endpoint: address, transfer: line.count)) }
      return Self.isOverdue(slot, &line, at: now)
    }
    return Self.end(slot, &line, nil, moved, at: now)
  }

  private func accept(
    _ slot: UnsafeMutablePointer<USBTransferSlot>, _ address: UInt8, _ fault: FakeUSBFault.Kind?,
    at now: UInt64
  ) -> Int? {
    var count = slot.pointee.length
    if fault == .lose { return count }
    if case .shorten(let length) = fault { count = min(count, length) }
    if case .corrupt(let byte) = fault, byte < count { slot.pointee.bytes[byte] ^= 0xFF }
    let bytes = Span<UInt8>(
      _unsafeElements: slot.pointee.bytes.assumingMemoryBound(to: UInt8.self))
    return device.accept(bytes.extracting(0..<count), on: address, at: now) ? count : nil
  }

  private func give(
    _ slot: UnsafeMutablePointer<USBTransferSlot>, _ line: inout Line, _ address: UInt8,
    _ fault: FakeUSBFault.Kind?, at now: UInt64
  ) -> Int? {
    if !line.kept.isEmpty {
      let kept = line.kept.removeFirst()
      slot.pointee.bytes.copyBytes(from: kept)
      return kept.count
    }
    guard var count = ask(slot, address, at: now) else { return nil }
    switch fault {
    case .shorten(let length): count = min(count, length)
    case .corrupt(let byte): if byte < count { slot.pointee.bytes[byte] ^= 0xFF }
    case .duplicate: line.kept.append(Array(slot.pointee.bytes[..<count]))
    case .swap:
      let first = Array(slot.pointee.bytes[..<count])
      guard let second = ask(slot, address, at: now) else { return count }
      line.kept.append(first)
      return second
    default: break
    }
    return count
  }

  private func ask(
    _ slot: UnsafeMutablePointer<USBTransferSlot>, _ address: UInt8, at now: UInt64
  ) -> Int? {
    var bytes = MutableSpan<UInt8>(
      _unsafeElements: slot.pointee.bytes.assumingMemoryBound(to: UInt8.self))
    return device.give(&bytes, on: address, at: now)
  }

  private mutating func takeFault(_ address: UInt8, _ transfer: Int) -> FakeUSBFault.Kind? {
    guard !faults.isEmpty,
      let place = faults.firstIndex(where: { $0.endpoint == address && $0.transfer == transfer })
    else { return nil }
    return faults.remove(at: place).kind
  }

  /// Ends a transfer whose time is over; true where it was.
  private static func isOverdue(
    _ slot: UnsafeMutablePointer<USBTransferSlot>, _ line: inout Line, at now: UInt64
  ) -> Bool {
    let time = UInt64(slot.pointee.timeout) * 1_000_000
    guard time > 0, now >= slot.pointee.submitted + time else { return false }
    return end(slot, &line, .timedOut, 0, at: now)
  }

  private static func end(
    _ slot: UnsafeMutablePointer<USBTransferSlot>, _ line: inout Line,
    _ failure: USBFailure?, _ count: Int, at now: UInt64
  ) -> Bool {
    line.removeFirst()
    line.count += 1
    slot.pointee.complete(failure, actual: count, at: now)
    return true
  }
}
