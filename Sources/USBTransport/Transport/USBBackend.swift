// SPDX-License-Identifier: Apache-2.0

import Devices

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

  func open(_ device: USBDeviceRecord) throws(USBFailure) -> any USBPort

  /// Waits until something ended or came or went, at most so many microseconds, and tells it.
  func serveEvents(microseconds: Int) throws(USBFailure)

  /// The clock that transfers are stamped with, in nanoseconds: raw monotonic, or a virtual one.
  func clock() -> UInt64
}

/// An open device of a back end; it is closed when the last holder is gone.
public protocol USBPort: AnyObject, Sendable {
  var backend: any USBBackend { get }

  func claim(_ interface: UInt8) throws(USBFailure)

  func release(_ interface: UInt8) throws(USBFailure)

  func hasKernelDriver(_ interface: UInt8) throws(USBFailure) -> Bool

  func detachKernelDriver(_ interface: UInt8) throws(USBFailure)

  func attachKernelDriver(_ interface: UInt8) throws(USBFailure)

  /// Ends the halt of an endpoint, on both sides of the bus.
  func clearHalt(_ endpoint: UInt8) throws(USBFailure)

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

/// Why a call on a USB device failed, before it is known what a person was doing.
///
/// A plain enum, so that it can be thrown where nothing may be allocated; `error` makes the sentence.
public enum USBFailure: Error, Sendable, Hashable {
  case notFound
  case unplugged
  case denied
  /// Somebody else holds the interface: a kernel driver or a program.
  case busy
  case stalled
  case timedOut
  /// The device sent more than was asked for.
  case babbled
  case cancelled
  /// A request that the library or the device's descriptors do not allow.
  case refused
  case outOfMemory
  case malformed
  /// The bus failed: wrong checks, lost packets, a controller at its end; the library's number where it has no
  /// name here, else 0.
  case failed(number: Int32 = 0)
}

extension USBFailure {
  /// The failure as the ports tell it, in one sentence that says what to do, after `could not`.
  func error(
    doing operation: String, to record: USBDeviceRecord, device: String, holder: String? = nil,
    grant: UdevGrant? = nil
  ) -> DeviceError {
    let (code, reason): (DeviceError.Code, String) =
      switch self {
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
      case .failed(let number):
        (
          .stalled,
          "the bus failed\(number == 0 ? "" : " (error \(number) of libusb)"): try another cable or port"
        )
      }
    return DeviceError(
      code, device: device,
      message:
        "could not \(operation) of \(record.identity) at \(record.address.portPath): \(reason)")
  }
}
