import Devices

/// The faults of a simulation by the frames they touch, counted over all takes since it was opened.
struct FaultScript: Sendable {
  private let faults: [(kind: SimulationDescription.Fault.Kind, frames: Range<Int>)]

  /// Places faults on the frames of a rate.
  init(_ faults: [SimulationDescription.Fault], rate: Double) {
    self.faults = faults.map { fault in
      let first = Self.frame(fault.time, rate: rate)
      let end = fault.duration.map { Self.frame(fault.time + $0, rate: rate) } ?? Int.max
      return (fault.kind, first..<max(first, end))
    }
  }

  /// True where nothing ever goes wrong.
  var isEmpty: Bool { faults.isEmpty }

  /// The parts of a range of frames where one kind of fault holds; empty for almost every range.
  func windows(
    of kind: SimulationDescription.Fault.Kind, in range: Range<Int>
  ) -> [Range<Int>] {
    guard !faults.isEmpty else { return [] }
    return faults.lazy.filter { $0.kind == kind && $0.frames.overlaps(range) }
      .map { $0.frames.clamped(to: range) }
  }

  /// The frame from which the device is gone, if it goes.
  var unplugged: Int? {
    faults.lazy.filter { $0.kind == .unplug }.map(\.frames.lowerBound).min()
  }

  /// The frame of a time, far beyond any run where the time is.
  private static func frame(_ time: Double, rate: Double) -> Int {
    Int(min(max(0, (time * rate).rounded()), 0x1p52))
  }
}
