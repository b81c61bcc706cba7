public import Devices

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

/// Why a call on a USB device failed, before it is known what a person was doing.
///
/// A plain enum, so that it can be thrown where nothing may be allocated; `USBFault` makes the sentence.
public enum USBFailure: Error, Sendable, Hashable, CaseIterable {
  /// No such device, interface or endpoint.
  case notFound
  /// The device went away.
  case unplugged
  /// The operating system refuses access to the device's node.
  case denied
  /// Somebody else holds the interface: a kernel driver or a program.
  case busy
  /// The device refused a request or halted an endpoint.
  case stalled
  /// The device did not answer in time.
  case timedOut
  /// The device sent more than was asked for.
  case babbled
  /// The request was taken back before it was done.
  case cancelled
  /// A request that the library or the device's descriptors do not allow.
  case refused
  /// The library has no memory.
  case outOfMemory
  /// What came cannot be understood.
  case malformed
  /// The bus failed: wrong checks, lost packets, a controller at its end.
  case failed
}

/// How one transfer ended.
public enum USBTransferStatus: UInt8, Sendable, Hashable, CaseIterable {
  /// Everything asked for, or a short packet before.
  case completed
  /// The endpoint is halted until it is cleared.
  case stalled
  /// Its time was over; what had come until then is there.
  case timedOut
  /// Taken back.
  case cancelled
  /// The device sent more than there was room for.
  case babbled
  /// The device is gone.
  case unplugged
  /// The bus failed.
  case failed

  /// The failure that this is; `nil` for a transfer that went well.
  public var failure: USBFailure? {
    switch self {
    case .completed: nil
    case .stalled: .stalled
    case .timedOut: .timedOut
    case .cancelled: .cancelled
    case .babbled: .babbled
    case .unplugged: .unplugged
    case .failed: .failed
    }
  }
}

/// A failure with what was being done to which device: what a person is told.
public struct USBFault: Sendable, Hashable {
  /// What failed.
  public let failure: USBFailure
  /// What was being done, as a phrase: "claim interface 0".
  public let operation: String
  /// The device.
  public let record: USBDeviceRecord
  /// Who holds the device, where that is known: a driver or a program.
  public let holder: String?

  /// Whom the installed rules let open the device, where that was asked for.
  public let grant: UdevGrant?

  /// Makes a fault.
  public init(
    _ failure: USBFailure, doing operation: String, to record: USBDeviceRecord,
    holder: String? = nil, grant: UdevGrant? = nil
  ) {
    self.failure = failure
    self.operation = operation
    self.record = record
    self.holder = holder
    self.grant = grant
  }

  /// The fault as the ports tell it, in one sentence that says what to do.
  public func error(device: String) -> DeviceError {
    let subject = "\(record.identity) at \(record.address.portPath)"
    let (code, reason): (DeviceError.Code, String) =
      switch failure {
      case .notFound: (.notFound, "there is no such part of it: check that it is the right device")
      case .unplugged: (.unplugged, "it was unplugged: plug it in again")
      case .denied:
        (
          .denied,
          "no permission for \(record.address.node)"
            + (grant.map { ", though a udev rule opens it: \($0.advice)" }
              ?? ": \(UdevRule(record).advice)")
        )
      case .busy:
        (.busy, "\(holder ?? "another program") holds it: end that, or let it go of the device")
      case .stalled: (.refused, "the device refused it: check its firmware")
      case .timedOut: (.stalled, "the device did not answer in time: plug it in again")
      case .babbled:
        (.garbled, "the device sent more than was asked for: plug it in again, check its firmware")
      case .cancelled: (.interrupted, "it was taken back")
      case .refused:
        (.refused, "its descriptors do not allow it: check that it is the right device")
      case .outOfMemory: (.refused, "the system has no memory for it: close other programs")
      case .malformed: (.garbled, "what came cannot be understood: check its firmware")
      case .failed: (.stalled, "the bus failed: try another cable or port")
      }
    return DeviceError(
      code, device: device, message: "could not \(operation) of \(subject): \(reason)")
  }
}
