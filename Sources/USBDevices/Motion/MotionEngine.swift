import Devices
import Synchronization
import Units

/// Takes an inertial sensor's reports into the capture's queue: one take after another.
///
/// Frame 0 is the instant of the start on the host's clock; the earliest of the first reports says which value of
/// the counter that was. From there on the sensor's own clock counts.
struct MotionEngine<Device: MotionDevice & ~Copyable>: TakeEngine, ~Copyable {
  /// Reports of which the earliest lays the sensor's clock on the host's.
  static var firstReports: Int { 8 }

  let rig: String
  let shared: TakeShared
  private(set) var isRunning = false

  private var device: Device
  /// The engine's ends of the queues; nothing is driven here.
  private let drive: SampleConsumer
  private let capture: SampleProducer
  private let rate: Double
  private let timeout: Double
  /// By channel of the port, the sensor's axis.
  private let axes: [Int]

  private var counter = CounterUnwrapper(bits: 32)
  private var first: EarliestArrival
  /// What came until the clock was laid.
  private var waiting: [(ticks: Int64, report: MotionReport)] = []
  private var track: MotionTrack?
  private var start: UInt64 = 0
  private var lastReport: UInt64 = 0
  /// Frames before the next that found no room and are still to be given as zeros.
  private var owed = 0
  /// The sensor's clock against the host's: one model for all takes of an opening.
  private var arrivals: EarliestArrival
  private var model: DeviceClockModel

  /// Takes a device that is open.
  init(
    _ device: consuming Device, rig: RigDescription, timeout: Double, shared: TakeShared,
    drive: consuming SampleConsumer, capture: consuming SampleProducer
  ) {
    let tickRate = device.tickRate
    first = EarliestArrival(blockSize: Self.firstReports, tickRate: tickRate)
    arrivals = EarliestArrival(tickRate: tickRate)
    model = DeviceClockModel(tickRate: tickRate)
    self.device = device
    self.rig = rig.name
    self.shared = shared
    self.drive = drive
    self.capture = capture
    self.timeout = timeout
    rate = rig.drive.rate.hertz
    axes = rig.capture.channels.map { $0.input - 1 }
  }

  var drives: Bool { false }

  var latency: (output: JitterHistogram, input: JitterHistogram) { device.latency }

  var polling: USBPolling { device.polling }

  var clockRate: StreamStatistics.ClockRate? { model.rate }

  /// Frame 0 is now.
  mutating func begin() throws(DeviceError) {
    try device.begin()
    first = EarliestArrival(blockSize: Self.firstReports, tickRate: device.tickRate)
    waiting = []
    track = nil
    owed = 0
    start = device.now
    lastReport = start
    isRunning = true
  }

  mutating func step(microseconds: Int) throws(DeviceError) {
    for report in try device.serve(microseconds: microseconds) { take(report) }
    payOwed()
    guard device.now <= lastReport + UInt64(timeout * 1e9) else {
      throw DeviceError(
        .stalled, device: rig,
        message:
          "\(device.summary) reported no motion for \(timeout) s: plug it in again, or allow "
          + "more time with 'timeout'")
    }
  }

  mutating func end() throws(DeviceError) { rest() }

  /// Drives nothing, so there is nothing to turn off.
  mutating func shutOff() -> Bool {
    rest()
    return true
  }

  mutating func drainDrive() { TakeShared.drain(drive) }

  private mutating func rest() {
    isRunning = false
    device.rest()
  }

  private mutating func take(_ report: MotionReport) {
    lastReport = report.nanoseconds
    let ticks = counter.unwrap(report.ticks)
    let seconds = Double(report.nanoseconds) * 1e-9
    if let arrival = arrivals.note(ticks: ticks, completed: seconds) {
      model.note(
        .report(completed: arrival.completed, ticks: arrival.ticks, polling: device.polling))
    }
    guard track != nil else {
      waiting.append((ticks, report))
      guard let earliest = first.note(ticks: ticks, completed: seconds) else { return }
      let passed = earliest.completed - Double(start) * 1e-9
      track = MotionTrack(
        rate: rate, tickRate: device.tickRate,
        start: Double(earliest.ticks) - passed * device.tickRate)
      for earlier in waiting { place(earlier.report, ticks: earlier.ticks) }
      waiting = []
      return
    }
    place(report, ticks: ticks)
  }

  private mutating func place(_ report: MotionReport, ticks: Int64) {
    guard
      let piece = track?.add(
        ticks: ticks, values: report.acceleration, isAfterLoss: report.isAfterLoss)
    else { return }
    let count = piece.values.count
    if piece.isLost { shared.captureEvents.note(.drop, frame: piece.first, length: count) }
    payOwed()
    guard owed == 0, capture.room >= count * axes.count else {
      if !piece.isLost { shared.captureEvents.note(.overrun, frame: piece.first, length: count) }
      owed += count
      return
    }
    let block = piece.values.flatMap { values in axes.map { Float(values[$0]) } }
    _ = capture.write(block.span)
    shared.clock.store(frame: piece.first + count, nanoseconds: report.nanoseconds)
  }

  private mutating func payOwed() {
    while owed > 0 {
      let count = min(owed, capture.room / axes.count, 512)
      guard count > 0 else { return }
      let zeros = [Float](repeating: 0, count: count * axes.count)
      _ = capture.write(zeros.span)
      owed -= count
    }
  }
}
