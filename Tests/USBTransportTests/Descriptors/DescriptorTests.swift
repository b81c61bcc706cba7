// SPDX-License-Identifier: Apache-2.0

import SeededRandom
import Testing
import USBModels
import USBTransport

struct DescriptorTests {
  private let device: [UInt8] = [
    18, 1, 0x00, 0x02, 0, 0, 0, 64, 0x09, 0x12, 0xDE, 0xC0, 0x01, 0x02, 1, 2, 3, 1,
  ]

  private func offset(_ bytes: [UInt8]) -> Int? {
    do throws(DescriptorError) {
      _ = try USBDescriptors(bytes: bytes)
      return nil
    } catch {
      return error.offset
    }
  }

  // The layout of a DualSense over USB as lsusb prints it: audio interfaces whose class descriptors are
  // passed over, and HID with two interrupt endpoints.
  @Test func `a configuration with class descriptors is read`() throws {
    let bytes =
      device + [
        9, 2, 53, 0, 2, 1, 0, 0xC0, 250, 9, 4, 0, 0, 0, 1, 1, 0, 0,
        10, 0x24, 1, 0, 1, 73, 0, 2, 1, 2,
        9, 4, 3, 0, 2, 3, 0, 0, 0, 9, 0x21, 0x11, 1, 0, 1, 0x22, 0x11, 1,
        7, 5, 0x84, 3, 64, 0, 6,
      ]
    #expect(offset(bytes) != nil)
    var fixed = bytes + [7, 5, 0x03, 3, 64, 0, 6]
    fixed[20] = UInt8(fixed.count - 18)
    let value = try USBDescriptors(bytes: fixed)
    #expect(value.device.vendor == 0x1209 && value.device.product == 0xC0DE)
    #expect(value.device.release == 0x0201)
    let configuration = value.configurations[0]
    #expect(configuration.milliamperes == 500)
    #expect(configuration.interfaces.map(\.number) == [0, 3])
    #expect(configuration.interfaces[1].interfaceClass == 3)
    #expect(
      configuration.interfaces[1].endpoint(.interrupt, isInput: true)
        == USBEndpoint(address: 0x84, kind: .interrupt, packetBytes: 64, interval: 6))
  }

  @Test func `every beginning of the descriptors but the whole is refused`() {
    let whole = EchoDevice.descriptors
    #expect(offset(whole) == nil)
    for count in 0..<whole.count {
      #expect(offset(Array(whole.prefix(count))) != nil, "the first \(count) bytes were taken")
    }
  }

  @Test func `a wrong length says where it stands`() {
    var bytes = EchoDevice.descriptors
    bytes[36] = 200
    #expect(offset(bytes) == 36)
    bytes[36] = 0
    #expect(offset(bytes) == 36)
    bytes[36] = 3
    #expect(offset(bytes) != nil)
  }

  @Test func `an endpoint that is promised and missing is told`() {
    var bytes = EchoDevice.descriptors
    bytes[27 + 4] = 4
    #expect(offset(bytes) != nil)
  }

  @Test func `an endpoint's address stands once and is one`() {
    var bytes = EchoDevice.descriptors
    bytes[45] = 0x01
    #expect(offset(bytes) == 43)
    bytes[45] = 0x80
    #expect(offset(bytes) == 43)
    bytes[45] = 0x71
    #expect(offset(bytes) == 43)
  }

  @Test func `nothing that is written over the descriptors stops the reader`() {
    var random = SeededRandom(seed: 0x05B)
    for turn in 0..<20_000 {
      var bytes = EchoDevice.descriptors
      for _ in 0..<(1 + turn % 5) {
        bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
      }
      if turn.isMultiple(of: 3) { bytes.removeLast(Int(random.next() % UInt64(bytes.count))) }
      guard let value = try? USBDescriptors(bytes: bytes) else { continue }
      for interface in value.configurations.flatMap(\.interfaces) {
        let addresses = interface.endpoints.map(\.address)
        #expect(Set(addresses).count == addresses.count, "turn \(turn): \(bytes)")
      }
    }
  }

  @Test func `a string is read to its end`() throws {
    #expect(try USBString.text(descriptor: [8, 3, 0x48, 0, 0x49, 0, 0x4C, 0]) == "HIL")
  }

  @Test func `a string with an odd byte, a half pair or a control character can be shown`() throws {
    #expect(try USBString.text(descriptor: [5, 3, 0x48, 0, 0x49]) == "H")
    #expect(try USBString.text(descriptor: [4, 3, 0x00, 0xD8]) == "\u{FFFD}")
    #expect(try USBString.text(descriptor: [6, 3, 0x1B, 0, 0x41, 0]) == "\u{FFFD}A")
    #expect(try USBString.text(descriptor: [6, 3, 0x41, 0, 0, 0]) == "A")
    #expect(try USBString.text(descriptor: [2, 3]) == "")
  }

  @Test(arguments: [[], [2], [4, 2, 0x41, 0], [6, 3, 0x41, 0], [1, 3]] as [[UInt8]])
  func `what is no string is refused`(bytes: [UInt8]) {
    #expect(throws: DescriptorError.self) { try USBString.text(descriptor: bytes) }
  }
}
