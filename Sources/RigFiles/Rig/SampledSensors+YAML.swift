// SPDX-License-Identifier: Apache-2.0

import Devices
import Units

extension SerialDescription {
  enum Key: String, FileKey {
    case path, baud, columns, packets, scale, ticks, timeout
    case sampleRate = "sample-rate"
    case counterBits = "counter-bits"
  }

  /// The one kind of packet that needs no description.
  private static let witMotion = "witmotion"

  init(_ map: MapReader<Key>) throws(RigFileError) {
    guard let path = map[.path] else {
      throw map.node.error(
        "a serial capture needs 'path': write for example 'path: /dev/serial/by-id/...' "
          + "('haprig devices' lists what is there)")
    }
    guard let rate = map[.sampleRate] else {
      throw map.node.error(
        "a serial capture needs 'sample-rate', samples a second of the breakout: write for example "
          + "'sample-rate: 1 kHz'")
    }
    self.init(
      path: try Self.port(path), baud: try map[.baud].map(Self.baud) ?? 115_200,
      content: try Self.content(map),
      sampleRate: try rate.bareFrequency(.from(50, upTo: 100_000)),
      timeout: try map[.timeout]?.quantity(.time, .from(0.05, upTo: 60)) ?? 3)
  }

  private static func port(_ node: YAMLNode) throws(RigFileError) -> String {
    let path = try node.text()
    try node.check(
      path.hasPrefix("/dev/") && !path.split(separator: "/").contains(".."),
      "\(path.quoted) is no serial port: it must begin with '/dev/'")
    return path
  }

  private static func baud(_ node: YAMLNode) throws(RigFileError) -> Int {
    let baud: Int = try node.integer(1...10_000_000)
    try node.check(
      bauds.contains(baud),
      "\(node.label) is \(baud): use \(bauds.map(String.init).joined(separator: ", "))")
    return baud
  }

  private static func content(_ map: MapReader<Key>) throws(RigFileError) -> Content {
    switch (map[.columns], map[.packets]) {
    case (let columns?, nil):
      let fields = try columns.items(example: "[counter, x, y, z]")
        .map { item throws(RigFileError) in
          try meaning(item.text(), map, bits: 32, at: item)
        }
      try check(fields, columns)
      return .lines(fields, scale: try scale(map))
    case (nil, let packets?):
      if case .scalar = packets.content {
        try packets.check(
          packets.text() == witMotion,
          "\(try packets.text().quoted) is no kind of packet: write 'witmotion', or 'magic', "
            + "'fields' and 'check' of your own")
        if let scale = map[.scale] {
          throw scale.error("a WitMotion packet has its own scale: remove 'scale'")
        }
        return .packets(.witMotion)
      }
      return .packets(try format(packets, of: map))
    case (.some, let packets?):
      throw packets.error("'columns' are of lines, 'packets' of bytes: keep one of the two")
    case (nil, nil):
      throw map.node.error(
        "a serial capture needs 'columns' of its lines, for example 'columns: [counter, x, y, z]', "
          + "or 'packets'")
    }
  }

  private enum PacketKey: String, FileKey {
    case magic, fields, check
    case bigEndian = "big-endian"
  }

  private static func format(
    _ node: YAMLNode, of map: MapReader<Key>
  ) throws(RigFileError) -> BinaryFormat {
    let packets = try MapReader<PacketKey>(node, "the packets")
    let list = try packets.require(.fields, example: "[u32 counter, i16 x, i16 y, i16 z]")
    var fields: [BinaryFormat.Field] = []
    for item in try list.items(example: "[u32 counter, i16 x, i16 y, i16 z]") {
      let words = try item.text().split(separator: " ").map(String.init)
      guard words.count == 2, let number = BinaryFormat.Number(rawValue: words[0]) else {
        throw item.error(
          "\(try item.text().quoted) is no field: write how the number is stored ("
            + BinaryFormat.Number.allCases.map(\.rawValue).joined(separator: ", ")
            + ") and what it is, such as 'i16 x'")
      }
      let meaning = try meaning(words[1], map, bits: number.byteCount * 8, at: item)
      if number == .float32, !meaning.isAxis, meaning != .other {
        throw item.error("\(try item.text().quoted): a counter and ticks are whole numbers")
      }
      fields.append(BinaryFormat.Field(number, meaning))
    }
    try check(fields.map(\.meaning), list)
    return BinaryFormat(
      magic: try magic(packets.require(.magic, example: "aa 55")), fields: fields,
      check: try packets[.check]?.choice(BinaryFormat.Check.self, "a check of a packet") ?? .none,
      bigEndian: try packets[.bigEndian]?.flag() ?? false, scale: try scale(map))
  }

