public import Devices

/// The USB devices of a machine with what a person can do with each.
public struct USBInventory: Sendable {
  /// Whether a user may open a device.
  public enum Permission: Sendable, Hashable {
    /// It can be opened.
    case granted
    /// The node is closed to this user, though an installed rule opens it: it waits for a new plug, or the user
    /// is none of those it is opened to.
    case waiting(UdevGrant)
    /// The node is closed to this user, and no installed rule opens it.
    case missing
    /// There is no node.
    case unknown
  }

  /// What a device is to haprig.
  public enum Use: String, Sendable, Hashable {
    /// A board of the vendor protocol: `device: usb`.
    case board
    /// A sound card: `device: alsa`.
    case soundCard = "sound card"
    /// A device whose packets haprig knows.
    case known
    /// Anything else.
    case other
  }

  /// One device.
  public struct Entry: Sendable {
    /// What is known of it.
    public let record: USBDeviceRecord
    /// What it is to haprig.
    public let use: Use
    /// The name of what it is known as, where it is known.
    public let knownName: String?
    /// What a rig file writes to use it beside `device: usb`; `nil` where no driver does.
    public let driver: String?
    /// Drivers of the kernel that are bound to its interfaces, each once.
    public let kernelDrivers: [String]
    /// Where its descriptors cannot be read, and why; `nil` where they can.
    public let fault: DescriptorError?
    /// Whether this user may open it.
    public let permission: Permission
    /// The rule that opens it; `nil` where haprig has nothing to open: a sound card is ALSA's, and anything else
    /// has no driver.
    public let rule: UdevRule?
  }

  /// The devices, by place.
  public let entries: [Entry]
  /// Why there are none.
  public let emptyReason: String?

  /// Takes what a bus has.
  public init(_ backend: any USBBackend, files: SystemFiles = SystemFiles()) {
    do throws(DeviceError) {
      let records = try USBContext(backend, files: files).devices()
      // Hubs carry devices and are none of their own.
      entries = records.filter { !Self.isHub($0) }.map { Self.entry($0, files) }
      emptyReason = entries.isEmpty ? "nothing is plugged in" : nil
    } catch {
      entries = []
      emptyReason = error.message
    }
  }

  /// Takes what the real bus has.
  public static func list() -> USBInventory {
    do throws(DeviceError) {
      return USBInventory(try LibUSBBackend())
    } catch {
      return USBInventory(reason: error.message)
    }
  }

  private init(reason: String) {
    entries = []
    emptyReason = reason
  }

  private static func isHub(_ record: USBDeviceRecord) -> Bool {
    if record.address.ports.isEmpty { return true }
    let descriptors = try? USBDescriptors(bytes: record.descriptorBytes)
    return descriptors?.device.deviceClass == 9
  }

  private static func entry(_ record: USBDeviceRecord, _ files: SystemFiles) -> Entry {
    var descriptors: USBDescriptors?
    var fault: DescriptorError?
    do throws(DescriptorError) {
      descriptors = try USBDescriptors(bytes: record.descriptorBytes)
    } catch {
      // Nobody keeps the descriptors of some devices of tests: that is no fault of theirs.
      if !record.descriptorBytes.isEmpty { fault = error }
    }
    let known = KnownUSBDevice.of(record)
    let interfaces = descriptors?.configurations.flatMap(\.interfaces) ?? []
    let isBoard = descriptors?.boardPort != nil
    let isSound = interfaces.contains { $0.interfaceClass == 1 }
    var drivers: [String] = []
    for configuration in descriptors?.configurations ?? [] {
      for interface in configuration.interfaces where interface.alternate == 0 {
        let driver = files.driver(
          of: record.address, configuration: configuration.value, interface.number)
        if let driver, !drivers.contains(driver) { drivers.append(driver) }
      }
    }
    let driver = isBoard ? "driver: board" : known?.driver
    return Entry(
      record: record,
      use: isBoard ? .board : isSound ? .soundCard : known != nil ? .known : .other,
      knownName: known?.name, driver: driver, kernelDrivers: drivers, fault: fault,
      permission: permission(record, files), rule: driver == nil ? nil : UdevRule(record))
  }

  private static func permission(
    _ record: USBDeviceRecord, _ files: SystemFiles
  ) -> Permission {
    switch files.mayOpen(record.address) {
    case .none: .unknown
    case .some(true): .granted
    case .some(false): files.grant(for: record).map { .waiting($0) } ?? .missing
    }
  }
}
