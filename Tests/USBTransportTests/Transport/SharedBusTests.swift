// SPDX-License-Identifier: Apache-2.0

import Devices
import Testing
import USBModels

@testable import USBTransport

/// Two devices on one bus, each served by a thread of its own, as a rig of two devices has them.
struct SharedBusTests {
  /// Takes so many numbered packets from the device at a port, and gives the first that is not in its place.
  @concurrent
  private static func listen(_ bus: FakeUSBBus, port: String, count: Int) async throws -> Int? {
    let handle = try USBContext(bus).open(USBSelection(port: port), rig: "bench")
    try handle.claim(0)
    let input = try TestQueue(handle, Echo.input, 8)
    var next = 0
    while next < count {
      try input.submitAll()
      while let ended = try input.next(microseconds: 1000) {
        var number = 0
        for byte in ended.bytes.reversed() { number = number << 8 | Int(byte) }
        guard ended.failure == nil, number == next else { return next }
        next += 1
        guard input.inFlight > 4 else { break }
      }
    }
    // What is in flight when the queue goes is taken back while the other thread may be telling its end.
    return input.stop() ? nil : next
  }

  @Test func `two threads on one bus get their own packets, once each and in order`() async throws {
    let bus = FakeUSBBus()
    bus.plug(CountingDevice(), port: 1)
    bus.plug(CountingDevice(), port: 2)
    let count = StreamLength.packets
    async let first = Self.listen(bus, port: "1-1", count: count)
    async let second = Self.listen(bus, port: "1-2", count: count)
    let wrong = try await (first, second)
    #expect(wrong.0 == nil, "the first lost packet \(wrong.0 ?? 0)")
    #expect(wrong.1 == nil, "the second lost packet \(wrong.1 ?? 0)")
    #expect(bus.use == FakeUSBBus.Use())
  }
}
