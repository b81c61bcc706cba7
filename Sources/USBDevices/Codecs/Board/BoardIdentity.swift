// SPDX-License-Identifier: Apache-2.0

import DeviceStreams

/// Who a board is and what it can do.
public struct BoardIdentity: Sendable, Hashable {
  package var session: UInt32
  package var tickRate: UInt32
  /// The drive rates that a start may name, in hertz; at most four.
  package var driveRates: [UInt32]
  package var sensorRates: [UInt32]
  package var driveChannelCount: Int
  package var sensorChannelCount: Int
  package var bufferFrames: UInt16
  package var sensorFormat: BoardFrames.Format
  package var fullScaleMicrovolts: UInt32
  /// A sensor's full scale in um/s2.
  package var sensorFullScale: UInt32
  /// From the drive frame's instant to the voltage at the output, in nanoseconds.
  package var driveDelay: UInt32
  /// From an acceleration to the sensor frame's instant, in nanoseconds.
  package var sensorDelay: UInt32
  /// The serial number, printable ASCII, at most 16 characters.
  package var serial: String
  package var firmware: UInt16

  /// Makes an identity.
  public init(
    session: UInt32 = 0, tickRate: UInt32, driveRates: [UInt32], sensorRates: [UInt32],
    driveChannelCount: Int, sensorChannelCount: Int, bufferFrames: UInt16,
    sensorFormat: BoardFrames.Format = .s16, fullScaleMicrovolts: UInt32, sensorFullScale: UInt32,
    driveDelay: UInt32 = 0, sensorDelay: UInt32 = 0, serial: String, firmware: UInt16 = 0
  ) {
    self.session = session
    self.tickRate = tickRate
    self.driveRates = driveRates
    self.sensorRates = sensorRates
    self.driveChannelCount = driveChannelCount
    self.sensorChannelCount = sensorChannelCount
    self.bufferFrames = bufferFrames
    self.sensorFormat = sensorFormat
    self.fullScaleMicrovolts = fullScaleMicrovolts
    self.sensorFullScale = sensorFullScale
    self.driveDelay = driveDelay
    self.sensorDelay = sensorDelay
    self.serial = serial
    self.firmware = firmware
  }

  package var fullScaleVolts: Double { Double(fullScaleMicrovolts) * 1e-6 }

  package var sensorScale: Double {
    Double(sensorFullScale) * 1e-6 / Double(sensorFormat.fullScale)
  }

  private static let rateCount = 4
  private static let serialSize = 16

  init(from reader: inout ByteReader) throws(CodecError) {
    session = try reader.u32()
    tickRate = try reader.u32()
    guard (1000...BoardFacts.maximumTickRate).contains(tickRate) else {
      throw reader.error(.range, "a tick rate of \(tickRate) Hz where 1 kHz to 16 MHz is allowed")
    }
    driveRates = try Self.rates(&reader)
    sensorRates = try Self.rates(&reader)
    driveChannelCount = Int(try reader.u8())
    sensorChannelCount = Int(try reader.u8())
    guard max(driveChannelCount, sensorChannelCount) <= BoardFacts.maximumChannelCount else {
      throw reader.error(
        .range, "\(driveChannelCount) and \(sensorChannelCount) channels where 8 is the most")
    }
    bufferFrames = try reader.u16()
    let format = try reader.u8()
    guard let sensorFormat = BoardFrames.Format(rawValue: format) else {
      throw reader.error(.unknown, "sensor format \(format) where 1, 2 and 3 are known")
    }
    self.sensorFormat = sensorFormat
    try reader.skip(1)
    firmware = try reader.u16()
    fullScaleMicrovolts = try reader.u32()
    sensorFullScale = try reader.u32()
    driveDelay = try reader.u32()
    sensorDelay = try reader.u32()
    let name = try reader.take(Self.serialSize)
    let text = name.prefix { $0 != 0 }
    guard text.allSatisfy({ (0x20..<0x7f).contains($0) }),
      name[text.endIndex...].allSatisfy({ $0 == 0 })
    else {
      throw reader.error(.range, "a serial number that is not printable ASCII, filled with zeros")
    }
    serial = String(decoding: text, as: UTF8.self)
  }

  private static func rates(_ reader: inout ByteReader) throws(CodecError) -> [UInt32] {
    var rates: [UInt32] = []
    for place in 0..<rateCount {
      let rate = try reader.u32()
      if rate == 0 { continue }
      guard rates.count == place, rate <= 1_000_000 else {
        throw reader.error(.range, "rate \(rate) Hz is above 1 MHz or follows an empty place")
      }
      rates.append(rate)
    }
    return rates
  }

  func write(to writer: inout ByteWriter) throws(CodecError) {
    let serialBytes = Array(serial.utf8)
    guard serialBytes.count <= Self.serialSize,
      serialBytes.allSatisfy({ (0x20..<0x7f).contains($0) }),
      driveRates.count <= Self.rateCount, sensorRates.count <= Self.rateCount,
      (driveRates + sensorRates).allSatisfy({ (1...1_000_000).contains($0) }),
      (0...BoardFacts.maximumChannelCount).contains(driveChannelCount),
      (0...BoardFacts.maximumChannelCount).contains(sensorChannelCount),
      (1000...BoardFacts.maximumTickRate).contains(tickRate)
    else {
      throw CodecError(
        .range, packet: "board identity", offset: BoardFacts.headerSize,
        problem:
          "a serial of at most 16 printable characters, at most 4 rates of 1 Hz to 1 MHz, at "
          + "most 8 channels and ticks of 1 kHz to 16 MHz are needed")
    }
    writer.u32(session)
    writer.u32(tickRate)
    for rates in [driveRates, sensorRates] {
      for place in 0..<Self.rateCount { writer.u32(place < rates.count ? rates[place] : 0) }
    }
    writer.u8(UInt8(driveChannelCount))
    writer.u8(UInt8(sensorChannelCount))
    writer.u16(bufferFrames)
    writer.u8(sensorFormat.rawValue)
    writer.u8(0)
    writer.u16(firmware)
    writer.u32(fullScaleMicrovolts)
    writer.u32(sensorFullScale)
    writer.u32(driveDelay)
    writer.u32(sensorDelay)
    writer.append(serialBytes)
    writer.append(repeatElement(0, count: Self.serialSize - serialBytes.count))
  }
}
