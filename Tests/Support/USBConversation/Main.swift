// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import USBDevices
import USBTransport

/// Reads registers over I2C through an MCP2221A on the real libusb, one after the other, and prints each; for tests
/// that emulate the device.
///
///   USBConversation ADDRESS REGISTER...    numbers in hexadecimal
@main
struct USBConversation {
  static func main() {
    let numbers = CommandLine.arguments.dropFirst().compactMap { UInt8($0, radix: 16) }
    guard numbers.count > 1 else { exit(2) }
    do throws(DeviceError) {
      var wire = try BridgeWire()
      var bridge = MCP2221ABridge()
      _ = try wire.carry(bridge.open(), &bridge)
      for register in numbers.dropFirst() {
        let step = bridge.begin(.read(address: numbers[0], register: register, count: 1))
        let bytes = try wire.carry(step, &bridge)
        print("\(String(register, radix: 16)): \(bytes.map { String($0, radix: 16) })")
      }
    } catch {
      print("\(error.code.rawValue): \(error.message)")
      exit(3)
    }
  }
}

/// The bridge's two interrupt endpoints.
struct BridgeWire: ~Copyable {
  private let device: USBDeviceHandle
  private var output: USBTransferQueue
  private var input: USBTransferQueue

  init() throws(DeviceError) {
    let context = USBContext(try LibUSBBackend())
    let selection = USBSelection(
      identity: .init(vendor: 0x04d8, product: 0x00dd))
    let device = try context.open(selection, rig: "bench")
    guard let port = device.descriptors.interface(class: 3, with: .interrupt) else {
      throw DeviceError(.refused, device: "bench", message: "no interface of class 3")
    }
    try device.claim(port.interface.number)
    // HID's SET_IDLE: reports only when something changed.
    try device.send(USBControlRequest(type: 0x21, request: 0x0A))
    let output = try device.queue(port.output, transfers: 1, bytes: 64, milliseconds: 1000)
    let input = try device.queue(port.input, transfers: 1, bytes: 64, milliseconds: 1000)
    self.device = device
    self.output = output
    self.input = input
  }

  /// Exchanges packets until the bridge is done.
  mutating func carry(
    _ first: I2CStep, _ bridge: inout MCP2221ABridge
  ) throws(DeviceError) -> [UInt8] {
    var step = first
    while true {
      switch step {
      case .finished(let bytes): return bytes
      case .failed(let failure):
        throw DeviceError(.garbled, device: "bench", message: "\(failure)")
      case .exchange(let transfers):
        do throws(USBFailure) {
          step = bridge.receive(try exchange(transfers))
        } catch {
          throw device.fault(error, doing: "exchange packets")
        }
      }
    }
  }

  private mutating func exchange(_ transfers: [BridgeTransfer]) throws(USBFailure) -> [UInt8] {
    for case .report(let bytes) in transfers {
      _ = try output.submit(bytes.span)
      guard let sent = try output.waitForCompletion(microseconds: 2_000_000) else {
        throw .timedOut
      }
      if let failure = sent.failure { throw failure }
      output.recycle(sent)
    }
    try input.submitAll()
    guard let came = try input.waitForCompletion(microseconds: 2_000_000) else { throw .timedOut }
    if let failure = came.failure { throw failure }
    let bytes = input.withBytes(of: came) { span in span.indices.map { span[$0] } }
    input.recycle(came)
    return bytes
  }
}
