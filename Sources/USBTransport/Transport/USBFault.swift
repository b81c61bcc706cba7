public import Devices

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
