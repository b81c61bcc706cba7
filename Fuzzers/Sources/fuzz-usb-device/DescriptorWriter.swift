// SPDX-License-Identifier: Apache-2.0

/// Descriptors that mostly hold, from bytes of any kind: so that the reader's depth is reached.
///
/// Two bytes are one step: what to add, and a number for it. Counts are filled in at the end, unless a step says
/// that one byte shall be another.
struct DescriptorWriter {
  private(set) var bytes: [UInt8] = [
    18, 1, 0x00, 0x02, 0, 0, 0, 64, 0x09, 0x12, 0x52, 0x48, 0, 1, 1, 2, 3, 0,
  ]

  init(_ steps: [UInt8]) {
    var configuration: Int?
    var interface: Int?
    var numbers: Set<UInt8> = []
    var changes: [(place: UInt8, value: UInt8)] = []
    var place = 0
    while place + 2 <= steps.count, bytes.count < 2000 {
      let (step, number) = (steps[place], steps[place + 1])
      place += 2
      switch step % 6 {
      case 0:
        configuration = bytes.count
        interface = nil
        numbers = []
        bytes[17] &+= 1
        bytes += [9, 2, 9, 0, 0, number, 0, 0x80, 50]
        continue
      case 1:
        guard let configuration else { continue }
        interface = bytes.count
        numbers.insert(number & 7)
        bytes[configuration + 4] = UInt8(numbers.count)
        bytes += [9, 4, number & 7, number >> 3, 0, number & 1 == 0 ? 255 : 3, 0x48, 1, 0]
      case 2:
        guard let interface else { continue }
        bytes[interface + 4] &+= 1
        bytes += [7, 5, number & 0x8F, number >> 4 & 3, 64, 0, 1]
      case 3:
        guard configuration != nil else { continue }
        bytes += [UInt8(2 + number % 9), 0x24] + Array(repeating: number, count: Int(number % 9))
      case 4: bytes += [number, step]
      default: changes.append((step, number))
      }
      if let configuration {
        let length = bytes.count - configuration
        bytes[configuration + 2] = UInt8(truncatingIfNeeded: length)
        bytes[configuration + 3] = UInt8(truncatingIfNeeded: length >> 8)
      }
    }
    for change in changes { bytes[Int(change.place) % bytes.count] = change.value }
  }
}
