import Devices

/// The interfaces that are claimed on an open device; shared by the handle and its queues, so that the
/// last of them gives everything back.
final class USBClaims: Sendable {
  private struct Claim: Sendable {
    var interface: UInt8
    var hadDriver: Bool
  }

  let port: any USBPort
  let record: USBDeviceRecord
  private let files: SystemFiles
  private let claimed = Guarded<[Claim]>([])

  init(_ port: any USBPort, record: USBDeviceRecord, files: SystemFiles) {
    self.port = port
    self.record = record
    self.files = files
  }

  deinit {
    for claim in claimed.withLock({ $0 }).reversed() {
      // A device that is gone cannot be given back: there is nobody to tell, and nothing to do.
      try? port.release(claim.interface)
      if claim.hadDriver { try? port.attachKernelDriver(claim.interface) }
    }
  }

  func claim(_ interface: UInt8) throws(USBFailure) {
    if claimed.withLock({ $0.contains { $0.interface == interface } }) { return }
    let hadDriver = try port.hasKernelDriver(interface)
    if hadDriver { try port.detachKernelDriver(interface) }
    do throws(USBFailure) {
      try port.claim(interface)
    } catch {
      if hadDriver { try? port.attachKernelDriver(interface) }
      throw error
    }
    claimed.withLock { $0.append(Claim(interface: interface, hadDriver: hadDriver)) }
  }

  /// Who has an interface, as far as the system tells.
  func holder(of interface: UInt8) -> String? { files.holder(of: record.address, interface) }
}
