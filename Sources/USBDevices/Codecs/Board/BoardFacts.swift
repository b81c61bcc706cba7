/// What every board of the vendor protocol has in common: docs/PROTOCOL-BOARD.md as numbers.
public enum BoardFacts {
  /// The version of the protocol that is written here.
  public static let version: UInt8 = 1
  /// The first two bytes of every packet: `HR`.
  public static let magic: [UInt8] = [0x48, 0x52]
  /// Bytes before the payload.
  public static let headerSize = 16
  /// Bytes after the payload: the CRC-32.
  public static let trailerSize = 4
  /// The longest packet, header and check sum included: one packet of a high-speed bulk endpoint.
  public static let maximumPacketSize = 512
  /// The longest payload.
  public static let maximumPayloadSize = maximumPacketSize - headerSize - trailerSize

  /// The most channels of a stream.
  public static let maximumChannelCount = 8
  /// Bytes before the samples of a drive or sensor packet's payload.
  static let framesHeaderSize = 8
  /// After so long without a valid drive packet a running board drives zero, in seconds.
  public static let watchdog = 0.020
  /// A board sends a status at least so often, in seconds.
  public static let statusInterval = 0.050
  /// The fastest tick that a board may count in hertz: half the counter's range stays 134 s.
  public static let maximumTickRate: UInt32 = 16_000_000
}
