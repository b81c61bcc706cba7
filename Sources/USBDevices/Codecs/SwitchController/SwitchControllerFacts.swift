/// Nintendo Switch Pro controller and Joy-Con.
///
/// Nothing here is from the maker: the facts are from the public notes dekuNukem/Nintendo_Switch_Reverse_Engineering
/// (bluetooth_hid_notes, rumble_data_table, spi_flash_notes, imu_sensor_notes, USB-HID-Notes), and from what the
/// kernel's driver for them says of its makers' trials (hid-nintendo).
public enum SwitchControllerFacts {
  /// Nintendo.
  public static let vendor: UInt16 = 0x057e
  /// The Pro controller, over USB.
  public static let proController: UInt16 = 0x2009
  /// The left Joy-Con, over Bluetooth or the grip.
  public static let leftJoyCon: UInt16 = 0x2006
  /// The right Joy-Con; its y and z axes point the other way.
  public static let rightJoyCon: UInt16 = 0x2007
  /// The charging grip: two Joy-Cons over USB.
  public static let chargingGrip: UInt16 = 0x200e

  /// A new rumble pattern is taken about so often, in seconds.
  public static let updateInterval = 0.015
  /// Bytes of a report over USB, either way.
  public static let reportSize = 64
  /// Steps of the counter in a second: one a sample, three a full report.
  ///
  /// So public programs read it (BetterJoy takes a step of more than three for lost samples); the kernel's driver says
  /// that its rate is not entirely clear, and counts reports by the host's time.
  public static let tickRate = 200.0
  /// Samples of the inertial sensor in a full report, oldest first.
  public static let samplesPerReport = 3
  /// Where the factory's calibration of the inertial sensor lies in the flash memory.
  public static let factoryCalibration: UInt32 = 0x6020
  /// Where the user's lies, after two bytes that say whether there is one.
  public static let userCalibration: UInt32 = 0x8026
  /// The two bytes where there is one.
  public static let userCalibrationMark: [UInt8] = [0xb2, 0xa1]
  /// Bytes of either calibration.
  public static let calibrationSize = 24
}
