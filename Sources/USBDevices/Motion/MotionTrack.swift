/// Reports of an inertial sensor as frames at a rig's rate, on the sensor's own clock.
///
/// Frames lie on straight lines between one report and the next, so they come when the later one is
/// there. Nothing above half the reports' rate is in them, whatever the rig's rate is. Where reports were lost the
/// frames are zeros.
struct MotionTrack: Sendable {
  /// Some frames in a row.
  struct Piece: Sendable, Equatable {
    /// The first frame.
    var first: Int
    /// By frame, the values of every axis.
    var values: [[Double]]
    /// Whether a report was lost there.
    var isLost: Bool
  }

  /// Frames a tick.
  private let framesPerTick: Double
  /// The counter at frame 0, and the report before.
  private let start: Double
  private var last: (frame: Double, values: [Double])?
  /// The next frame to come.
  private(set) var next = 0

  /// Makes a track whose frame 0 is at a value of the counter, which has no wraps.
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
