/// What the host tells a Switch controller.
public enum SwitchControllerCommand: Sendable, Hashable {
  /// Over USB only, before anything else: handshake, 3 Mbit/s, handshake, then USB instead of Bluetooth.
  case usb(USBCommand)
  /// What both actuators drive from now on.
  case rumble(left: SwitchRumble, right: SwitchRumble)
  /// A command with an answer, and what the actuators drive.
  case subcommand(Subcommand, left: SwitchRumble, right: SwitchRumble)

  /// A step of the start over USB.
  public enum USBCommand: UInt8, Sendable, Hashable, CaseIterable {
    /// Asks which controller there is.
    case status = 0x01
    /// Shakes hands.
    case handshake = 0x02
    /// Sets the rate between the controller's chips to 3 Mbit/s.
    case fastRate = 0x03
    /// Stays on USB.
    case stay = 0x04
    /// Goes back to Bluetooth.
    case release = 0x05

    /// The start in its order, each answered before the next but `stay`, which nothing answers.
    public static let start: [USBCommand] = [.handshake, .fastRate, .handshake, .stay]
  }

  /// A command with an answer.
  public enum Subcommand: Sendable, Hashable {
    /// Full reports with the inertial sensor, one each 15 ms.
    case fullReports
    /// The inertial sensor on or off.
    case motion(Bool)
    /// +-8 g and +-2000 deg/s at 208 Hz, filters at 100 Hz and 208 Hz.
    case motionRange
    /// The actuators on or off.
    case vibration(Bool)
    /// Reads the flash memory, 29 bytes at most.
    case readFlash(address: UInt32, count: UInt8)

    /// The number, which the answer repeats.
    public var number: UInt8 {
      switch self {
      case .fullReports: 0x03
      case .readFlash: 0x10
      case .motion: 0x40
      case .motionRange: 0x41
      case .vibration: 0x48
      }
    }

    var arguments: [UInt8] {
      switch self {
      case .fullReports: [0x30]
      case .motion(let on), .vibration(let on): [on ? 1 : 0]
      case .motionRange: [0x03, 0x00, 0x00, 0x01]
      case .readFlash(let address, let count):
        (0..<4).map { UInt8(truncatingIfNeeded: address >> ($0 * 8)) } + [min(count, 29)]
      }
    }
  }

  /// The bytes of the output report as the descriptor has it over USB: padded to 64.
  ///
  /// - Parameter counter: Counts the reports with rumble; the lower four bits are sent.
  /// - Returns: The report, its number first.
  public func report(counter: UInt8) -> [UInt8] {
    let bytes = bytes(counter: counter)
    return bytes + [UInt8](repeating: 0, count: SwitchControllerFacts.reportSize - bytes.count)
  }

  /// The bytes of the output report, without what pads it.
  ///
  /// - Parameter counter: Counts the reports with rumble; the lower four bits are sent.
  /// - Returns: The report, its number first.
  public func bytes(counter: UInt8) -> [UInt8] {
    switch self {
    case .usb(let command): [0x80, command.rawValue]
    case .rumble(let left, let right): [0x10, counter & 0x0f] + left.bytes + right.bytes
    case .subcommand(let subcommand, let left, let right):
      [0x01, counter & 0x0f] + left.bytes + right.bytes + [subcommand.number]
        + subcommand.arguments
    }
  }
}
