/// Sony DualSense over USB, its HID interface; the voice coils' sound interface is ALSA's.
///
/// Facts are those of the public descriptions of its reports. Over USB reports carry no check sum; over
/// Bluetooth they end with a CRC-32, and since Bluetooth is not measured here that form is not written.
public enum DualSenseFacts {
  /// Sony.
  public static let vendor: UInt16 = 0x054c
  /// DualSense.
  public static let product: UInt16 = 0x0ce6
  /// DualSense Edge; polled at 1 kHz.
  public static let edgeProduct: UInt16 = 0x0df2
  /// Bytes of an input report, its number included.
  public static let inputSize = 64
  /// Bytes of an output report, its number included.
  public static let outputSize = 63
  /// The feature report with the calibration.
  public static let calibrationReport: UInt8 = 0x05
  /// Bytes of the calibration, its number included.
  public static let calibrationSize = 41
  /// The feature report with the firmware's versions.
  public static let firmwareReport: UInt8 = 0x20
  /// Bytes of the firmware's versions, their number included.
  public static let firmwareSize = 64
  /// How often rumble is given a new strength, in seconds: two reports of the host's.
  public static let rumbleInterval = 0.008
  /// Steps of the time stamp in a second: 1/3 us each.
  public static let tickRate = 3_000_000.0
  /// Steps of a g after calibration.
  public static let accelerationResolution = 8192.0
  /// Steps of a deg/s after calibration.
  public static let rotationResolution = 1024.0
}
