/// Silicon Labs CP2112, a USB-SMBus bridge over HID reports; application note AN495.
///
/// Full speed; numbers of two and four bytes have their highest byte first. Reports are padded to 64 bytes on
/// the wire; the command's byte is the report's number.
public enum CP2112Facts {
  /// Silicon Labs.
  public static let vendor: UInt16 = 0x10c4
  /// CP2112.
  public static let product: UInt16 = 0xea90
  /// Bytes of every interrupt report.
  public static let reportSize = 64
  /// Data bytes of a report.
  public static let dataSize = 61
}
