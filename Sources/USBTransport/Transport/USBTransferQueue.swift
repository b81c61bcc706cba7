// SPDX-License-Identifier: Apache-2.0

package import Devices

/// Asynchronous transfers on one endpoint: submitted apart from their completion, several in flight.
///
/// Noncopyable, for one thread. What ends comes in the order of its end, which on one endpoint is the order of
/// submission. Submitting and completing allocate nothing; taking back does.
public struct USBTransferQueue: ~Copyable {
  package let endpoint: USBEndpoint
  package let bytesPerTransfer: Int
  /// True from a stall until `clearStall`: the endpoint takes nothing.
  package private(set) var isStalled = false
  /// True from the first sign that the device is gone: it takes nothing any more.
  package private(set) var isUnplugged = false

  private let transfers: USBTransfers
  /// Stalls since the latest transfer that went well.
  private var stallsInARow = 0
  /// A stalled endpoint is cleared so often in a row before the device is given up.
  package static let stallLimit = 3

  init(
    _ claims: USBClaims, endpoint: USBEndpoint, transfers: Int, bytes: Int, milliseconds: UInt32
  ) throws(USBFailure) {
    self.transfers = try USBTransfers(
      claims, endpoint: endpoint, count: transfers, bytes: bytes, milliseconds: milliseconds)
    self.endpoint = endpoint
    bytesPerTransfer = bytes
  }

  /// The times from submit to completion of everything that ended.
  package var latency: JitterHistogram { transfers.completions.pointee.meter.histogram }

  package var submitted: Int { transfers.submitted }

  package var inFlight: Int { transfers.inFlight }

  package var room: Int { isStalled || isUnplugged ? 0 : transfers.idleCount }

  /// Sends bytes in one transfer; false where every transfer is in use, nothing waits.
  package mutating func submit(_ bytes: Span<UInt8>) throws(USBFailure) -> Bool {
    precondition(!endpoint.isInput, "endpoint \(endpoint.address) gives bytes and takes none")
    precondition(
      bytes.count <= bytesPerTransfer,
      "\(bytes.count) bytes do not fit in a transfer of \(bytesPerTransfer)")
    try check()
    guard let place = transfers.idlePlace else { return false }
    bytes.withUnsafeBytes { transfers.slots[place].bytes.copyMemory(from: $0) }
    try submit(place, length: bytes.count)
    return true
  }

  /// Asks for bytes with every idle transfer.
  public mutating func submitAll() throws(USBFailure) {
    precondition(endpoint.isInput, "endpoint \(endpoint.address) takes bytes and gives none")
    try check()
    while let place = transfers.idlePlace { try submit(place, length: bytesPerTransfer) }
  }

  /// Takes the oldest transfer that ended; `nil` where none did, nothing waits.
  package mutating func takeCompletion() -> USBCompletion? {
    let place = transfers.completions.pointee.pop()
    guard place >= 0 else { return nil }
    transfers.slots[place].state = .taken
    let slot = transfers.slots[place]
    switch slot.failure {
    case .stalled: isStalled = true
    case .unplugged: isUnplugged = true
    default: break
    }
    return USBCompletion(
      failure: slot.failure, count: slot.actual, number: slot.number, submitted: slot.submitted,
      completed: slot.completed, place: place, transfers: transfers)
  }

  /// Serves the bus until a transfer ended or the time is over, then takes it.
  public mutating func waitForCompletion(
    microseconds: Int
  ) throws(USBFailure) -> USBCompletion? {
    if let completion = takeCompletion() { return completion }
    let backend = transfers.claims.port.backend
    let end = backend.clock() + UInt64(microseconds) * 1000
    while inFlight > 0 {
      let now = backend.clock()
      guard now < end else { return nil }
      try backend.serveEvents(microseconds: Int((end - now + 999) / 1000))
      if let completion = takeCompletion() { return completion }
    }
    // Another thread may have served the bus since the last look.
    return takeCompletion()
  }

  /// Lends the bytes of a transfer that was taken: those that came, or those that went.
  public func withBytes<Result>(
    of completion: borrowing USBCompletion, _ body: (Span<UInt8>) -> Result
  ) -> Result {
    let slot = transfers.slots[completion.place]
    return body(
      Span(_unsafeElements: slot.bytes.assumingMemoryBound(to: UInt8.self)).extracting(
        0..<min(slot.actual, slot.bytes.count)))
  }

  package func append(bytesOf completion: borrowing USBCompletion, to bytes: inout [UInt8]) {
    let slot = transfers.slots[completion.place]
    let count = min(slot.actual, slot.bytes.count)
    bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: slot.bytes[..<count]))
  }

  package mutating func takeBytes(of completion: consuming USBCompletion) -> [UInt8] {
    var bytes: [UInt8] = []
    append(bytesOf: completion, to: &bytes)
    recycle(completion)
    return bytes
  }

  /// Puts a transfer that was taken back among the idle ones, as letting go of it does.
  public mutating func recycle(_ completion: consuming USBCompletion) {}

  /// Takes back everything in flight and waits until the bus has let go of it; true where all came back in time.
  ///
  /// What ended well before it could be taken back is there to be taken, in order.
  package mutating func stop(milliseconds: Int = 2000) -> Bool {
    transfers.cancelAll()
    return transfers.drain(milliseconds: milliseconds)
  }

  package mutating func clear(milliseconds: Int) {
    _ = stop(milliseconds: milliseconds)
    while let completion = takeCompletion() { recycle(completion) }
  }

  /// Ends a stall: takes back what is in flight, then clears the halt on both sides.
  package mutating func clearStall() throws(USBFailure) {
    guard stop() else { throw .timedOut }
    try transfers.claims.port.clearHalt(endpoint.address)
    isStalled = false
  }

  /// Deals with how a transfer ended: a stall is cleared; too many of them in a row, and other failures, are thrown.
  package mutating func settle(_ failure: USBFailure?) throws(USBFailure) {
    switch failure {
    case nil: stallsInARow = 0
    case .cancelled: break
    case .stalled:
      stallsInARow += 1
      guard stallsInARow <= Self.stallLimit else { throw .stalled }
      try clearStall()
    case .some(let failure): throw failure
    }
  }

  private func check() throws(USBFailure) {
    if isUnplugged { throw .unplugged }
    if isStalled { throw .stalled }
  }

  private mutating func submit(_ place: Int, length: Int) throws(USBFailure) {
    do throws(USBFailure) {
      try transfers.submit(place, length: length)
    } catch {
      if error == .unplugged { isUnplugged = true }
      throw error
    }
  }
}

/// A transfer that ended and was taken from its queue.
///
/// Noncopyable: it goes back to the queue once, when nobody holds it any more.
public struct USBCompletion: ~Copyable, Sendable {
  /// Why it did not end well; `nil` where it did.
  package let failure: USBFailure?
  /// The bytes that were moved; fewer than asked for is a short packet, and no fault.
  package let count: Int
  /// Which submission of the queue it is, from 0.
  package let number: Int
  package let submitted: UInt64
  package let completed: UInt64

  fileprivate let place: Int
  fileprivate let transfers: USBTransfers

  deinit { transfers.slots[place].state = .idle }
}
