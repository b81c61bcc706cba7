import Devices

/// One report of an inertial sensor.
struct MotionReport: Sendable {
  /// The sensor's counter.
  var ticks: UInt32
  /// m/s2 along x, y and z.
  var acceleration: [Double]
  /// Whether reports before it were lost.
  var isAfterLoss: Bool
  /// The host's clock when its transfer ended, in nanoseconds.
  var nanoseconds: UInt64
}

/// A device that reports motion by itself, with a counter of its own.
///
/// Noncopyable, for one thread.
protocol MotionDevice: ~Copyable, SendableMetatype {
  /// Ticks of its counter in a second, nominal; it has 32 bits.
  var tickRate: Double { get }
  /// Where the sensor's scale ends, in m/s2.
  var range: Double { get }
  /// How a report waits for the bus.
  var polling: USBPolling { get }
  /// What the device is, as errors name it.
  var summary: String { get }
  /// The host's clock, in nanoseconds.
  var now: UInt64 { get }
  /// The times of transfers from submit to completion.
  var latency: (output: JitterHistogram, input: JitterHistogram) { get }

  /// Makes ready for a take: what came before it is dropped.
  mutating func begin() throws(DeviceError)

  /// Waits for reports at most so long, and gives what came.
  mutating func serve(microseconds: Int) throws(DeviceError) -> [MotionReport]

  /// Takes back what is on the bus.
  mutating func rest()
}
