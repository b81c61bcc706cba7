// SPDX-License-Identifier: Apache-2.0

package import DeviceStreams
public import Devices
import Glibc

/// A view of the bus: lists devices and opens them.
///
/// Noncopyable: one owner serves its events. The back end is closed when the context and every device
/// opened through it are gone.
public struct USBContext: ~Copyable, Sendable {
  package let backend: any USBBackend
  private let files: SystemFiles

  /// Takes a back end, and the system's files for the name of who holds a device.
  public init(_ backend: any USBBackend, files: SystemFiles = SystemFiles()) {
    self.backend = backend
    self.files = files
  }

  package func devices() throws(DeviceError) -> [USBDeviceRecord] {
    do throws(USBFailure) {
      return try backend.devices().sorted { $0.address < $1.address }
    } catch {
      throw DeviceError(
        .refused, device: "usb",
        message: "the USB bus cannot be listed (\(error)): check that /dev/bus/usb is there")
    }
  }

  /// Opens the one device that a selection means; an error says which are there, which rule is missing, who holds it.
  public func open(
    _ selection: USBSelection, kind: USBDeviceKind = .any, rig: String
  ) throws(DeviceError) -> USBDeviceHandle {
    try open(selection.choose(from: devices(), kind: kind, rig: rig), rig: rig)
  }

  package func open(
    _ record: USBDeviceRecord, rig: String
  ) throws(DeviceError) -> USBDeviceHandle {
    try USBDeviceHandle(record, backend: backend, files: files, rig: rig)
  }
}

/// An open USB device.
///
/// Noncopyable. The interfaces that it claims are given back, the kernel's drivers bound again and the
/// device closed when the handle and every queue on it are gone, in this order whatever ends first.
public struct USBDeviceHandle: ~Copyable, Sendable {
  package let record: USBDeviceRecord
  package let descriptors: USBDescriptors
  /// The rig that it is opened for, as errors name it.
  package let rig: String

  let claims: USBClaims

  init(
    _ record: USBDeviceRecord, backend: any USBBackend, files: SystemFiles, rig: String
  ) throws(DeviceError) {
    let descriptors: USBDescriptors
    do throws(DescriptorError) {
      descriptors = try USBDescriptors(bytes: record.descriptorBytes)
    } catch {
      throw DeviceError(
        .garbled, device: rig,
        message: "\(record.identity) at \(record.address.portPath) describes itself wrongly "
          + "(\(error)): plug it in again, check its firmware")
    }
    let port: any USBPort
    do throws(USBFailure) {
      port = try backend.open(record)
    } catch {
      throw error.error(
        doing: "take hold", to: record, device: rig,
        grant: error == .denied ? files.grant(for: record) : nil)
    }
    self.record = record
    self.descriptors = descriptors
    self.rig = rig
    claims = USBClaims(port, record: record, files: files)
  }

  /// Takes an interface for this program; a driver of the kernel that is bound to it waits until the end.
  public func claim(_ interface: UInt8) throws(DeviceError) {
    do throws(USBFailure) {
      try claims.claim(interface)
    } catch {
      throw fault(
        error, doing: "claim interface \(interface)",
        holder: error == .busy ? claims.holder(of: interface) : nil)
    }
  }

  package func send(
    _ request: USBControlRequest, _ bytes: [UInt8] = [], milliseconds: UInt32 = 500
  ) throws(DeviceError) {
    precondition(!request.isInput, "request \(request.request) asks for bytes: use 'ask'")
    var bytes = bytes
    do throws(USBFailure) {
      _ = try claims.port.control(request, bytes: &bytes, milliseconds: milliseconds)
    } catch {
      throw fault(error, doing: "send control request \(request.request)")
    }
  }

  package func ask(
    _ request: USBControlRequest, count: Int, milliseconds: UInt32 = 500
  ) throws(DeviceError) -> [UInt8] {
    precondition(request.isInput, "request \(request.request) sends bytes: use 'send'")
    var bytes = [UInt8](repeating: 0, count: count)
    do throws(USBFailure) {
      let came = try claims.port.control(request, bytes: &bytes, milliseconds: milliseconds)
      return Array(bytes.prefix(came))
    } catch {
      throw fault(error, doing: "send control request \(request.request)")
    }
  }

  /// Makes a queue of at most so many transfers in flight on a bulk or interrupt endpoint of a claimed interface.
  ///
  /// The room of an input transfer is a whole number of packets, since a device that sends one byte more than there is
  /// room for has babbled. A transfer waits for `milliseconds`; 0 for ever.
  public func queue(
    _ endpoint: USBEndpoint, transfers: Int, bytes: Int, milliseconds: UInt32 = 0
  ) throws(DeviceError) -> USBTransferQueue {
    let isBulk = endpoint.kind == .bulk || endpoint.kind == .interrupt
    precondition(isBulk, "a queue is of bulk or interrupt transfers, not \(endpoint.kind)")
    precondition(
      !endpoint.isInput || bytes.isMultiple(of: endpoint.packetBytes),
      "\(bytes) bytes are no whole packets of \(endpoint.packetBytes)")
    do throws(USBFailure) {
      return try USBTransferQueue(
        claims, endpoint: endpoint, transfers: transfers, bytes: bytes, milliseconds: milliseconds)
    } catch {
      throw fault(error, doing: "make transfers on endpoint \(endpoint.address)")
    }
  }

  package func polling(of endpoint: USBEndpoint?) -> USBPolling {
    record.polling(of: endpoint)
  }

  /// The clock that transfers are stamped with, in nanoseconds.
  package func clock() -> UInt64 { claims.port.backend.clock() }

  package func fault(
    _ failure: USBFailure, doing operation: String, holder: String? = nil
  ) -> DeviceError {
    failure.error(doing: operation, to: record, device: rig, holder: holder)
  }

  /// An error whose message goes on from what the device is.
  package func error(_ code: DeviceError.Code, _ message: String) -> DeviceError {
    DeviceError(code, device: rig, message: "\(record.summary) \(message)")
  }

  /// Lets so much time pass with nothing in flight: a virtual bus is served, beside a real one is slept.
  package func rest(microseconds: Int) throws(DeviceError) {
    let backend = claims.port.backend
    guard microseconds > 0 else { return }
    guard backend.isVirtual else {
      // libusb waits for whole milliseconds, which are a large part of a slot.
      usleep(UInt32(microseconds))
      return
    }
    do throws(USBFailure) {
      try backend.serveEvents(microseconds: microseconds)
    } catch {
      throw fault(error, doing: "wait for the bus")
    }
  }
}

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

  func holder(of interface: UInt8) -> String? { files.holder(of: record.address, interface) }
}
