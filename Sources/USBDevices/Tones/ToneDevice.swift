import DeviceStreams
import Devices

/// A device that takes tones: an amplitude and a frequency, held until the next.
///
/// Noncopyable, for one thread. Every call ends in bounded time whatever the device does. After a call that throws
/// `shutOff` brings the output to zero, where the fault leaves the device reachable.
protocol ToneDevice: ~Copyable, SendableMetatype {
  /// The host's clock, in nanoseconds.
  var now: UInt64 { get }
  /// The times of transfers from submit to completion.
  var latency: (output: JitterHistogram, input: JitterHistogram) { get }
  /// How an answer waits for the bus.
  var polling: USBPolling { get }

  /// Makes the output ready, at zero.
  mutating func begin() throws(DeviceError)

  /// Drives a tone from now on.
  mutating func play(_ tone: DriveTone) throws(DeviceError)

  /// Lets so much time pass.
  mutating func rest(microseconds: Int) throws(DeviceError)

  /// Ends the drive: the output is off.
  mutating func end() throws(DeviceError)

  /// Brings the output to zero after a fault; true where the device took it.
  mutating func shutOff() -> Bool
}

extension DriveTone {
  /// No drive.
  static let silent = DriveTone(frequency: 0, amplitude: 0)
}
