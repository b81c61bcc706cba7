// SPDX-License-Identifier: Apache-2.0

import CUSB
import DeviceStreams
package import Devices
import Glibc

/// The real bus, through libusb-1.0; the library is closed when the last holder is gone.
///
/// Every call into it that is not about an open device is here.
package final class LibUSBBackend: USBBackend, @unchecked Sendable {
  // Sendable: libusb's contexts may be used from any thread, and the pointer never changes after init.
  private let context: OpaquePointer
  private let files: SystemFiles

  /// Opens the library, which a system without USB refuses.
  package init(files: SystemFiles = SystemFiles()) throws(DeviceError) {
    self.files = files
    do throws(USBFailure) {
      var made: OpaquePointer?
      try check(libusb_init(&made))
      guard let made else { throw .failed() }
      context = made
    } catch {
      throw DeviceError(
        .refused, device: "usb",
        message: "libusb does not start (\(error)): this system has no USB, or not for this user")
    }
  }

  deinit { libusb_exit(context) }

  package var isVirtual: Bool { false }

  package func clock() -> UInt64 { hostNanoseconds() }

  /// The devices on the bus; nothing is opened.
  ///
  /// What sysfs knows of them is read. A device whose descriptors are cut is none to the library: the kernel
  /// names it all the same.
  package func devices() throws(USBFailure) -> [USBDeviceRecord] {
    let seen = try withDevices { files.complete(Self.record(of: $0)) }
    let places = Set(seen.map { [$0.address.bus, $0.address.device] })
    return seen
      + files.usbDevices().filter { !places.contains([$0.address.bus, $0.address.device]) }
  }

  package func open(_ device: USBDeviceRecord) throws(USBFailure) -> any USBPort {
    var handle: OpaquePointer?
    let results = try withDevices { place -> Int32? in
      guard libusb_get_bus_number(place) == device.address.bus,
        libusb_get_device_address(place) == device.address.device
      else { return nil }
      return libusb_open(place, &handle)
    }
    guard let result = results.compactMap({ $0 }).first else { throw .notFound }
    try check(result)
    guard let handle else { throw .failed() }
    return LibUSBPort(handle, backend: self)
  }

  /// Waits for events and calls back what ended, whosever it is.
  ///
  /// Two devices on one context have two threads here. One gets the library's event lock and polls the files of
  /// both; the other waits on a condition that the first one broadcasts whenever its poll ended, by whichever of
  /// the two devices, or by its time. So neither waits for longer than until its own transfer ends, and ends are
  /// told by one thread at a time. Where the first one leaves, the other polls.
  ///
  /// Corresponds to `libusb_handle_events_timeout_completed`.
  package func serveEvents(microseconds: Int) throws(USBFailure) {
    var time = timeval(
      tv_sec: microseconds / 1_000_000, tv_usec: microseconds % 1_000_000)
    let result = libusb_handle_events_timeout_completed(context, &time, nil)
    // A signal ended the wait: nothing is wrong.
    if result == LIBUSB_ERROR_INTERRUPTED.rawValue { return }
    try check(result)
  }

  /// Maps the devices that the library sees; corresponds to `libusb_get_device_list`.
  private func withDevices<Value>(
    _ transform: (OpaquePointer) -> Value
  ) throws(USBFailure) -> [Value] {
    var list: UnsafeMutablePointer<OpaquePointer?>?
    let count = libusb_get_device_list(context, &list)
    try check(Int32(clamping: count))
    guard let list else { return [] }
    defer { libusb_free_device_list(list, 1) }
    return (0..<Int(count)).compactMap { list[$0].map(transform) }
  }

  private static func record(of device: OpaquePointer) -> USBDeviceRecord {
    var ports = [UInt8](repeating: 0, count: 8)
    let count = libusb_get_port_numbers(device, &ports, Int32(ports.count))
    var descriptor = libusb_device_descriptor()
    libusb_get_device_descriptor(device, &descriptor)
    return USBDeviceRecord(
      address: USBAddress(
        bus: libusb_get_bus_number(device), device: libusb_get_device_address(device),
        ports: Array(ports.prefix(Int(max(0, count))))),
      vendor: descriptor.idVendor, product: descriptor.idProduct)
  }
}

private func check(_ result: Int32) throws(USBFailure) {
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
  case LIBUSB_ERROR_IO.rawValue: throw .failed()
  default: throw .failed(number: result)
  }
}

