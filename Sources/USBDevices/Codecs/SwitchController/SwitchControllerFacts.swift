/// Nintendo Switch Pro controller and Joy-Con.
///
/// Nothing here is from the maker: the facts are from the public notes dekuNukem/Nintendo_Switch_Reverse_Engineering
/// (bluetooth_hid_notes, rumble_data_table, spi_flash_notes, imu_sensor_notes, USB-HID-Notes).
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
  /// Samples of the inertial sensor in a full report, oldest first.
  public static let samplesPerReport = 3
  /// Seconds between two samples.
  public static let sampleInterval = 0.005
  /// Where the factory's calibration of the inertial sensor lies in the flash memory.
  public static let factoryCalibration: UInt32 = 0x6020
  /// Where the user's lies, two magic bytes before it.
  public static let userCalibration: UInt32 = 0x8026
  /// Bytes of either calibration.
  public static let calibrationSize = 24
}
