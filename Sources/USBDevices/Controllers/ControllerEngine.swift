import Devices
import Synchronization

/// Plays tones on a controller and records how it moves, or one of the two: one take after another.
///
/// The drive is on the host's clock, the motion on the sensor's own, laid on the host's.
struct ControllerEngine<Device: ControllerDevice & ~Copyable>: TakeEngine, ~Copyable {
  let rig: String
  let drives: Bool
  let shared: TakeShared
  private(set) var isRunning = false

  private var device: Device
  private var player: TonePlayer
  private var recorder: MotionRecorder
  private let senses: Bool
  private let timeout: Double
  private var lastReport: UInt64 = 0

  /// Takes a controller that is open and at rest.
  init(
    _ device: consuming Device, halves: BoardRig.Halves, timeout: Double, shared: TakeShared,
    player: consuming TonePlayer, recorder: consuming MotionRecorder
  ) {
    rig = device.rig
    self.device = device
    self.shared = shared
    self.player = player
    self.recorder = recorder
    self.timeout = timeout
    drives = halves.contains(.drive)
    senses = halves.contains(.sensors)
  }

  var latency: (output: JitterHistogram, input: JitterHistogram) { device.latency }

  var polling: USBPolling { device.polling }

  var clockRate: StreamStatistics.ClockRate? { recorder.clockRate }

  var start: StreamStatistics.Start? {
    .unlinked(
      offset: 0, uncertainty: recorder.startUncertainty,
      reason: "the sensor's samples were laid on the drive by when the earliest of them came")
  }

  /// Frame 0 of both halves is now.
  mutating func begin() throws(DeviceError) {
    try device.begin()
    let now = device.now
    player.begin(at: now)
    recorder.begin(at: now)
    lastReport = now
    isRunning = true
  }

  mutating func step(microseconds: Int) throws(DeviceError) {
    do throws(DeviceError) {
      if drives {
        try player.step(&device, microseconds: microseconds)
      } else {
        try device.rest(microseconds: microseconds)
      }
    } catch {
      guard error.code == .unplugged, device.mayDrive else { throw error }
      throw DeviceError(
        error.code, device: error.device,
        message: error.message
          + "; it has a battery: switch it off where it goes on without the cable")
    }
    let reports = device.takeReports()
    guard senses else { return }
    for report in reports {
      lastReport = report.nanoseconds
      recorder.take(report)
    }
    recorder.payOwed()
    if let rate = recorder.foreignRate {
      throw DeviceError(
        .garbled, device: rig,
        message:
          "the counter of \(device.summary) makes \(Int(rate.rounded())) steps a second where "
          + "\(Int(device.tickRate)) were expected: its motion has no time that is known, let another "
          + "device capture")
    }
    guard device.now <= lastReport + UInt64(timeout * 1e9) else {
      throw DeviceError(
        .stalled, device: rig,
        message:
          "\(device.summary) reported no motion for \(timeout) s: plug it in again, or allow "
          + "more time with 'timeout'")
    }
  }

  /// Ends the take: the actuators are at rest.
  mutating func end() throws(DeviceError) {
    guard isRunning else { return }
    isRunning = false
    drainDrive()
    try device.end()
  }

  mutating func shutOff() -> Bool {
    isRunning = false
    drainDrive()
    return device.shutOff()
  }

  mutating func drainDrive() { player.drain() }
}
