import DeviceStreams
import Devices

/// Where a sensor's own samples come from: a serial port, a buffer of the kernel.
protocol SampleSource: AnyObject, Sendable {
  /// Whether the source is its own time, which goes on as it is read; else a thread listens to it.
  var isVirtual: Bool { get }
  /// The host's raw monotonic clock, or a virtual source's own, in nanoseconds.
  var now: UInt64 { get }

  /// What of it waits from before is thrown away; the next sample is a fresh one.
  func restart() throws(DeviceError)

  /// No more samples are wanted until `restart`; any thread, and it may be called again.
  func stop()

  /// Waits at most so long and gives what was found; one thread at a time.
  ///
  /// - Returns: Nothing where nothing came.
  /// - Throws: `unplugged` where it is gone.
  func read(milliseconds: Int32) throws(DeviceError) -> [SensorEvent]
}

extension SampleSource {
  var isVirtual: Bool { false }

  var now: UInt64 { hostNanoseconds() }

  /// Nothing: most sensors send whether anybody listens or not.
  func stop() {}
}
