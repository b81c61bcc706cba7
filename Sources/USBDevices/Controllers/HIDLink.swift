// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
import Devices
import USBTransport

/// The reports of an open HID device: interrupt transfers both ways, feature reports by control requests.
///
/// Noncopyable, for one thread.
struct HIDLink: ~Copyable {
  struct Arrival: Sendable {
    let bytes: [UInt8]
    let nanoseconds: UInt64
  }

  /// How long a device may take nothing before a report counts as refused, in milliseconds.
  static let patience = 50
  /// How long the report that brings a device to rest is waited for, in milliseconds.
  static let lastPatience = 20

  let device: USBDeviceHandle
  private var output: USBTransferQueue
  private var input: USBTransferQueue
  private let interface: UInt8

  /// Takes a HID interface of an open device, the first or one after it; a driver of the kernel waits until the end.
  init(_ device: consuming USBDeviceHandle, at place: Int = 0) throws(DeviceError) {
    guard let port = device.descriptors.interface(class: 3, with: .interrupt, at: place) else {
      throw device.error(
        .notFound, "has no HID interface with two endpoints: check that it is the right device")
    }
    try device.claim(port.interface.number)
    let output = try device.queue(port.output, transfers: 2, bytes: 64)
    let input = try device.queue(port.input, transfers: 4, bytes: port.input.packetBytes)
    self.output = output
    self.input = input
    interface = port.interface.number
    self.device = device
  }

  var inputEndpoint: USBEndpoint { input.endpoint }

  var now: UInt64 { device.clock() }

  var latency: (output: JitterHistogram, input: JitterHistogram) { (output.latency, input.latency) }

  func feature(_ number: UInt8, count: Int) throws(DeviceError) -> [UInt8] {
    try device.ask(
      USBControlRequest(
        type: 0xa1, request: 0x01, value: 0x0300 | UInt16(number), index: UInt16(interface)),
      count: count)
  }

  mutating func send(_ bytes: [UInt8], milliseconds: Int) throws(DeviceError) {
    do throws(USBFailure) {
      guard try deliver(bytes, milliseconds: milliseconds) else { throw .timedOut }
    } catch {
      output.clear(milliseconds: 10)
      throw device.fault(error, doing: "send a report")
    }
  }

  /// Sends a report that has to arrive, after everything else was taken back; true where the device took it.
  ///
  /// Where it takes nothing for so long, the report stays on the bus, and is the first that it takes.
  mutating func sendLast(_ bytes: [UInt8], milliseconds: Int) -> Bool {
    output.clear(milliseconds: 10)
    for _ in 0..<USBTransferQueue.stallLimit {
      do throws(USBFailure) {
        if output.isStalled { try output.clearStall() }
        return try deliver(bytes, milliseconds: milliseconds)
      } catch {
        // Gone is gone; whatever else the bus said, the next attempt may come through.
        if error == .unplugged { return false }
        output.clear(milliseconds: 10)
      }
    }
    return false
  }

  private mutating func deliver(
    _ bytes: [UInt8], milliseconds: Int
  ) throws(USBFailure) -> Bool {
    let end = now + UInt64(milliseconds) * 1_000_000
    var number = output.submitted
    guard try output.submit(bytes.span) else { return false }
    var isSecond = false
    while now < end {
      let left = now.microseconds(until: end)
      guard let completion = try output.waitForCompletion(microseconds: left) else { continue }
      // One that was left on the bus before may end first.
      let isOlder = completion.number < number
      let failure = completion.failure
      output.recycle(completion)
      if isOlder { continue }
      guard let failure else { return true }
      guard failure == .stalled, !isSecond else { throw failure }
      isSecond = true
      try output.clearStall()
      number = output.submitted
      guard try output.submit(bytes.span) else { return false }
    }
    return false
  }

  /// Keeps asking, waits at most so long, and gives the reports that came.
  mutating func serve(microseconds: Int) throws(DeviceError) -> [Arrival] {
    var came: [Arrival] = []
    do throws(USBFailure) {
      try input.submitAll()
      guard let completion = try input.waitForCompletion(microseconds: microseconds) else {
        return []
      }
      try take(completion, &came)
      while let completion = input.takeCompletion() { try take(completion, &came) }
    } catch {
      throw device.fault(error, doing: "hear its reports")
    }
    return came
  }

  mutating func listen(microseconds: Int) throws(DeviceError) -> [Arrival] {
    let end = now + UInt64(microseconds) * 1000
    var came: [Arrival] = []
    while true {
      came += try serve(microseconds: now.microseconds(until: end))
      if now >= end { return came }
    }
  }

  mutating func rest() { input.clear(milliseconds: 100) }

  private mutating func take(
    _ completion: consuming USBCompletion, _ came: inout [Arrival]
  ) throws(USBFailure) {
    let (failure, time) = (completion.failure, completion.completed)
    let bytes = input.takeBytes(of: completion)
    if failure == nil { came.append(Arrival(bytes: bytes, nanoseconds: time)) }
    try input.settle(failure)
  }
}
