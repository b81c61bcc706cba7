// SPDX-License-Identifier: Apache-2.0

import Devices
public import USBTransport

/// A bus in this process, with devices that exist only there and a clock that moves only when it is served.
///
/// It stands under the same transport as libusb's, so that every fault can be had at any transfer, and
/// the same run gives the same result. Each endpoint is looked at once in `tick`, an interrupt endpoint
/// once in its interval: frames at full speed, a power of two of ticks at high speed, as hosts do.
public final class FakeUSBBus: USBBackend {
  /// Nanoseconds of a tick: a microframe.
  public static let tick: UInt64 = 125_000

  /// Who stands in the way of opening or claiming a device.
  public enum Guard: Sendable, Hashable {
    /// Nobody.
    case open
    /// The operating system: no permission.
    case denied
    /// Another program has claimed it.
    case claimed
    /// The kernel's driver is bound to its interfaces.
    case kernelDriver
  }

  /// What is in use: all zero when everything was given back.
  public struct Use: Sendable, Hashable {
    /// Devices that are open.
    public var ports = 0
    /// Transfers that were made and not freed.
    public var transfers = 0
    /// Interfaces that are claimed.
    public var claims = 0
    /// Kernel drivers that were detached and not attached again.
    public var detached = 0

    /// Nothing in use.
    public init() {}
  }

  let state = Guarded(FakeBusState())
  private let packetsPerTick: Int
  private let lateness: (@Sendable () -> UInt64)?

  /// Makes a bus without devices.
  ///
  /// - Parameters:
  ///   - packetsPerTick: The most transfers that end on one endpoint in one tick; 13 bulk packets of 512
  ///     bytes fit in a microframe of high speed.
  ///   - lateness: By how many nanoseconds the host wakes late this time: the bus goes on with what it
  ///     was given. `nil` for a host that is never late.
  public init(packetsPerTick: Int = 13, lateness: (@Sendable () -> UInt64)? = nil) {
    self.packetsPerTick = packetsPerTick
    self.lateness = lateness
  }

  /// What is in use.
  public var use: Use { state.withLock { $0.use } }

  /// When the latest fault struck, on the bus's clock.
  public var lastFault: UInt64? { state.withLock { $0.units.compactMap(\.lastFault).max() } }

  /// Plugs a device in at a port and returns its address.
  @discardableResult
  public func plug(
    _ device: any FakeUSBDevice, port: UInt8 = 1, guarded: Guard = .open,
    faults: [FakeUSBFault] = []
  ) -> USBAddress {
    state.withLock { $0.plug(device, port: port, guarded: guarded, faults: faults) }
  }

  /// Unplugs whatever is at a port; what is in flight there ends so.
  public func unplug(port: UInt8) { state.withLock { $0.unplug(port: port) } }

  /// Always: the bus is its own time.
  public var isVirtual: Bool { true }

  /// The devices on the bus.
  public func devices() throws(USBFailure) -> [USBDeviceRecord] {
    state.withLock { $0.present.map(\.record) }
  }

  /// Opens a device.
  public func open(_ device: USBDeviceRecord) throws(USBFailure) -> any USBPort {
    let opened = state.withLock { state -> Result<Int, USBFailure> in state.open(device.address) }
    return FakeUSBPort(self, unit: try opened.get())
  }

  /// Moves the clock on until something ended or came or went, at most so many microseconds.
  public func serveEvents(microseconds: Int) throws(USBFailure) {
    let late = lateness?() ?? 0
    state.withLock { state in
      state.serve(nanoseconds: UInt64(microseconds) * 1000, packetsPerTick: packetsPerTick)
      let end = state.now + late
      while late > 0, state.now < end {
        state.serve(nanoseconds: end - state.now, packetsPerTick: packetsPerTick)
      }
    }
  }

  /// The bus's own clock in nanoseconds.
  public func clock() -> UInt64 { state.withLock { $0.now } }
}

/// An open device of a fake bus.
final class FakeUSBPort: USBPort {
  private let bus: FakeUSBBus
  private let unit: Int

  init(_ bus: FakeUSBBus, unit: Int) {
    self.bus = bus
    self.unit = unit
  }

  deinit {
    bus.state.withLock { state in
      state.use.ports -= 1
      state.units[unit].openings -= 1
    }
  }

  var backend: any USBBackend { bus }

  func claim(_ interface: UInt8) throws(USBFailure) {
    let result = bus.state.withLock { state -> Result<Void, USBFailure> in
      guard state.units[unit].isPresent else { return .failure(.unplugged) }
      guard state.units[unit].guarded == .open else { return .failure(.busy) }
      guard state.units[unit].interfaces.contains(interface) else { return .failure(.notFound) }
      state.use.claims += 1
      return .success(())
    }
    try result.get()
  }

  func release(_ interface: UInt8) throws(USBFailure) {
    bus.state.withLock { $0.use.claims -= 1 }
  }

  func hasKernelDriver(_ interface: UInt8) throws(USBFailure) -> Bool {
    bus.state.withLock { $0.units[unit].guarded == .kernelDriver }
  }

  func detachKernelDriver(_ interface: UInt8) throws(USBFailure) {
    try present { state in
      state.units[unit].guarded = .open
      state.use.detached += 1
    }
  }

  func attachKernelDriver(_ interface: UInt8) throws(USBFailure) {
    bus.state.withLock { state in
      state.units[unit].guarded = .kernelDriver
      state.use.detached -= 1
    }
  }

  func clearHalt(_ endpoint: UInt8) throws(USBFailure) {
    try present { state in state.units[unit].halted.remove(endpoint) }
  }

  func control(
    _ request: USBControlRequest, bytes: inout [UInt8], milliseconds: UInt32
  ) throws(USBFailure) -> Int {
    var moved = bytes
    let result = bus.state.withLock { state -> Result<Int, USBFailure> in
      guard state.units[unit].isPresent else { return .failure(.unplugged) }
      state.now += FakeUSBBus.tick
      let count = state.units[unit].device.control(request, bytes: &moved, at: state.now)
      return count.map { .success($0) } ?? .failure(.stalled)
    }
    bytes = moved
    return try result.get()
  }

  func prepare(_ slot: UnsafeMutablePointer<USBTransferSlot>) throws(USBFailure) {
    bus.state.withLock { $0.use.transfers += 1 }
  }

  func submit(_ slot: UnsafeMutablePointer<USBTransferSlot>) throws(USBFailure) {
    let reference = SlotReference(slot)
    let result = bus.state.withLock { state -> Result<Void, USBFailure> in
      guard state.units[unit].isPresent else { return .failure(.unplugged) }
      state.units[unit].add(reference)
      return .success(())
    }
    try result.get()
  }

  func cancel(_ slot: UnsafeMutablePointer<USBTransferSlot>) {
    let reference = SlotReference(slot)
    bus.state.withLock { $0.cancel(reference, unit: unit) }
  }

  func dispose(_ slot: UnsafeMutablePointer<USBTransferSlot>) {
    bus.state.withLock { $0.use.transfers -= 1 }
  }

  private func present(_ body: (inout FakeBusState) -> Void) throws(USBFailure) {
    let isPresent = bus.state.withLock { state -> Bool in
      guard state.units[unit].isPresent else { return false }
      body(&state)
      return true
    }
    if !isPresent { throw .unplugged }
  }
}
