// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
import SeededRandom
import Testing

@testable import SampledSensors

/// Types and layouts as the kernel's Documentation/ABI/testing/sysfs-bus-iio and driver-api/iio/buffers have them.
struct ScanTests {
  @Test(arguments: [
    "le:s12/16>>4", "be:s16/16>>0", "le:s64/64>>0", "le:u12/16>>0", "be:s24/32>>8",
    "le:s16/16X3>>0",
    "le:u8/8>>0",
  ]) func `a type is written as it was read`(text: String) throws {
    #expect(try ScanElement(text).description == text)
    #expect(try ScanElement(text + "\n").description == text)
  }

  @Test(arguments: [
    "", "le", "le:", "xx:s12/16>>4", "le:f12/16>>4", "le:s12", "le:s12/16", "le:s12/16>>",
    "le:s/16>>4",
    "le:s12/16>>4 ", "le:s12/16>>4\n\n", "le:s12/16X>>4", "le:s-1/16>>4", "le:s1200/16>>4",
  ]) func `what is no type is refused with the place`(text: String) {
    let error = #expect(throws: CodecError.self) { try ScanElement(text) }
    #expect(error?.code == .unknown)
    #expect((error?.offset ?? -1) <= text.utf8.count)
  }

  @Test(arguments: ["le:s12/15>>0", "le:s17/16>>0", "le:s12/16>>5", "le:s0/16>>0", "le:s8/8X0>>0"])
  func `numbers that do not fit together are refused`(text: String) {
    let error = #expect(throws: CodecError.self) { try ScanElement(text) }
    #expect(error?.code == .range)
  }

  private static let numbers: [(type: String, bytes: String, value: Int64)] = [
    ("le:s12/16>>4", "f0 7f", 2047), ("le:s12/16>>4", "00 80", -2048), ("le:s12/16>>4", "1f 00", 1),
    ("be:u12/16>>0", "ff ff", 4095), ("be:s24/32>>8", "ff ff fe aa", -2),
    ("le:s64/64>>0", "ff ff ff ff ff ff ff 7f", Int64.max), ("be:s8/8>>0", "80", -128),
  ]

  @Test func `a number is sign, shift and order`() throws {
    for number in Self.numbers {
      let element = try ScanElement(number.type)
      #expect(element.value(hex(number.bytes)) == number.value, "\(number)")
    }
  }

  @Test(arguments: 0..<200) func `a number is what was stored`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let storage = 8 << random.integer(0...3)
    let bits = random.integer(1...storage)
    let shift = random.integer(0...(storage - bits))
    let isSigned = random.chance(0.5)
    let isBig = random.chance(0.5)
    let element = try #require(
      ScanElement(
        isBigEndian: isBig, isSigned: isSigned, bits: bits, storageBits: storage, shift: shift))
    #expect(try ScanElement(element.description) == element)
    let noise = random.next()
    let field = UInt64.max >> UInt64(64 - bits)
    let stored = noise & (UInt64.max >> UInt64(64 - storage))
    let raw = (stored >> UInt64(shift)) & field
    let isNegative = isSigned && raw >> UInt64(bits - 1) == 1
    let expected = isNegative ? Int64(bitPattern: raw | ~field) : Int64(bitPattern: raw)
    var bytes: [UInt8] = []
    for place in 0..<(storage / 8) {
      bytes.append(UInt8(truncatingIfNeeded: stored >> UInt64(place * 8)))
    }
    if isBig { bytes.reverse() }
    #expect(element.value(bytes) == expected, "\(random): \(element) of \(bytes)")
  }

  @Test func `three axes and a time stamp lie aligned, eight bytes for the stamp`() throws {
    // driver-api/iio/buffers: 3 * 2 bytes, 2 bytes of padding, 8 bytes of time stamp.
    let axis = try ScanElement("le:s12/16>>4")
    let layout = try ScanLayout([
      .init(name: "timestamp", index: 3, type: try ScanElement("le:s64/64>>0")),
      .init(name: "accel_x", index: 0, type: axis, scale: 0.5),
      .init(name: "accel_y", index: 1, type: axis, scale: 0.5, offset: 10),
      .init(name: "accel_z", index: 2, type: axis),
    ])
    #expect(layout.offsets == [0, 2, 4, 8] && layout.size == 16)
    let scan = hex("20 00 f0 ff 00 80 ee ee 01 02 00 00 00 00 00 00")
    let read = layout.read(scan + scan + [1, 2, 3])
    #expect(read.byteCount == 32 && read.scans.count == 2)
    #expect(read.scans[0].values == [1, 4.5, -2048] && read.scans[0].timestamp == 513)
  }

  @Test func `one axis and a time stamp leave six bytes between`() throws {
    let layout = try ScanLayout([
      .init(name: "accel_x", index: 0, type: try ScanElement("be:s16/16>>0")),
      .init(name: "timestamp", index: 1, type: try ScanElement("le:s64/64>>0")),
    ])
    #expect(layout.offsets == [0, 8] && layout.size == 16)
  }

  @Test func `no channel and two of one index are refused`() throws {
    #expect(throws: CodecError.self) { try ScanLayout([]) }
    let axis = try ScanElement("le:s16/16>>0")
    #expect(throws: CodecError.self) {
      try ScanLayout([
        .init(name: "a", index: 1, type: axis), .init(name: "b", index: 1, type: axis),
      ])
    }
  }
}