  private static func magic(_ node: YAMLNode) throws(RigFileError) -> [UInt8] {
    let words = try node.text().split(separator: " ")
    let bytes = words.compactMap { $0.count == 2 ? UInt8($0, radix: 16) : nil }
    try node.check(
      bytes.count == words.count && (1...8).contains(bytes.count),
      "\(try node.text().quoted) are no bytes: write 1 to 8 of them as 'magic: aa 55'")
    return bytes
  }

  /// What a number is; a counter and ticks wrap as wide as they are stored, or as `counter-bits` says.
  private static func meaning(
    _ word: String, _ map: MapReader<Key>, bits: Int, at node: YAMLNode
  ) throws(RigFileError) -> SensorField {
    switch word {
    case "x": return .axis(0)
    case "y": return .axis(1)
    case "z": return .axis(2)
    case "counter":
      return .counter(bits: try map[.counterBits]?.integer(4...32) ?? bits)
    case "ticks":
      guard let rate = map[.ticks] else {
        throw node.error(
          "'ticks' are counted by the breakout's clock, whose rate is not written: write for example "
            + "'ticks: 1000 kHz' beside 'columns'")
      }
      return .ticks(rate: try rate.bareFrequency(.from(100, upTo: 1e9)), bits: bits)
    case "-": return .other
    default:
      throw node.error(
        "\(word.quoted) is no number of a sample: use x, y, z, counter, ticks or '-'")
    }
  }

  private static func check(_ fields: [SensorField], _ node: YAMLNode) throws(RigFileError) {
    try node.check(
      fields.contains(where: \.isAxis), "\(node.label) has no axis: one of x, y, z is needed")
    for (place, field) in fields.enumerated() where field != .other {
      try node.check(
        !fields[..<place].contains(where: { $0.isSame(as: field) }),
        "\(node.label) names one thing twice: use '-' for numbers that are not used")
    }
  }

  private static func scale(_ map: MapReader<Key>) throws(RigFileError) -> Double {
    guard let node = map[.scale] else {
      throw map.node.error(
        "a serial capture needs 'scale', the acceleration of the number 1: write for example "
          + "'scale: 0.0039 g'")
    }
    return try node.quantity(.acceleration, .above(0, upTo: 1000))
  }
}

extension SensorField {
  /// Whether two fields are the same thing, however wide.
  fileprivate func isSame(as other: SensorField) -> Bool {
    switch (self, other) {
    case (.axis(let one), .axis(let two)): one == two
    case (.counter, .counter), (.ticks, .ticks): true
    default: false
    }
  }
}

extension IIODescription {
  enum Key: String, FileKey {
    case sensor, trigger, timeout
    case samplingFrequency = "sampling-frequency"
    case sampleRate = "sample-rate"
  }

  init(_ map: MapReader<Key>) throws(RigFileError) {
    self.init(
      sensor: try Self.name(map.require(.sensor, example: "adxl355")),
      trigger: try map[.trigger].map(Self.name),
      samplingFrequency: try map[.samplingFrequency]?.bareFrequency(.from(50, upTo: 100_000)),
      sampleRate: try map[.sampleRate]?.bareFrequency(.from(50, upTo: 100_000)),
      timeout: try map[.timeout]?.quantity(.time, .from(0.05, upTo: 60)) ?? 1)
  }

  /// A name as sysfs has it, which is one line; a path would be another thing.
  private static func name(_ node: YAMLNode) throws(RigFileError) -> String {
    let text = try node.text()
    try node.check(
      !text.contains("/") && !text.unicodeScalars.contains(where: { $0.value < 0x20 }),
      "\(text.quoted) is no name of a sensor or a trigger: write it as 'haprig devices' or sysfs' "
        + "'name' has it, such as 'adxl355', or 'iio:device0'")
    return text
  }
}
