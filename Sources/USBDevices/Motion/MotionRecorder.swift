import Devices
import Units

/// Puts an inertial sensor's reports into the capture's queue: one take after another.
///
/// Frame 0 is the instant of the start on the host's clock; the earliest of the first reports says which value of
/// the counter that was. From there on the sensor's own clock counts.
struct MotionRecorder: ~Copyable {
  /// Reports of which the earliest lays the sensor's clock on the host's.
  static let firstReports = 8

  private let shared: TakeShared
  private var capture: CaptureWriter
  private let rate: Double
  private let tickRate: Double
  private let polling: USBPolling
  /// By channel of the port, the sensor's axis.
  private let axes: [Int]

  private var first: EarliestArrival
  /// What came until the clock was laid.
  private var waiting: [MotionReport] = []
  private var track: MotionTrack?
  /// The host's clock at frame 0, in nanoseconds.
  private var start: UInt64 = 0
  /// The sensor's clock against the host's, a model for each take: nobody follows the counter between two.
  private var arrivals: EarliestArrival
  private var model: DeviceClockModel

  /// Makes a recorder for a sensor whose counter has so many ticks a second.
  init(
    _ rig: RigDescription, tickRate: Double, polling: USBPolling, shared: TakeShared,
    capture: consuming CaptureWriter
  ) {
    first = EarliestArrival(blockSize: Self.firstReports, tickRate: tickRate)
    arrivals = EarliestArrival(tickRate: tickRate)
    model = DeviceClockModel(tickRate: tickRate)
    self.tickRate = tickRate
    self.polling = polling
    self.shared = shared
    rate = rig.drive.rate.hertz
    axes = rig.capture.channels.map { $0.input - 1 }
    self.capture = capture
  }

  /// The sensor's clock against the host's in the latest take.
  var clockRate: StreamStatistics.ClockRate? { model.rate }

  /// Ticks a second that were observed, where they are for certain more than a tenth from the nominal ones: the counter
  /// counts something else.
  private(set) var foreignRate: Double?

  /// How surely, in seconds, frame 0 lies where it was meant to: the standard deviation of a wait for the bus,
  /// and for the next tick.
  var startUncertainty: Double { (polling.longest + 1 / tickRate) / 12.0.squareRoot() }

  /// Begins a take whose frame 0 is at a time of the host.
  mutating func begin(at start: UInt64) {
    first = EarliestArrival(blockSize: Self.firstReports, tickRate: tickRate)
    arrivals = EarliestArrival(tickRate: tickRate)
    model = DeviceClockModel(tickRate: tickRate)
    foreignRate = nil
    waiting = []
    track = nil
    capture.reset()
    self.start = start
  }

  /// Takes a report, and gives the frames that lie before it.
  mutating func take(_ report: MotionReport) {
    let seconds = Double(report.nanoseconds) * 1e-9
    if let arrival = arrivals.note(ticks: report.ticks, completed: seconds) {
      model.note(.report(completed: arrival.completed, ticks: arrival.ticks, polling: polling))
      if let rate = model.rate, abs(rate.ppm) - 1.74 * rate.uncertainty > 1e5 {
        foreignRate = tickRate * (1 + rate.ppm * 1e-6)
      }
    }
    guard track == nil else {
      place(report)
      return
    }
    waiting.append(report)
    guard let earliest = first.note(ticks: report.ticks, completed: seconds) else { return }
    let passed = earliest.completed - Double(start) * 1e-9
    track = MotionTrack(
      rate: rate, tickRate: tickRate, start: Double(earliest.ticks) - passed * tickRate)
    for earlier in waiting { place(earlier) }
    waiting = []
  }

  /// Gives zeros for frames that found no room, as far as there is room now.
  mutating func flush() { capture.flush() }

  private mutating func place(_ report: MotionReport) {
    let oldest = report.ticks - report.spacing * Int64(report.samples.count - 1)
    for (index, sample) in report.samples.enumerated() {
      let piece = track?.add(
        ticks: oldest + report.spacing * Int64(index), values: sample,
        isAfterLoss: report.isAfterLoss && index == 0)
      if let piece { write(piece, at: report.nanoseconds) }
    }
  }

  private mutating func write(_ piece: MotionTrack.Piece, at nanoseconds: UInt64) {
    let count = piece.values.count
    if piece.isLost { capture.note(.drop, frame: piece.first, length: count) }
    let block = piece.values.flatMap { values in axes.map { Float(values[$0]) } }
    guard capture.write(block.span) else {
      if !piece.isLost { capture.note(.overrun, frame: piece.first, length: count) }
      return
    }
    shared.clock.store(frame: piece.first + count, nanoseconds: nanoseconds)
  }
}
