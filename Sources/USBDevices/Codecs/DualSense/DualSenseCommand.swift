/// What the host tells a DualSense about its actuators.
public enum DualSenseCommand: Sendable, Hashable {
  /// Classic rumble by two numbers; the sound interface's channels 3 and 4 are then not heard.
  case rumble(left: UInt8, right: UInt8)
  /// Classic rumble as firmware from update version 2.21 (0x0215) on has it: a flag of its own.
  case rumble2(left: UInt8, right: UInt8)
  /// The actuators belong to the sound interface: neither flag of rumble, both numbers 0.
  case haptics

  /// The 63 bytes of output report 0x02.
  public var bytes: [UInt8] {
    var writer = ByteWriter(capacity: DualSenseFacts.outputSize)
    writer.u8(0x02)
    switch self {
    // Bit 0 compatible vibration, bit 1 rumble instead of haptics.
    case .rumble(let left, let right): writer.append([0x03, 0, right, left])
    case .rumble2(let left, let right): writer.append([0x02, 0, right, left])
    case .haptics: writer.append([0, 0, 0, 0])
    }
    writer.pad(to: 39)
    if case .rumble2 = self { writer.u8(0x04) }
    writer.pad(to: DualSenseFacts.outputSize)
    return writer.bytes
  }
}
