import CUSB
import Glibc

/// A context of libusb; it is closed when the last holder is gone.
///
/// Every call into the library that is not about an open device is here.
final class LibUSBContext: @unchecked Sendable {
  // Sendable: libusb's contexts may be used from any thread, and the pointers never change after init.
  private let context: OpaquePointer
  private var watched: (handle: libusb_hotplug_callback_handle, log: PlugLog)?

  init() throws(USBFailure) {
    var made: OpaquePointer?
    try check(libusb_init(&made))
    guard let made else { throw .failed }
    context = made
  }

  deinit {
    if let watched { libusb_hotplug_deregister_callback(context, watched.handle) }
    libusb_exit(context)
  }

  /// Lets arrivals and departures be noted, where the library can tell them; called once, at first.
  func watch(_ log: PlugLog) throws(USBFailure) {
    guard libusb_has_capability(LIBUSB_CAP_HAS_HOTPLUG.rawValue) != 0 else { return }
    var handle: libusb_hotplug_callback_handle = 0
    let events =
      LIBUSB_HOTPLUG_EVENT_DEVICE_ARRIVED.rawValue | LIBUSB_HOTPLUG_EVENT_DEVICE_LEFT.rawValue
    try check(
      libusb_hotplug_register_callback(
        context, Int32(events), 0, LIBUSB_HOTPLUG_MATCH_ANY, LIBUSB_HOTPLUG_MATCH_ANY,
        LIBUSB_HOTPLUG_MATCH_ANY, notePlug, Unmanaged.passUnretained(log).toOpaque(), &handle))
    watched = (handle, log)
  }

  /// Maps the devices that the library sees.
  ///
  /// Corresponds to `libusb_get_device_list`.
  func withDevices<Value>(_ transform: (OpaquePointer) -> Value) throws(USBFailure) -> [Value] {
    var list: UnsafeMutablePointer<OpaquePointer?>?
    let count = libusb_get_device_list(context, &list)
    try check(Int32(clamping: count))
    guard let list else { return [] }
    defer { libusb_free_device_list(list, 1) }
    return (0..<Int(count)).compactMap { list[$0].map(transform) }
  }

  /// Opens the device at an address.
  ///
  /// Corresponds to `libusb_open`.
  func open(_ address: USBAddress) throws(USBFailure) -> OpaquePointer {
    var handle: OpaquePointer?
    let results = try withDevices { device -> Int32? in
      guard libusb_get_bus_number(device) == address.bus,
        libusb_get_device_address(device) == address.device
      else { return nil }
      return libusb_open(device, &handle)
    }
    guard let result = results.compactMap({ $0 }).first else { throw .notFound }
    try check(result)
    guard let handle else { throw .failed }
    return handle
  }

  /// Waits for events and calls back what ended, whosever it is.
  ///
  /// Two devices on one context have two threads here. One gets the library's event lock and polls the files of
  /// both; the other waits on a condition that the first one broadcasts whenever its poll ended, by whichever of
  /// the two devices, or by its time. So neither waits for longer than until its own transfer ends, and ends are
  /// told by one thread at a time. Where the first one leaves, the other polls.
  ///
  /// Corresponds to `libusb_handle_events_timeout_completed`.
  func serve(microseconds: Int) throws(USBFailure) {
    var time = timeval(
      tv_sec: microseconds / 1_000_000, tv_usec: microseconds % 1_000_000)
    let result = libusb_handle_events_timeout_completed(context, &time, nil)
    // A signal ended the wait: nothing is wrong.
    if result == LIBUSB_ERROR_INTERRUPTED.rawValue { return }
    try check(result)
  }

  /// What the library itself knows of a device; nothing is asked of the device.
  static func record(of device: OpaquePointer) -> USBDeviceRecord {
    var ports = [UInt8](repeating: 0, count: 8)
    let count = libusb_get_port_numbers(device, &ports, Int32(ports.count))
    var descriptor = libusb_device_descriptor()
    libusb_get_device_descriptor(device, &descriptor)
    return USBDeviceRecord(
      address: address(of: device, ports: Array(ports.prefix(Int(max(0, count))))),
      vendor: descriptor.idVendor, product: descriptor.idProduct)
  }

  fileprivate static func address(of device: OpaquePointer, ports: [UInt8] = []) -> USBAddress {
    USBAddress(
      bus: libusb_get_bus_number(device), device: libusb_get_device_address(device), ports: ports)
  }
}

/// The library's call for a device that came or went; a function outside any actor.
private func notePlug(
  _ context: OpaquePointer?, _ device: OpaquePointer?, _ event: libusb_hotplug_event,
  _ log: UnsafeMutableRawPointer?
) -> Int32 {
  guard let device, let log else { return 0 }
  let record = LibUSBContext.record(of: device)
  Unmanaged<PlugLog>.fromOpaque(log).takeUnretainedValue().note(
    USBPlugEvent(
      hasArrived: event == LIBUSB_HOTPLUG_EVENT_DEVICE_ARRIVED, address: record.address))
  return 0
}

/// Throws where a call of the library failed.
func check(_ result: Int32) throws(USBFailure) {
  guard result < 0 else { return }
  switch result {
  case LIBUSB_ERROR_NOT_FOUND.rawValue: throw .notFound
  case LIBUSB_ERROR_NO_DEVICE.rawValue: throw .unplugged
  case LIBUSB_ERROR_ACCESS.rawValue: throw .denied
  case LIBUSB_ERROR_BUSY.rawValue: throw .busy
  case LIBUSB_ERROR_PIPE.rawValue: throw .stalled
  case LIBUSB_ERROR_TIMEOUT.rawValue: throw .timedOut
  case LIBUSB_ERROR_OVERFLOW.rawValue: throw .babbled
  case LIBUSB_ERROR_INVALID_PARAM.rawValue, LIBUSB_ERROR_NOT_SUPPORTED.rawValue: throw .refused
  case LIBUSB_ERROR_NO_MEM.rawValue: throw .outOfMemory
  default: throw .failed
  }
}
