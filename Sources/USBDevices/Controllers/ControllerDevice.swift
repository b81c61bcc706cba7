import Devices

/// A game controller: takes tones, and reports by itself how it moves.
///
/// Noncopyable, for one thread. Reports come in while time passes (`rest`), and wait until they are taken. `begin`
/// drops what came before a take, `end` and `shutOff` take back what is on the bus.
protocol ControllerDevice: ToneDevice, ~Copyable {
  /// The rig, as errors name it.
  var rig: String { get }
  /// What the device is, as errors name it.
  var summary: String { get }
  /// Ticks of the sensor's counter in a second, nominal.
  var tickRate: Double { get }
  /// Where the sensor's scale ends, in m/s2.
  var range: Double { get }
  /// Whether the actuators may be driven: set before they are, cleared when the device took neutral.
  var mayDrive: Bool { get }

  /// Takes the reports that came.
  mutating func takeReports() -> [MotionReport]
}
