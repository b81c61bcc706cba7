package import Devices

/// Asynchronous transfers on one endpoint: submitted apart from their completion, several in flight.
///
/// Noncopyable, for one thread. A transfer is idle, in flight, ended and not yet taken, or taken; a taken
/// one is handed back by `recycle` or `takeBytes`. What ends comes in the order of its end, which on one
/// endpoint is the order of submission. Submitting and completing allocate nothing.
public struct USBTransferQueue: ~Copyable {
  package let endpoint: USBEndpoint
  package let capacity: Int
  package let bytesPerTransfer: Int
  /// True from a stall until `clearStall`: the endpoint takes nothing.
  package private(set) var isStalled = false
  /// True from the first sign that the device is gone: it takes nothing any more.
  package private(set) var isUnplugged = false
  package private(set) var submitted = 0

  private let claims: USBClaims
  private let slots: UnsafeMutablePointer<USBTransferSlot>
  private let completions: UnsafeMutablePointer<CompletionRing>
  private let memory: UnsafeMutableRawPointer
  /// A stack of idle transfers' places.
  private let idle: UnsafeMutablePointer<Int>
  private var idleCount: Int

  init(
    _ claims: USBClaims, endpoint: USBEndpoint, transfers: Int, bytes: Int, milliseconds: UInt32
  ) throws(USBFailure) {
    precondition(transfers > 0 && bytes > 0, "a queue needs a transfer of a byte")
    let memory = UnsafeMutableRawPointer.allocate(byteCount: transfers * bytes, alignment: 64)
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: transfers * bytes)
    let completions = UnsafeMutablePointer<CompletionRing>.allocate(capacity: 1)
    completions.initialize(to: CompletionRing(capacity: transfers))
    let slots = UnsafeMutablePointer<USBTransferSlot>.allocate(capacity: transfers)
    let idle = UnsafeMutablePointer<Int>.allocate(capacity: transfers)
    for index in 0..<transfers {
      let part = UnsafeMutableRawBufferPointer(start: memory + index * bytes, count: bytes)
      (slots + index).initialize(
        to: USBTransferSlot(
          index: index, bytes: part, endpoint: endpoint, timeout: milliseconds, length: 0,
          actual: 0, failure: nil, number: 0, submitted: 0, completed: 0, isInFlight: false,
          native: nil, completions: completions))
      (idle + index).initialize(to: transfers - 1 - index)
    }
    for index in 0..<transfers {
      do throws(USBFailure) {
        try claims.port.prepare(slots + index)
      } catch {
        for made in 0..<index { claims.port.dispose(slots + made) }
        completions.deinitialize(count: 1)
        completions.deallocate()
        slots.deallocate()
        idle.deallocate()
        memory.deallocate()
        throw error
      }
    }
    self.claims = claims
    self.endpoint = endpoint
    capacity = transfers
    bytesPerTransfer = bytes
    self.memory = memory
    self.completions = completions
    self.slots = slots
    self.idle = idle
    idleCount = transfers
  }

  deinit {
    Self.cancelAll(slots, capacity, claims)
    // What does not come back is left to the bus: memory that a controller may still write to must not
    // be used for anything else.
    guard Self.drain(completions, until: submitted, claims, milliseconds: 2000) else { return }
    for index in 0..<capacity { claims.port.dispose(slots + index) }
    completions.deinitialize(count: 1)
    completions.deallocate()
    slots.deallocate()
    idle.deallocate()
    memory.deallocate()
  }

  /// The times from submit to completion of everything that ended.
  package var latency: JitterHistogram { completions.pointee.meter.histogram }

  package var inFlight: Int { submitted - completions.pointee.total }

  package var room: Int { isStalled || isUnplugged ? 0 : idleCount }

  /// Sends bytes in one transfer; false where every transfer is in use, nothing waits.
  package mutating func submit(_ bytes: Span<UInt8>) throws(USBFailure) -> Bool {
    precondition(!endpoint.isInput, "endpoint \(endpoint.address) gives bytes and takes none")
    precondition(
      bytes.count <= bytesPerTransfer,
      "\(bytes.count) bytes do not fit in a transfer of \(bytesPerTransfer)")
    try check()
    guard idleCount > 0 else { return false }
    let place = idle[idleCount - 1]
    bytes.withUnsafeBytes { slots[place].bytes.copyMemory(from: $0) }
    try submit(place, length: bytes.count)
    idleCount -= 1
    return true
  }

  /// Asks for bytes with every idle transfer.
  public mutating func submitAll() throws(USBFailure) {
    precondition(endpoint.isInput, "endpoint \(endpoint.address) takes bytes and gives none")
    try check()
    while idleCount > 0 {
      try submit(idle[idleCount - 1], length: bytesPerTransfer)
      idleCount -= 1
    }
  }

  /// Takes the oldest transfer that ended; `nil` where none did, nothing waits.
  package mutating func takeCompletion() -> USBCompletion? {
    let place = completions.pointee.pop()
    guard place >= 0 else { return nil }
    slots[place].isInFlight = false
    let slot = slots[place]
    switch slot.failure {
    case .stalled: isStalled = true
    case .unplugged: isUnplugged = true
    default: break
    }
    return USBCompletion(
      failure: slot.failure, count: slot.actual, number: slot.number, submitted: slot.submitted,
      completed: slot.completed, place: place)
  }

  /// Serves the bus until a transfer ended or the time is over, then takes it.
  public mutating func waitForCompletion(
    microseconds: Int
  ) throws(USBFailure) -> USBCompletion? {
    if let completion = takeCompletion() { return completion }
    let backend = claims.port.backend
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
    let slot = slots[completion.place]
    return body(
      Span(_unsafeElements: slot.bytes.assumingMemoryBound(to: UInt8.self)).extracting(
        0..<min(slot.actual, slot.bytes.count)))
  }

  /// Copies the bytes of a transfer that was taken behind others.
  package func append(bytesOf completion: borrowing USBCompletion, to bytes: inout [UInt8]) {
    let slot = slots[completion.place]
    let count = min(slot.actual, slot.bytes.count)
    bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: slot.bytes[..<count]))
  }

  /// Copies the bytes of a transfer that was taken, and puts it back among the idle ones.
  package mutating func takeBytes(of completion: consuming USBCompletion) -> [UInt8] {
    var bytes: [UInt8] = []
    append(bytesOf: completion, to: &bytes)
    recycle(completion)
    return bytes
  }

  /// Puts a transfer that was taken back among the idle ones.
  public mutating func recycle(_ completion: consuming USBCompletion) {
    idle[idleCount] = completion.place
    idleCount += 1
  }

  /// Takes back everything in flight and waits until the bus has let go of it; true where all came back in time.
  ///
  /// What ended well before it could be taken back is there to be taken, in order.
  package mutating func stop(milliseconds: Int = 2000) -> Bool {
    Self.cancelAll(slots, capacity, claims)
    return Self.drain(completions, until: submitted, claims, milliseconds: milliseconds)
  }

  /// Takes back everything in flight, waits at most so long, and forgets what ended.
  package mutating func clear(milliseconds: Int) {
    _ = stop(milliseconds: milliseconds)
    while let completion = takeCompletion() { recycle(completion) }
  }

  /// Ends a stall: takes back what is in flight, then clears the halt on both sides.
  package mutating func clearStall() throws(USBFailure) {
    guard stop() else { throw .timedOut }
    try claims.port.clearHalt(endpoint.address)
    isStalled = false
  }

  private func check() throws(USBFailure) {
    if isUnplugged { throw .unplugged }
    if isStalled { throw .stalled }
  }

  private mutating func submit(_ place: Int, length: Int) throws(USBFailure) {
    let slot = slots + place
    slot.pointee.length = length
    slot.pointee.actual = 0
    slot.pointee.number = submitted
    slot.pointee.isInFlight = true
    slot.pointee.submitted = claims.port.backend.clock()
    do throws(USBFailure) {
      try claims.port.submit(slot)
    } catch {
      slot.pointee.isInFlight = false
      if error == .unplugged { isUnplugged = true }
      throw error
    }
    submitted += 1
  }

  private static func cancelAll(
    _ slots: UnsafeMutablePointer<USBTransferSlot>, _ count: Int, _ claims: USBClaims
  ) {
    // The newest first: the one that is being moved ends last, and no later one takes its place.
    var left = Array(0..<count).filter { slots[$0].isInFlight }
    left.sort { slots[$0].number > slots[$1].number }
    for index in left { claims.port.cancel(slots + index) }
  }

  private static func drain(
    _ completions: UnsafeMutablePointer<CompletionRing>, until submitted: Int,
    _ claims: USBClaims, milliseconds: Int
  ) -> Bool {
    let backend = claims.port.backend
    let end = backend.clock() + UInt64(milliseconds) * 1_000_000
    while completions.pointee.total < submitted {
      guard backend.clock() < end else { return false }
      // A failure to serve leaves the loop to its time.
      try? backend.serveEvents(microseconds: 10_000)
    }
    return true
  }
}

/// A transfer that ended and was taken from its queue.
///
/// Noncopyable: it goes back to the queue once.
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
}
