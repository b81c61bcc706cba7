/// FTDI FT232H as an I2C bridge through its MPSSE; application notes AN_108, AN_135, AN_255.
///
/// High speed: a whole transaction is one bulk transfer, answered within a microframe or two after the bus is
/// done. AD0 is SCL, AD1 is SDA out, AD2 is SDA in; AD1 and AD2 are wired together, and both lines need
/// pull-up resistors, since the pins only pull low.
public enum FT232HFacts {
  /// FTDI.
  public static let vendor: UInt16 = 0x0403
  /// FT232H.
  public static let product: UInt16 = 0x6014
  /// A bulk IN packet at high speed; each begins with two status bytes.
  public static let packetSize = 512
  /// The clock that the bus is divided from, in hertz.
  public static let clock = 60_000_000

  /// Vendor requests (request type 0x40).
  public enum Request {
    /// Resets; value 0 all, 1 the receive, 2 the transmit buffer.
    public static let reset: UInt8 = 0x00
    /// Sets the latency timer in milliseconds.
    public static let latencyTimer: UInt8 = 0x09
    /// Sets the pins' mode: upper byte the mode, 2 for MPSSE, lower byte the outputs.
    public static let bitMode: UInt8 = 0x0b
  }

  /// Bits of the lower pins.
  enum Pin {
    static let clock: UInt8 = 0x01
    static let data: UInt8 = 0x02
    static let outputs: UInt8 = 0x03
  }
}
