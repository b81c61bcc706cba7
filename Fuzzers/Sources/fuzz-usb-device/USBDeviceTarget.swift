// SPDX-License-Identifier: Apache-2.0

import Fuzzing
import USBDevices
import USBTransport

/// Bytes as what a USB device says of itself, and as all it says: the first one says which.
///
/// Nothing traps or waits for ever; descriptors are what a second, plain reading of USB 2.0, 9.6 takes them for;
/// what is shown moves no cursor; whatever answers as a board, opening and playing it ends, and gives
/// everything back.
@c(LLVMFuzzerTestOneInput)
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
  guard let kind = bytes.first else { return 0 }
  let rest = Array(bytes.dropFirst())
  switch kind % 4 {
  case 0: checkDescriptors(rest)
  case 1: checkDescriptors(DescriptorWriter(rest).bytes)
  case 2: checkString(rest)
  default: checkDevice(rest)
  }
  return 0
}

private func checkDescriptors(_ bytes: [UInt8]) {
  let plain = PlainDescriptors(bytes)
  do throws(DescriptorError) {
    let read = try USBDescriptors(bytes: bytes)
    guard let plain else {
      require(false, "taken, and a plain reading refuses it: \(bytes)")
      return
    }
    let found = read.configurations.map { configuration in
      configuration.interfaces.map { interface in
        [Int(interface.number), Int(interface.alternate)]
          + interface.endpoints.flatMap { [Int($0.address), $0.packetBytes, Int($0.interval)] }
      }
    }
    require(found == plain.configurations, "\(found), and plainly \(plain.configurations)")
    require(read.device.vendor == plain.vendor, "another vendor")
    // What stands behind the last configuration is missed where it is cut: nothing is read half.
    for count in bytes.indices {
      require(
        (try? USBDescriptors(bytes: Array(bytes[..<count]))) == nil, "the first \(count) were taken"
      )
    }
  } catch {
    require(plain == nil, "refused (\(error)), and a plain reading takes it: \(bytes)")
    require((0...bytes.count).contains(error.offset), "\(error) in \(bytes.count) bytes")
    require(!error.reason.isEmpty, "no reason")
  }
}

private func checkString(_ bytes: [UInt8]) {
  guard let text = try? USBString.text(descriptor: bytes) else { return }
  for scalar in text.unicodeScalars {
    require(
      scalar.value >= 0x20 && !(0x7F..<0xA0).contains(scalar.value),
      "a control character of a device is shown: \(scalar.value)")
  }
  require(text.unicodeScalars.count <= bytes.count / 2, "more text than came")
  var record = USBDeviceRecord(
    address: USBAddress(bus: 1, device: 1, ports: [1]), vendor: 1, product: 2)
  record.serial = text
  record.productName = text
  // By scalars: a mark at the beginning joins the character before it.
  require(record.summary.unicodeScalars.contains(text.unicodeScalars), "not shown: \(text)")
}
