// SPDX-License-Identifier: Apache-2.0

import DeviceStreams
import Devices
import Units

struct MotionReport: Sendable {
  /// The sensor's counter at the newest sample, without wraps.
  var ticks: Int64
  /// Ticks from one sample to the next.
  var spacing: Int64 = 0
  /// Oldest first, m/s2 along x, y and z.
  var samples: [[Double]]
  var isAfterLoss: Bool
  /// The host's clock when its transfer ended, in nanoseconds.
  var nanoseconds: UInt64
}

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

  var clockRate: StreamStatistics.ClockRate? { model.rate }

  /// Ticks a second that were observed, where they are for certain more than a tenth from the nominal ones: the counter
  /// counts something else.
  private(set) var foreignRate: Double?

  /// How surely, in seconds, frame 0 lies where it was meant to: the standard deviation of a wait for the bus,
  /// and for the next tick.
  var startUncertainty: Double { (polling.longest + 1 / tickRate) / 12.0.squareRoot() }

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

/// Reports of an inertial sensor as frames at a rig's rate, on the sensor's own clock.
///
/// Frames lie on straight lines between one report and the next, so they come when the later one is
/// there. Nothing above half the reports' rate is in them, whatever the rig's rate is. Where reports were lost the
/// frames are zeros.
struct MotionTrack: Sendable {
  struct Piece: Sendable, Equatable {
    var first: Int
    var values: [[Double]]
    var isLost: Bool
  }

  private let framesPerTick: Double
  /// The counter at frame 0, and the report before.
  private let start: Double
  private var last: (frame: Double, values: [Double])?
  private(set) var next = 0

  init(rate: Double, tickRate: Double, start: Double) {
    framesPerTick = rate / tickRate
    self.start = start
  }

  /// Takes a report, and gives the frames up to it.
  ///
  /// A report that is not after the one before says nothing new.
  mutating func add(ticks: Int64, values: [Double], isAfterLoss: Bool) -> Piece? {
    let frame = (Double(ticks) - start) * framesPerTick
    if let last, frame <= last.frame { return nil }
    defer { last = (frame, values) }
    let end = Int(frame.rounded(.down)) + 1
    guard end > next else { return nil }
    var piece = Piece(first: next, values: [], isLost: isAfterLoss && last != nil)
    piece.values.reserveCapacity(end - next)
    for index in next..<end {
      guard !piece.isLost else {
        piece.values.append([Double](repeating: 0, count: values.count))
        continue
      }
      // Before the first report there is nothing to draw a line from: it is held.
      let share = last.map { (Double(index) - $0.frame) / (frame - $0.frame) } ?? 1
      let before = last?.values ?? values
      piece.values.append(zip(before, values).map { $0 + share * ($1 - $0) })
    }
    next = end
    return piece
  }
}