/// A device that libusb opened; it is closed when the last holder is gone.
///
/// Every call into the library that is about an open device is here.
final class LibUSBPort: USBPort, @unchecked Sendable {
  // Sendable: libusb's handles may be used from any thread, and the pointer never changes.
  private let handle: OpaquePointer
  let backend: any USBBackend

  init(_ handle: OpaquePointer, backend: LibUSBBackend) {
    self.handle = handle
    self.backend = backend
  }

  deinit { libusb_close(handle) }

  func claim(_ interface: UInt8) throws(USBFailure) {
    try check(libusb_claim_interface(handle, Int32(interface)))
  }

  func release(_ interface: UInt8) throws(USBFailure) {
    try check(libusb_release_interface(handle, Int32(interface)))
  }

  func hasKernelDriver(_ interface: UInt8) throws(USBFailure) -> Bool {
    let result = libusb_kernel_driver_active(handle, Int32(interface))
    // A system without such drivers has none bound.
    if result == LIBUSB_ERROR_NOT_SUPPORTED.rawValue { return false }
    try check(result)
    return result == 1
  }

  func detachKernelDriver(_ interface: UInt8) throws(USBFailure) {
    try check(libusb_detach_kernel_driver(handle, Int32(interface)))
  }

  func attachKernelDriver(_ interface: UInt8) throws(USBFailure) {
    try check(libusb_attach_kernel_driver(handle, Int32(interface)))
  }

  func clearHalt(_ endpoint: UInt8) throws(USBFailure) {
    try check(libusb_clear_halt(handle, endpoint))
  }

  func control(
    _ request: USBControlRequest, bytes: inout [UInt8], milliseconds: UInt32
  ) throws(USBFailure) -> Int {
    let count = UInt16(clamping: bytes.count)
    let result = libusb_control_transfer(
      handle, request.type, request.request, request.value, request.index, &bytes, count,
      milliseconds)
    try check(result)
    return Int(result)
  }

  func prepare(_ slot: UnsafeMutablePointer<USBTransferSlot>) throws(USBFailure) {
    guard let transfer = libusb_alloc_transfer(0) else { throw .outOfMemory }
    transfer.pointee.dev_handle = handle
    transfer.pointee.endpoint = slot.pointee.endpoint.address
    transfer.pointee.type = slot.pointee.endpoint.kind.rawValue
    transfer.pointee.timeout = slot.pointee.timeout
    transfer.pointee.buffer = slot.pointee.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    transfer.pointee.callback = transferEnded
    transfer.pointee.user_data = UnsafeMutableRawPointer(slot)
    slot.pointee.native = UnsafeMutableRawPointer(transfer)
  }

  func submit(_ slot: UnsafeMutablePointer<USBTransferSlot>) throws(USBFailure) {
    let transfer = Self.transfer(of: slot)
    transfer?.pointee.length = Int32(slot.pointee.length)
    try check(libusb_submit_transfer(transfer))
  }

  func cancel(_ slot: UnsafeMutablePointer<USBTransferSlot>) {
    // A transfer that just ended cannot be cancelled, and need not be.
    libusb_cancel_transfer(Self.transfer(of: slot))
  }

  func dispose(_ slot: UnsafeMutablePointer<USBTransferSlot>) {
    libusb_free_transfer(Self.transfer(of: slot))
    slot.pointee.native = nil
  }

  private static func transfer(
    of slot: UnsafeMutablePointer<USBTransferSlot>
  ) -> UnsafeMutablePointer<libusb_transfer>? {
    slot.pointee.native?.assumingMemoryBound(to: libusb_transfer.self)
  }
}

private func transferEnded(_ transfer: UnsafeMutablePointer<libusb_transfer>?) {
  guard let transfer, let context = transfer.pointee.user_data else { return }
  let failure: USBFailure? =
    switch transfer.pointee.status {
    case LIBUSB_TRANSFER_COMPLETED: nil
    case LIBUSB_TRANSFER_TIMED_OUT: .timedOut
    case LIBUSB_TRANSFER_CANCELLED: .cancelled
    case LIBUSB_TRANSFER_STALL: .stalled
    case LIBUSB_TRANSFER_NO_DEVICE: .unplugged
    case LIBUSB_TRANSFER_OVERFLOW: .babbled
    case LIBUSB_TRANSFER_ERROR: .failed()
    default: .failed(number: Int32(transfer.pointee.status.rawValue))
    }
  context.assumingMemoryBound(to: USBTransferSlot.self).pointee.complete(
    failure, actual: Int(transfer.pointee.actual_length), at: hostNanoseconds())
}
