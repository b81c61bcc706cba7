// SPDX-License-Identifier: Apache-2.0

import AllocationCounter
import DeviceStreams
import Devices
import Testing
import USBModels

@testable import USBTransport

struct TransferQueueTests {
  /// Opens the device on a bus and claims its interface.
  private func open(
    _ bus: FakeUSBBus, _ device: any FakeUSBDevice = EchoDevice(), faults: [FakeUSBFault] = []
  ) throws -> USBDeviceHandle {
    bus.plug(device, faults: faults)
    let context = USBContext(bus)
    let handle = try context.open(USBSelection(identity: Echo.identity), rig: "bench")
    try handle.claim(0)
    return handle
  }

  @Test func `what was sent comes back, and the queue has room again`() throws {
    let bus = FakeUSBBus()
    let handle = try open(bus)
    let output = try TestQueue(handle, Echo.output, 2)
    let input = try TestQueue(handle, Echo.input, 2)
    try input.submitAll()
    let packet: [UInt8] = [1, 2, 3]
    #expect(try output.submit(packet))
    #expect(output.inFlight == 1 && output.room == 1)
    let came = try #require(try input.next(microseconds: 10_000))
    #expect(came.failure == nil)
    #expect(came.bytes == packet)
    let went = try #require(output.taken())
    #expect(went.count == 3 && went.number == 0)
    #expect(went.completed >= went.submitted)
    #expect(output.room == 2)
  }

  @Test func `a full queue takes nothing more and does not wait`() throws {
    let bus = FakeUSBBus()
    let handle = try open(bus, EchoDevice(isSilent: true))
    let output = try TestQueue(handle, Echo.output, 2)
    let packet: [UInt8] = [1]
    #expect(try output.submit(packet))
    #expect(try output.submit(packet))
    let before = bus.clock()
    #expect(try output.submit(packet) == false)
    #expect(bus.clock() == before)
  }

  @Test func `packets by the thousand arrive once each and in order`() throws {
    let wanted = StreamLength.packets
    let bus = FakeUSBBus()
    let handle = try open(bus, CountingDevice())
    var input = try handle.queue(Echo.input, transfers: 16, bytes: 512)
    try input.submitAll()
    var expected = 0
    var wrong = 0
    while expected < wanted {
      guard let came = try input.waitForCompletion(microseconds: 10_000) else { break }
      let number = input.withBytes(of: came) { span in
        (0..<8).reduce(0) { $0 | Int(span[$1]) << (8 * $1) }
      }
      if number != expected || came.number != expected { wrong += 1 }
      expected += 1
      input.recycle(came)
      try input.submitAll()
    }
    #expect(expected == wanted)
    #expect(wrong == 0)
  }

  @Test func `stopping takes everything back and keeps what had come`() throws {
    let bus = FakeUSBBus()
    let handle = try open(bus)
    let output = try TestQueue(handle, Echo.output, 4)
    let input = try TestQueue(handle, Echo.input, 4)
    try input.submitAll()
    let packet: [UInt8] = [9]
    #expect(try output.submit(packet))
    try bus.serveEvents(microseconds: 1000)
    try bus.serveEvents(microseconds: 1000)
    #expect(input.stop())
    #expect(input.inFlight == 0)
    var failures: [USBFailure?] = []
    while let came = input.taken() {
      failures.append(came.failure)
    }
    #expect(failures == [nil, .cancelled, .cancelled, .cancelled])
    try input.submitAll()
    #expect(input.inFlight == 4)
  }

  @Test func `a transfer without an answer ends when its time is over`() throws {
    let bus = FakeUSBBus()
    let handle = try open(bus, EchoDevice(isSilent: true))
    let output = try TestQueue(handle, Echo.output, 1, milliseconds: 200)
    let packet: [UInt8] = [1]
    #expect(try output.submit(packet))
    let began = bus.clock()
    let ended = try #require(try output.next(microseconds: 3_000_000))
    #expect(ended.failure == .timedOut)
    #expect(Double(bus.clock() - began) * 1e-9 < 0.21)
  }

  @Test func `a device that says not now for seconds is waited for`() throws {
    let bus = FakeUSBBus()
    let handle = try open(
      bus, faults: [FakeUSBFault(.hold(nanoseconds: 3_000_000_000), endpoint: 0x01, transfer: 0)])
    let output = try TestQueue(handle, Echo.output, 1)
    let packet: [UInt8] = [1]
    #expect(try output.submit(packet))
    #expect(try output.next(microseconds: 1_000_000) == nil)
    let ended = try #require(try output.next(microseconds: 3_000_000))
    #expect(ended.failure == nil)
  }

