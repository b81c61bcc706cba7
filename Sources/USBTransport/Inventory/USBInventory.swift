// SPDX-License-Identifier: Apache-2.0

package import Devices

package struct USBInventory: Sendable {
  package enum Permission: Sendable, Hashable {
    case granted
    /// The node is closed to this user, though an installed rule opens it: it waits for a new plug, or the user
    /// is none of those it is opened to.
    case waiting(UdevGrant)
    /// The node is closed to this user, and no installed rule opens it.
    case missing
    case unknown
  }

  package enum Use: String, Sendable, Hashable {
    case board
    case soundCard = "sound card"
    case known
    case other
  }

  package struct Entry: Sendable {
    package let record: USBDeviceRecord
    package let use: Use
    package let knownName: String?
    /// What a rig file writes to use it beside `device: usb`; `nil` where no driver does.
    package let driver: String?
    /// Drivers of the kernel that are bound to its interfaces, each once.
    package let kernelDrivers: [String]
    package let fault: DescriptorError?
    package let permission: Permission
    /// The rule that opens it; `nil` where haprig has nothing to open: a sound card is ALSA's, and anything else
    /// has no driver.
    package let rule: UdevRule?
  }

  package let entries: [Entry]
  package let emptyReason: String?

  package init(_ backend: any USBBackend, files: SystemFiles = SystemFiles()) {
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

  package static func list() -> USBInventory {
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
