public import DeviceStreams

/// What the host tells an MPSSE; commands are put one after the other into one bulk transfer.
public enum FT232HCommand: Sendable, Hashable {
  /// A command that is unknown to every MPSSE: it answers 0xfa and the command, which shows where it stands.
  case probe
  /// Clock of 60 MHz instead of 12, three phases (data stable over both edges), no adaptive clock, no loopback,
  /// open drain on the lower three pins, and the bus's clock in hertz.
  case configure(hertz: Int)
  /// Sets SCL and SDA, released or low, and holds them for so many commands (about 0.2 us each).
  case lines(clock: Bool, data: Bool, times: Int)
  /// Clocks a byte out, releases SDA, and reads the acknowledge: one byte comes back, bit 0 low for yes.
  case writeByte(UInt8)
  /// Clocks a byte in and acknowledges it or not: one byte comes back.
  case readByte(acknowledge: Bool)
  /// Sends what there is to the host at once.
  case flush

  /// The bytes in the transfer.
  ///
  /// - Throws: `range` where a value does not fit.
  public func bytes() throws(CodecError) -> [UInt8] {
    switch self {
    case .probe: return [0xaa]
    case .configure(let hertz):
      // Three phases take half as long again: SCL = 60 MHz / ((1 + divisor) * 2) * 2/3 (AN_255).
      guard (1000...1_000_000).contains(hertz) else {
        throw CodecError(
          .range, packet: "FT232H command", offset: 7,
          problem: "\(hertz) Hz where an I2C bus runs at 1 kHz to 1 MHz")
      }
      let divisor = FT232HFacts.clock / 3 / hertz - 1
      return [0x8a, 0x97, 0x8c, 0x85, 0x9e, 0x07, 0x00]
        + [0x86, UInt8(truncatingIfNeeded: divisor), UInt8(truncatingIfNeeded: divisor >> 8)]
    case .lines(let clock, let data, let times):
      guard (1...64).contains(times) else {
        throw CodecError(
          .range, packet: "FT232H command", offset: 0, problem: "\(times) times where 1 to 64 are")
      }
      let levels =
        (clock ? FT232HFacts.Pin.clock : 0) | (data ? FT232HFacts.Pin.data : 0)
      return Array(repeating: [0x80, levels, FT232HFacts.Pin.outputs], count: times).flatMap { $0 }
    case .writeByte(let byte):
      return [
        0x11, 0x00, 0x00, byte, 0x80, FT232HFacts.Pin.data, FT232HFacts.Pin.outputs, 0x22, 0x00,
      ]
    case .readByte(let acknowledge):
      return [0x20, 0x00, 0x00, 0x13, 0x00, acknowledge ? 0x00 : 0xff]
        + [0x80, FT232HFacts.Pin.data, FT232HFacts.Pin.outputs]
    case .flush: return [0x87]
    }
  }

  /// How many bytes come back.
  public var answerCount: Int {
    switch self {
    case .probe: 2
    case .writeByte, .readByte: 1
    case .configure, .lines, .flush: 0
    }
  }

  /// A start, or a repeated one: SDA falls while SCL is high.
  ///
  /// Held for 0.6 us and more, as fast mode needs.
  static let start: [FT232HCommand] = [
    .lines(clock: false, data: true, times: 4), .lines(clock: true, data: true, times: 6),
    .lines(clock: true, data: false, times: 6), .lines(clock: false, data: false, times: 4),
  ]

  /// A stop: SDA rises while SCL is high.
  static let stop: [FT232HCommand] = [
    .lines(clock: false, data: false, times: 4), .lines(clock: true, data: false, times: 6),
    .lines(clock: true, data: true, times: 6),
  ]
}
