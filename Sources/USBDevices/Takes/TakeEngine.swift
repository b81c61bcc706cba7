import Devices
import Synchronization

/// What moves frames between queues and a device over USB: one take after another.
///
/// For one thread. `step` does what can be done and waits at most as long as it is told; whatever goes wrong
/// is thrown, and `shutOff` then brings the output to zero.
protocol TakeEngine: ~Copyable, SendableMetatype {
  /// The rig, as errors name it.
  var rig: String { get }
  /// Whether frames of drive are taken.
  var drives: Bool { get }
  /// What the engine shares with the ports.
  var shared: TakeShared { get }
  /// Whether a take goes on.
  var isRunning: Bool { get }
  /// The times of transfers from submit to completion.
  var latency: (output: JitterHistogram, input: JitterHistogram) { get }
  /// How often the host asks the device.
  var polling: USBPolling { get }
  /// The device's clock against the host's, as far as it was followed; `nil` where the host's is the device's.
  var clockRate: StreamStatistics.ClockRate? { get }
  /// How the capture's frame 0 was laid on the drive's where each has a clock of its own, the drive the host's;
  /// `nil` for one clock.
  var start: StreamStatistics.Start? { get }
  /// What the device says of itself; `nil` where it says nothing.
  var statement: StreamStatistics.Statement? { get }

  /// Starts a take.
  mutating func begin() throws(DeviceError)

  /// Does what can be done now, then waits at most so long.
  mutating func step(microseconds: Int) throws(DeviceError)

  /// Ends the take: zero at once.
  mutating func end() throws(DeviceError)

  /// Brings the output to zero after a fault; true where the device took it.
  mutating func shutOff() -> Bool

  /// Drops what waits in the drive's queue.
  mutating func drainDrive()
}

extension TakeEngine where Self: ~Copyable {
  var start: StreamStatistics.Start? { nil }
  var statement: StreamStatistics.Statement? { nil }
}

/// The two halves of a rig on one device.
enum TakeHalf: Sendable {
  case drive
  case sensors
}

/// A device's takes as its ports see them.
protocol TakeService: AnyObject, Sendable {
  /// The rig, as errors name it.
  var rig: String { get }
  /// Whether frames of drive are taken.
  var drives: Bool { get }
  /// What the ports share with the engine.
  var shared: TakeShared { get }

  /// Joins a half to the take, and makes a new one ready where it was in the latest already.
  func start(_ half: TakeHalf) throws(DeviceError)

  /// Whether a half is between its start and its stop.
  func isRunning(_ half: TakeHalf) -> Bool

  /// Takes a half out, and ends the take with the last one.
  func stop(_ half: TakeHalf)

  /// Starts the device, once a take.
  func begin() throws(DeviceError)

  /// Lets time pass until something happens.
  func wait() throws(DeviceError)

  /// Has another device on the same virtual bus served whenever this one waits.
  func accompany(_ other: any TakeService)

  /// Does what can be done at this moment, without waiting; a fault is kept for whoever uses the device.
  func keepUp()

  /// The device's clock against the host's, since it was opened; `nil` where it is not known.
  var clockRate: StreamStatistics.ClockRate? { get }

  /// How the stream went, after its end.
  func statistics() -> StreamStatistics?
}

extension TakeService {
  /// The error of a call outside start and stop.
  func notStarted(_ call: String) -> DeviceError {
    DeviceError(.refused, device: rig, message: "\(call) was called before start")
  }

  /// Counts frames that another device drives.
  func advance(frames: Int) { shared.sent.add(frames, ordering: .releasing) }
}