  @Test func `a stalled endpoint takes nothing until it is cleared`() throws {
    let bus = FakeUSBBus()
    let handle = try open(
      bus, faults: [FakeUSBFault(.stall, endpoint: 0x01, transfer: 1)])
    let output = try TestQueue(handle, Echo.output, 4)
    let packet: [UInt8] = [1]
    for _ in 0..<3 { #expect(try output.submit(packet)) }
    var failures: [USBFailure?] = []
    while let ended = try output.next(microseconds: 2000) {
      failures.append(ended.failure)
    }
    #expect(failures == [nil, .stalled])
    #expect(throws: USBFailure.stalled) { try output.submit(packet) }
    try output.clearStall()
    while output.taken() != nil {}
    #expect(try output.submit(packet))
    let ended = try #require(try output.next(microseconds: 2000))
    #expect(ended.failure == nil)
  }

  @Test func `a completion that nobody gives back loses no transfer`() throws {
    let bus = FakeUSBBus()
    let handle = try open(bus)
    var output = try handle.queue(
      Echo.output, transfers: 1, bytes: Echo.output.packetBytes)
    let packet: [UInt8] = [1]
    for number in 0..<3 {
      let isSubmitted = try output.submit(packet.span)
      #expect(isSubmitted)
      guard let completion = try output.waitForCompletion(microseconds: 2000) else {
        Issue.record("transfer \(number) did not end")
        return
      }
      let seen = completion.number
      #expect(seen == number)
    }
  }

  @Test func `a failure that has no name keeps the library's number`() throws {
    let handle = try open(FakeUSBBus())
    let unnamed = handle.fault(.failed(number: -99), doing: "hear").message
    let named = handle.fault(.failed(), doing: "hear").message
    #expect(unnamed.contains("the bus failed (error -99 of libusb): try"))
    #expect(named.contains("the bus failed: try"))
  }

  @Test(arguments: [USBFailure.babbled, .failed()])
  func `a broken transfer says how it broke`(failure: USBFailure) throws {
    let bus = FakeUSBBus()
    let kind: FakeUSBFault.Kind = failure == .babbled ? .babble : .fail
    let handle = try open(
      bus, CountingDevice(), faults: [FakeUSBFault(kind, endpoint: 0x81, transfer: 0)])
    let input = try TestQueue(handle, Echo.input, 1)
    try input.submitAll()
    let ended = try #require(try input.next(microseconds: 2000))
    #expect(ended.failure == failure)
  }

  @Test func `a short packet is told by its count and is no fault`() throws {
    let bus = FakeUSBBus()
    let handle = try open(
      bus, CountingDevice(), faults: [FakeUSBFault(.shorten(to: 3), endpoint: 0x81, transfer: 0)])
    let input = try TestQueue(handle, Echo.input, 1)
    try input.submitAll()
    let ended = try #require(try input.next(microseconds: 2000))
    #expect(ended.failure == nil && ended.count == 3)
    #expect(ended.bytes.count == 3)
  }

  @Test func `an unplug between submit and completion ends every transfer`() throws {
    let bus = FakeUSBBus()
    let handle = try open(bus, EchoDevice(isSilent: true))
    let input = try TestQueue(handle, Echo.input, 3)
    try input.submitAll()
    bus.unplug(port: 1)
    var count = 0
    while let ended = try input.next(microseconds: 2000) {
      #expect(ended.failure == .unplugged)
      count += 1
    }
    #expect(count == 3 && input.isUnplugged)
    #expect(throws: USBFailure.unplugged) { try input.submitAll() }
  }

  /// USB 2.0, 9.6.6: an interval of 4 is 4 frames at full speed, 2^3 microframes at high speed; 3 frames are 2 to
  /// a host.
  @Test(
    arguments: [
      (12, 4, 4_000_000), (12, 3, 2_000_000), (480, 4, 1_000_000), (480, 1, 125_000),
      (480, 6, 4_000_000),
    ] as [(Double, UInt8, UInt64)])
  func `an interrupt endpoint is asked once in its interval`(
    megabits: Double, interval: UInt8, nanoseconds: UInt64
  ) throws {
    let bus = FakeUSBBus()
    let handle = try open(bus, EchoDevice(megabits: megabits))
    let endpoint = USBEndpoint(
      address: 0x82, kind: .interrupt, packetBytes: 64, interval: interval)
    let polling = handle.polling(of: endpoint)
    #expect(abs(polling.interval - Double(nanoseconds) * 1e-9) < 1e-12)
    let input = try TestQueue(handle, endpoint, 1)
    var times: [UInt64] = []
    for _ in 0..<4 {
      try input.submitAll()
      let ended = try #require(try input.next(microseconds: 20_000))
      times.append(ended.completed)
    }
    #expect(zip(times.dropFirst(), times).allSatisfy { $0 - $1 == nanoseconds })
  }

  @Test func `completing and counting a latency allocates nothing`() throws {
    let ring = UnsafeMutablePointer<CompletionRing>.allocate(capacity: 1)
    ring.initialize(to: CompletionRing(capacity: 4))
    var slot = USBTransferSlot(
      index: 0, bytes: .init(start: nil, count: 0), endpoint: Echo.input, timeout: 0, length: 0,
      actual: 0, failure: nil, number: 0, submitted: 1000, completed: 0, state: .inFlight,
      native: nil, completions: ring)
    allocationCounterStart()
    for _ in 0..<1000 {
      slot.complete(nil, actual: 0, at: 9000)
      _ = ring.pointee.pop()
    }
    #expect(allocationCounterStop().allocations == 0)
    #expect(ring.pointee.meter.histogram.counts[4] == 1000)
    ring.deinitialize(count: 1)
    ring.deallocate()
  }
}
