import CUSB
import DeviceStreams

/// A device that libusb opened; it is closed when the last holder is gone.
///
/// Every call into the library that is about an open device is here.
final class LibUSBPort: USBPort, @unchecked Sendable {
  // Sendable: libusb's handles may be used from any thread, and the pointer never changes.
  private let handle: OpaquePointer
  private let context: LibUSBContext
  let backend: any USBBackend

  init(_ handle: OpaquePointer, context: LibUSBContext, backend: any USBBackend) {
    self.handle = handle
    self.context = context
    self.backend = backend
  }

  deinit { libusb_close(handle) }

  func setConfiguration(_ value: UInt8) throws(USBFailure) {
    try check(libusb_set_configuration(handle, Int32(value)))
  }

  func claim(_ interface: UInt8) throws(USBFailure) {
    try check(libusb_claim_interface(handle, Int32(interface)))
  }

  func release(_ interface: UInt8) throws(USBFailure) {
    try check(libusb_release_interface(handle, Int32(interface)))
  }

  func setAlternate(_ setting: UInt8, of interface: UInt8) throws(USBFailure) {
    try check(libusb_set_interface_alt_setting(handle, Int32(interface), Int32(setting)))
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

  func reset() throws(USBFailure) { try check(libusb_reset_device(handle)) }

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

/// The library's call when a transfer ended; in the thread that serves events, nothing is allocated.
private func transferEnded(_ transfer: UnsafeMutablePointer<libusb_transfer>?) {
  guard let transfer, let context = transfer.pointee.user_data else { return }
  let status: USBTransferStatus =
    switch transfer.pointee.status {
    case LIBUSB_TRANSFER_COMPLETED: .completed
    case LIBUSB_TRANSFER_TIMED_OUT: .timedOut
    case LIBUSB_TRANSFER_CANCELLED: .cancelled
    case LIBUSB_TRANSFER_STALL: .stalled
    case LIBUSB_TRANSFER_NO_DEVICE: .unplugged
    case LIBUSB_TRANSFER_OVERFLOW: .babbled
    default: .failed
    }
  context.assumingMemoryBound(to: USBTransferSlot.self).pointee.complete(
    status: status, actual: Int(transfer.pointee.actual_length), at: hostNanoseconds())
}
