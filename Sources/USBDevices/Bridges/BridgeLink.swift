// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
import Devices
import USBTransport

protocol USBBridge: I2CBridge {
  static var known: KnownUSBDevice { get }
  static var name: String { get }
  /// The class of its interface, and the kind of its two endpoints.
  static var port: (interfaceClass: UInt8, kind: USBEndpoint.Kind) { get }

  static func make(input: USBEndpoint) -> Self

  /// Whether a packet says nothing: what comes by itself without a question.
  static func isEmpty(_ packet: [UInt8]) -> Bool
}

extension USBBridge {
  static func isEmpty(_ packet: [UInt8]) -> Bool { packet.isEmpty }
}

extension MCP2221ABridge: USBBridge {
  static let known = KnownUSBDevice.mcp2221a
  static let name = "MCP2221A"
  static let port: (interfaceClass: UInt8, kind: USBEndpoint.Kind) = (3, .interrupt)

  static func make(input: USBEndpoint) -> MCP2221ABridge { MCP2221ABridge() }
}

extension CP2112Bridge: USBBridge {
  static let known = KnownUSBDevice.cp2112
  static let name = "CP2112"
  static let port: (interfaceClass: UInt8, kind: USBEndpoint.Kind) = (3, .interrupt)

  static func make(input: USBEndpoint) -> CP2112Bridge { CP2112Bridge() }
}

extension FT232HBridge: USBBridge {
  static let known = KnownUSBDevice.ft232h
  static let name = "FT232H"
  static let port: (interfaceClass: UInt8, kind: USBEndpoint.Kind) = (255, .bulk)

  static func make(input: USBEndpoint) -> FT232HBridge {
    FT232HBridge(packetSize: input.packetBytes)
  }

  /// The latency timer sends two bytes of status each millisecond.
  static func isEmpty(_ packet: [UInt8]) -> Bool { packet.count <= 2 }
}

/// An open bridge: sends what its state machine asks for and waits for the answer, in bounded time.
///
/// Noncopyable, for one thread.
struct BridgeLink: ~Copyable {
  /// Packets that may wait in a bridge which nobody asked for.
  private static let staleLimit = 8
  /// How long nothing comes before a bridge counts as emptied, in microseconds: two frames.
  private static let quiet = 2000

  let device: USBDeviceHandle
  /// What the bus said when an answer stayed away; `nil` where it said nothing.
  var fault: DeviceError?

  private var output: USBTransferQueue
  private var input: USBTransferQueue
  private let interface: UInt8
  private let isEmpty: @Sendable ([UInt8]) -> Bool

  init<Bridge: USBBridge>(
    _ device: consuming USBDeviceHandle, _ bridge: Bridge.Type
  ) throws(DeviceError) {
    guard
      let port = device.descriptors.interface(
        class: Bridge.port.interfaceClass, with: Bridge.port.kind)
    else {
      throw device.error(
        .notFound,
        "has no interface of class \(Bridge.port.interfaceClass) "
          + "with two endpoints, which a \(Bridge.name) has: check that it is the right device")
    }
    try device.claim(port.interface.number)
    let bytes = port.input.packetBytes
    let output = try device.queue(port.output, transfers: 4, bytes: 4096)
    let input = try device.queue(port.input, transfers: 1, bytes: bytes)
    self.output = output
    self.input = input
    interface = port.interface.number
    isEmpty = { Bridge.isEmpty($0) }
    self.device = device
  }

  var inputEndpoint: USBEndpoint { input.endpoint }

  var now: UInt64 { device.clock() }

  var latency: (output: JitterHistogram, input: JitterHistogram) { (output.latency, input.latency) }

  /// Sends transfers and waits so many seconds for one packet; `nil` where none came.
  mutating func exchange(
    _ transfers: [BridgeTransfer], seconds: Double
  ) throws(DeviceError) -> [UInt8]? {
    let end = now + UInt64(seconds * 1e9)
    do throws(USBFailure) {
      try input.submitAll()
      for transfer in transfers where try !send(transfer) { return nil }
      // Once more after the end: a host that was held up may have the answer already.
      var isLast = false
      while true {
        let left = max(1, now.microseconds(until: end))
        if let completion = try input.waitForCompletion(microseconds: min(left, 1000)) {
          let packet = try take(completion)
          try takeOutput()
          return packet
        }
        try takeOutput()
        if isLast { return nil }
        isLast = now >= end
      }
    } catch {
      try note(error)
      return nil
    }
  }

  /// Takes everything back and throws away what still comes: answers to questions that were given up.
  mutating func empty() throws(DeviceError) {
    _ = output.stop(milliseconds: 4)
    _ = input.stop(milliseconds: 4)
    do throws(USBFailure) {
      try takeOutput()
      while let completion = input.takeCompletion() { _ = try take(completion) }
      for _ in 0..<Self.staleLimit {
        try input.submitAll()
        guard let completion = try input.waitForCompletion(microseconds: Self.quiet),
          let packet = try take(completion), !isEmpty(packet)
        else { break }
      }
    } catch {
      try note(error)
    }
    input.clear(milliseconds: 4)
  }

  /// Sends one transfer; false where the bus refused it, which `fault` then says.
  private mutating func send(_ transfer: BridgeTransfer) throws(USBFailure) -> Bool {
    switch transfer {
    case .report(let bytes), .bulk(let bytes):
      guard try output.submit(bytes.span) else { throw .timedOut }
      return true
    case .feature(let bytes):
      // SET_REPORT of a feature report, to the interface.
      return try send(
        USBControlRequest(
          type: 0x21, request: 0x09, value: 0x0300 | UInt16(bytes.first ?? 0),
          index: UInt16(interface)), bytes)
    case .control(let request, let value, let index):
      return try send(
        USBControlRequest(type: 0x40, request: request, value: value, index: index), [])
    }
  }

  private mutating func send(
    _ request: USBControlRequest, _ bytes: [UInt8]
  ) throws(USBFailure) -> Bool {
    do throws(DeviceError) {
      try device.send(request, bytes, milliseconds: 10)
      return true
    } catch {
      if error.code == .unplugged { throw .unplugged }
      fault = fault ?? error
      return false
    }
  }

  private mutating func take(
    _ completion: consuming USBCompletion
  ) throws(USBFailure) -> [UInt8]? {
    let failure = completion.failure
    let bytes = input.takeBytes(of: completion)
    guard let failure else { return bytes }
    if failure == .stalled { try input.clearStall() }
    if failure != .cancelled { throw failure }
    return nil
  }

  private mutating func takeOutput() throws(USBFailure) {
    while let completion = output.takeCompletion() {
      let failure = completion.failure
      output.recycle(completion)
      if failure == .stalled { try output.clearStall() }
      if let failure, failure != .cancelled { throw failure }
    }
  }

  private mutating func note(_ failure: USBFailure) throws(DeviceError) {
    let error = device.fault(failure, doing: "exchange packets")
    if failure == .unplugged { throw error }
    fault = fault ?? error
  }
}
