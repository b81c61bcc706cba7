// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
import Devices
import USBTransport

/// Packets of the board protocol to and from an open board: bytes become values here, nothing is decided.
///
/// Noncopyable, for one thread. A stall is cleared; what it cost shows in the sequence numbers.
struct BoardLink: ~Copyable {
  struct Arrival: Sendable {
    let report: BoardReport
    let ticks: UInt32
    let nanoseconds: UInt64
  }

  let device: USBDeviceHandle
  private var arrivals = SequenceTracker(bits: 32)
  private(set) var lastTraffic: UInt64

  private var output: USBTransferQueue
  private var input: USBTransferQueue
  private var decoder = BoardDecoder()
  private var nextSequence: UInt32 = 0

  init(_ device: consuming USBDeviceHandle, transfers: Int) throws(DeviceError) {
    guard let port = device.descriptors.boardPort else {
      throw device.error(
        .notFound,
        "has no interface of the board protocol with two bulk "
          + "endpoints: check its firmware against docs/PROTOCOL-BOARD.md")
    }
    try device.claim(port.interface)
    let packet = port.input.packetBytes
    let bytes = (max(BoardFacts.maximumPacketSize, packet) + packet - 1) / packet * packet
    let output = try device.queue(
      port.output, transfers: transfers, bytes: BoardFacts.maximumPacketSize)
    let input = try device.queue(port.input, transfers: transfers, bytes: bytes)
    self.output = output
    self.input = input
    lastTraffic = device.clock()
    self.device = device
  }

  var room: Int { output.room }

  var latency: (output: JitterHistogram, input: JitterHistogram) { (output.latency, input.latency) }

  var now: UInt64 { device.clock() }

  /// Sends one packet; false where no transfer is idle.
  mutating func send(_ command: BoardCommand, ticks: UInt32 = 0) throws(DeviceError) -> Bool {
    guard output.room > 0 else { return false }
    let bytes = Self.bytes(BoardPacket(sequence: nextSequence, ticks: ticks, command))
    do throws(USBFailure) {
      guard try output.submit(bytes.span) else { return false }
    } catch {
      throw device.fault(error, doing: "send a packet")
    }
    nextSequence &+= 1
    return true
  }

  mutating func greet(session: UInt32) throws(DeviceError) -> Bool {
    arrivals.restart()
    _ = decoder.reset()
    return try send(.hello(session: session))
  }

  /// Keeps asking, serves the bus for at most so long, and gives what came.
  mutating func serve(microseconds: Int) throws(DeviceError) -> [Arrival] {
    do throws(USBFailure) {
      try input.submitAll()
      if let completion = try input.waitForCompletion(microseconds: microseconds) {
        return try take(completion)
      }
      try takeOutput()
      return []
    } catch {
      throw device.fault(error, doing: "exchange packets")
    }
  }

  /// Drops what has not gone yet, and sends one packet that must arrive, waiting at most so long.
  ///
  /// True where the device took it. For the way out of a fault: stalls are cleared, nothing is thrown.
  mutating func sendAtOnce(_ command: BoardCommand, microseconds: Int) -> Bool {
    let end = device.clock() + UInt64(microseconds) * 1000
    do throws(USBFailure) {
      if output.isStalled { try output.clearStall() }
      guard output.stop(milliseconds: max(1, microseconds / 2000)) else { return false }
      while let completion = output.takeCompletion() { output.recycle(completion) }
      if output.isStalled { try output.clearStall() }
      let bytes = Self.bytes(BoardPacket(sequence: nextSequence, command))
      guard try output.submit(bytes.span) else { return false }
      nextSequence &+= 1
      while device.clock() < end {
        let left = device.clock().microseconds(until: end)
        guard let completion = try output.waitForCompletion(microseconds: left) else { continue }
        let failure = completion.failure
        output.recycle(completion)
        if failure == nil { return true }
        guard failure == .stalled else { return false }
        try output.clearStall()
        guard try output.submit(bytes.span) else { return false }
      }
    } catch {
      // The caller is on the way out of a fault already; the device's own watchdog is what is left.
      return false
    }
    return false
  }

  mutating func rest() {
    output.clear(milliseconds: 100)
    input.clear(milliseconds: 100)
    _ = decoder.reset()
  }

  private mutating func take(
    _ first: consuming USBCompletion
  ) throws(USBFailure) -> [Arrival] {
    var came: [Arrival] = []
    try takeInput(first, &came)
    while let completion = input.takeCompletion() { try takeInput(completion, &came) }
    try takeOutput()
    return came
  }

  private mutating func takeInput(
    _ completion: consuming USBCompletion, _ came: inout [Arrival]
  ) throws(USBFailure) {
    let (failure, time) = (completion.failure, completion.completed)
    input.append(bytesOf: completion, to: &decoder.buffer)
    input.recycle(completion)
    try input.settle(failure)
    for event in decoder.takeEvents() {
      switch event {
      case .packet(let packet):
        lastTraffic = time
        guard case .report(let report) = packet.message,
          arrivals.note(packet.sequence).isUsable
        else { continue }
        came.append(Arrival(report: report, ticks: packet.ticks, nanoseconds: time))
      case .unreadable(_, let sequence, _): _ = arrivals.note(sequence)
      case .damaged, .skipped: break
      }
    }
  }

  private mutating func takeOutput() throws(USBFailure) {
    while let completion = output.takeCompletion() {
      let failure = completion.failure
      output.recycle(completion)
      try output.settle(failure)
    }
  }

  private static func bytes(_ packet: BoardPacket) -> [UInt8] {
    do throws(CodecError) {
      return try packet.bytes()
    } catch {
      // What the engine sends was made to fit: counts and samples are bounded where they are made.
      preconditionFailure("a packet for the board does not fit its form: \(error)")
    }
  }
}
