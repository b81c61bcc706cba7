// SPDX-License-Identifier: Apache-2.0

/// A plain reading of descriptors by USB 2.0, 9.6, that says only whether they hold and what is in them.
///
/// First the bytes are cut by their lengths, then the parts are looked at one after the other: another way
/// than the product's, which reads and checks in one go.
struct PlainDescriptors {
  let vendor: UInt16
  /// By configuration and interface: number, setting, then address, packet size and interval by endpoint.
  private(set) var configurations: [[[Int]]] = []

  init?(_ bytes: [UInt8]) {
    var parts: [ArraySlice<UInt8>] = []
    var place = 0
    while place < bytes.count {
      let length = Int(bytes[place])
      guard length >= 2, place + length <= bytes.count else { return nil }
      parts.append(bytes[place..<(place + length)])
      place += length
    }
    guard let device = parts.first.map(Array.init), device.count >= 18, device[1] == 1 else {
      return nil
    }
    vendor = UInt16(device[8]) + 256 * UInt16(device[9])
    var groups: [[ArraySlice<UInt8>]] = []
    var rest = Array(parts.dropFirst())
    while let head = rest.first {
      let first = head.startIndex
      guard head[first + 1] == 2, head.count >= 9 else { return nil }
      let end = first + Int(bytes[first + 2]) + 256 * Int(bytes[first + 3])
      let group = rest.prefix { $0.startIndex < end }
      guard group.last?.endIndex == end else { return nil }
      groups.append(Array(group))
      rest.removeFirst(group.count)
    }
    guard groups.count == Int(device[17]) else { return nil }
    for group in groups {
      guard let interfaces = Self.interfaces(group) else { return nil }
      configurations.append(interfaces)
    }
  }

  private static func interfaces(_ group: [ArraySlice<UInt8>]) -> [[Int]]? {
    var interfaces: [[Int]] = []
    var promised: [Int] = []
    for part in group.dropFirst().map(Array.init) {
      switch part[1] {
      case 1, 2: return nil
      case 4:
        guard part.count >= 9 else { return nil }
        interfaces.append([Int(part[2]), Int(part[3])])
        promised.append(Int(part[4]))
      case 5:
        guard part.count >= 7, !interfaces.isEmpty else { return nil }
        let size = (Int(part[4]) + 256 * Int(part[5])) % 2048
        guard part[2] & 0x70 == 0, part[2] & 0x0F > 0, size > 0 || part[3] % 4 == 1 else {
          return nil
        }
        interfaces[interfaces.count - 1] += [Int(part[2]), size, Int(part[6])]
      default: break
      }
    }
    let names = interfaces.map { $0.prefix(2) }
    guard Set(names).count == names.count else { return nil }
    for (interface, count) in zip(interfaces, promised) {
      let addresses = stride(from: 2, to: interface.count, by: 3).map { interface[$0] }
      guard addresses.count == count, Set(addresses).count == count else { return nil }
    }
    let numbers = Set(interfaces.map { $0[0] })
    return numbers.count == Int(Array(group[0])[4]) ? interfaces : nil
  }
}
