/// A MEMS breakout on a serial port as a rig file asks for it: its own program sends a line or a packet
/// for each sample.
public struct SerialDescription: Sendable, Equatable {
  /// How samples are written.
  public enum Content: Sendable, Equatable {
    /// A line of decimal numbers a sample; `scale` is m/s2 of the number 1.
    case lines([SensorField], scale: Double)
    /// A packet a sample.
    case packets(BinaryFormat)

    /// What the numbers of a sample are, in the order they come.
    public var fields: [SensorField] {
      switch self {
      case .lines(let fields, _): fields
      case .packets(let format): format.fields.map(\.meaning)
      }
    }
  }

  /// The port: `/dev/ttyACM0`, or better `/dev/serial/by-id/...`, which stays.
  public var path: String
  /// Bits a second of a port that has wires; USB-CDC passes over it.
  public var baud: Int
  /// How samples are written.
  public var content: Content
  /// Samples a second by the breakout's own clock.
  public var sampleRate: Double
  /// How long no sample may come, in seconds.
  public var timeout: Double

  /// Speeds that Linux knows, in bits a second.
  public static let bauds = [
    9600, 19_200, 38_400, 57_600, 115_200, 230_400, 460_800, 500_000, 921_600, 1_000_000,
    1_500_000, 2_000_000, 3_000_000, 4_000_000,
  ]

  /// Makes a description.
  public init(
    path: String, baud: Int = 115_200, content: Content, sampleRate: Double, timeout: Double = 3
  ) {
    self.path = path
    self.baud = baud
    self.content = content
    self.sampleRate = sampleRate
    self.timeout = timeout
  }
}
