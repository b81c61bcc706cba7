import DeviceStreams

/// What the host tells a board.
public enum BoardCommand: Sendable, Hashable {
  /// Asks who is there; ends whatever ran, and begins the sequence numbers of both directions anew.
  case hello(session: UInt32)
  /// Starts drive and capture together.
  case start(BoardStart)
  /// Ends both streams and drives zero at once.
  case stop
  /// Drives zero at once, drops what waits, and takes no drive until the next start; capture goes on.
  case silence
  /// Frames to drive; the packet's ticks say when the first one is due.
  case drive(BoardFrames)
  /// Asks for the board's clock; the number comes back as it is.
  case clock(token: UInt64)

  /// The byte that says what kind of packet it is.
  public var kind: UInt8 {
    switch self {
    case .hello: 0x01
    case .start: 0x02
    case .stop: 0x03
    case .silence: 0x04
    case .drive: 0x05
    case .clock: 0x06
    }
  }

  /// The name in messages.
  var packet: String {
    switch self {
    case .hello: "board hello"
    case .start: "board start"
    case .stop: "board stop"
    case .silence: "board silence"
    case .drive: "board drive"
    case .clock: "board clock"
    }
  }

  init?(kind: UInt8, from reader: inout ByteReader) throws(CodecError) {
    switch kind {
    case 0x01: self = .hello(session: try reader.u32())
    case 0x02: self = .start(try BoardStart(from: &reader))
    case 0x03: self = .stop
    case 0x04: self = .silence
    case 0x05: self = .drive(try BoardFrames(from: &reader))
    case 0x06: self = .clock(token: try reader.u64())
    default: return nil
    }
  }

  func write(to writer: inout ByteWriter) throws(CodecError) {
    switch self {
    case .hello(let session): writer.u32(session)
    case .start(let start): start.write(to: &writer)
    case .stop, .silence: break
    case .drive(let frames): try frames.write(to: &writer, as: packet)
    case .clock(let token): writer.u64(token)
    }
  }
}

/// How a board is to start.
public struct BoardStart: Sendable, Hashable {
  /// Drive frames a second, one of those that the identity names; 0 for no drive.
  public var driveRate: UInt32
  /// Sensor frames a second, one of those that the identity names; 0 for no capture.
  public var sensorRate: UInt32
  /// From the arrival of the packet to frame 0 of both streams, in ticks; less than the watchdog.
  public var lead: UInt32
  /// The highest drive of the session, of full scale 65535: the board clips there, and counts.
  public var peak: UInt16

  /// Makes a start.
  ///
  /// - Parameters:
  ///   - driveRate: Drive frames a second; 0 for no drive.
  ///   - sensorRate: Sensor frames a second; 0 for no capture.
  ///   - lead: From the packet's arrival to frame 0, in ticks.
  ///   - peak: The highest drive, of full scale 65535.
  public init(driveRate: UInt32, sensorRate: UInt32, lead: UInt32, peak: UInt16) {
    self.driveRate = driveRate
    self.sensorRate = sensorRate
    self.lead = lead
    self.peak = peak
  }

  init(from reader: inout ByteReader) throws(CodecError) {
    driveRate = try reader.u32()
    sensorRate = try reader.u32()
    lead = try reader.u32()
    peak = try reader.u16()
    try reader.skip(2)
  }

  func write(to writer: inout ByteWriter) {
    writer.u32(driveRate)
    writer.u32(sensorRate)
    writer.u32(lead)
    writer.u16(peak)
    writer.u16(0)
  }
}
