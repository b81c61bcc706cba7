import SignalAnalysis

/// Capture frame minus drive frame along a take: a line, or one for each stretch between starts.
enum ElectricalDelay {
  case line(ClockLine)
  case stepped(SteppedClockLine, TakeStretches)

  /// The delay at drive frame 0, in frames.
  var offset: Estimate {
    switch self {
    case .line(let line): line.offset
    case .stepped(let line, _): line.delay(at: 0, stretch: 0)
    }
  }

  /// How much faster the capture counts than the drive, in parts per million.
  var drift: Estimate {
    switch self {
    case .line(let line): line.drift
    case .stepped(let line, _): line.drift
    }
  }

  /// The delay at a drive frame, in frames.
  func delay(at frame: Double) -> Estimate {
    switch self {
    case .line(let line): line.delay(at: frame)
    case .stepped(let line, let stretches):
      line.delay(at: frame, stretch: stretches.index(at: frame))
    }
  }
}
