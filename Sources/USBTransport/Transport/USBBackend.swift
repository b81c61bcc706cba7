/// The bus as the transport sees it: libusb's, or a fake in this process.
///
/// A back end moves bytes and tells ends; what is in flight, in which order, and what a fault means is
/// the transport's. Calls come from any thread: every device that is in use has one of its own. Whichever of them
/// serves events tells the ends of all transfers, and the others are woken by it.
public protocol USBBackend: AnyObject, Sendable {
  /// Whether its clock moves only while events are served, so that nothing depends on the host's time.
  var isVirtual: Bool { get }

  /// The devices on the bus, with what can be known without opening them.
  func devices() throws(USBFailure) -> [USBDeviceRecord]

  /// Opens a device.
  func open(_ device: USBDeviceRecord) throws(USBFailure) -> any USBPort

  /// Waits until something ended or came or went, at most so many microseconds, and tells it.
  func serveEvents(microseconds: Int) throws(USBFailure)

  /// Takes what was plugged and unplugged since the last call.
  func takePlugEvents() -> [USBPlugEvent]

  /// The clock that transfers are stamped with, in nanoseconds: raw monotonic, or a virtual one.
  func clock() -> UInt64
}

/// An open device of a back end; it is closed when the last holder is gone.
public protocol USBPort: AnyObject, Sendable {
  /// The back end that it belongs to.
  var backend: any USBBackend { get }

  /// Makes a configuration the active one.
  func setConfiguration(_ value: UInt8) throws(USBFailure)

  /// Takes an interface for this program alone.
  func claim(_ interface: UInt8) throws(USBFailure)

  /// Gives an interface back.
  func release(_ interface: UInt8) throws(USBFailure)

  /// Selects an alternate setting of a claimed interface.
  func setAlternate(_ setting: UInt8, of interface: UInt8) throws(USBFailure)

  /// Whether a driver of the kernel is bound to an interface.
  func hasKernelDriver(_ interface: UInt8) throws(USBFailure) -> Bool

  /// Unbinds the kernel's driver.
  func detachKernelDriver(_ interface: UInt8) throws(USBFailure)

  /// Lets the kernel bind its driver again.
  func attachKernelDriver(_ interface: UInt8) throws(USBFailure)

  /// Ends the halt of an endpoint, on both sides of the bus.
  func clearHalt(_ endpoint: UInt8) throws(USBFailure)

  /// Resets the device; it may come back as another one, which is `notFound`.
  func reset() throws(USBFailure)

  /// Sends a control request and waits; `bytes` go out, or come back up to their count.
  ///
  /// - Returns: How many bytes went or came.
  func control(
    _ request: USBControlRequest, bytes: inout [UInt8], milliseconds: UInt32
  ) throws(USBFailure) -> Int

  /// Makes what the back end keeps beside a transfer.
  func prepare(_ slot: UnsafeMutablePointer<USBTransferSlot>) throws(USBFailure)

  /// Puts a transfer on the bus; it ends by `USBTransferSlot.complete`.
  func submit(_ slot: UnsafeMutablePointer<USBTransferSlot>) throws(USBFailure)

  /// Takes a transfer back; it still ends, soon, and perhaps well.
  func cancel(_ slot: UnsafeMutablePointer<USBTransferSlot>)

  /// Frees what `prepare` made; the transfer is not in flight.
  func dispose(_ slot: UnsafeMutablePointer<USBTransferSlot>)
}

/// A device that came or went.
public struct USBPlugEvent: Sendable, Hashable {
  /// True where it came, false where it went.
  public let hasArrived: Bool
  /// The bus and the device's number on it.
  public let address: USBAddress

  /// Makes an event.
  public init(hasArrived: Bool, address: USBAddress) {
    self.hasArrived = hasArrived
    self.address = address
  }
}
