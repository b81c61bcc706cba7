import CUSB
import DeviceStreams
public import Devices

/// The real bus, through libusb-1.0.
public final class LibUSBBackend: USBBackend {
  private let context: LibUSBContext
  private let files: SystemFiles
  private let plugs: PlugLog

  /// Opens the library.
  ///
  /// - Parameter files: Where the kernel keeps what it knows of devices.
  /// - Throws: `DeviceError` where the library does not start, which is a system without USB.
  public init(files: SystemFiles = SystemFiles()) throws(DeviceError) {
    self.files = files
    plugs = PlugLog()
    do throws(USBFailure) {
      context = try LibUSBContext()
      try context.watch(plugs)
    } catch {
      throw DeviceError(
        .refused, device: "usb",
        message: "libusb does not start (\(error)): this system has no USB, or not for this user")
    }
  }

  /// Never: devices keep their own time.
  public var isVirtual: Bool { false }

  /// The devices on the bus; nothing is opened.
  ///
  /// What sysfs knows of them is read. A device whose descriptors are cut is none to the library: the kernel
  /// names it all the same.
  public func devices() throws(USBFailure) -> [USBDeviceRecord] {
    let seen = try context.withDevices { device in
      files.complete(LibUSBContext.record(of: device))
    }
    let places = Set(seen.map { [$0.address.bus, $0.address.device] })
    return seen
      + files.usbDevices().filter { !places.contains([$0.address.bus, $0.address.device]) }
  }

  /// Opens a device.
  ///
  /// Corresponds to `libusb_open`.
  public func open(_ device: USBDeviceRecord) throws(USBFailure) -> any USBPort {
    let handle = try context.open(device.address)
    return LibUSBPort(handle, context: context, backend: self)
  }

  /// Serves events of the library.
  ///
  /// Corresponds to `libusb_handle_events_timeout_completed`.
  public func serveEvents(microseconds: Int) throws(USBFailure) {
    try context.serve(microseconds: microseconds)
  }

  /// Takes what was plugged and unplugged since the last call, as far as events were served.
  public func takePlugEvents() -> [USBPlugEvent] { plugs.take() }

  /// The host's raw monotonic clock in nanoseconds.
  public func clock() -> UInt64 { hostNanoseconds() }
}

/// What was plugged and unplugged, until somebody takes it.
final class PlugLog: Sendable {
  private let events = Guarded<[USBPlugEvent]>([])

  func note(_ event: USBPlugEvent) {
    events.withLock { events in
      // Nobody may ever look: the newest thousand say enough.
      if events.count == 1000 { events.removeFirst() }
      events.append(event)
    }
  }

  func take() -> [USBPlugEvent] {
    events.withLock { events in
      defer { events = [] }
      return events
    }
  }
}
