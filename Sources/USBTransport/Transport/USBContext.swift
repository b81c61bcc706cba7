public import Devices

/// A view of the bus: lists devices, opens them, tells what comes and goes.
///
/// Noncopyable: one owner serves its events. The back end is closed when the context and every device
/// opened through it are gone.
public struct USBContext: ~Copyable, Sendable {
  /// The bus.
  public let backend: any USBBackend
  private let files: SystemFiles

  /// Takes a back end, and the system's files for the name of who holds a device.
  public init(_ backend: any USBBackend, files: SystemFiles = SystemFiles()) {
    self.backend = backend
    self.files = files
  }

  /// The devices on the bus, by place.
  public func devices() throws(DeviceError) -> [USBDeviceRecord] {
    do throws(USBFailure) {
      return try backend.devices().sorted { $0.address < $1.address }
    } catch {
      throw DeviceError(
        .refused, device: "usb",
        message: "the USB bus cannot be listed (\(error)): check that /dev/bus/usb is there")
    }
  }

  /// Opens the one device that a selection means.
  ///
  /// - Throws: `DeviceError` with what to do: which devices are there, the udev rule that is missing,
  ///   who holds the device.
  public func open(
    _ selection: USBSelection, kind: USBDeviceKind = .any, rig: String
  ) throws(DeviceError) -> USBDeviceHandle {
    try open(selection.choose(from: devices(), kind: kind, rig: rig), rig: rig)
  }

  /// Opens a device of the list.
  public func open(
    _ record: USBDeviceRecord, rig: String
  ) throws(DeviceError) -> USBDeviceHandle {
    try USBDeviceHandle(record, backend: backend, files: files, rig: rig)
  }

  /// Takes what was plugged and unplugged since the last call; nothing waits.
  public func takePlugEvents() -> [USBPlugEvent] { backend.takePlugEvents() }
}
