public import Perception

extension Intent {
  /// One instant of the intent over all events.
  public struct Moment: Sendable, Equatable {
    /// The strongest intensity of any event in force, transients' fall included, 0...1.
    public var intensity: Double
    /// The sharpness of that event, 0...1.
    public var sharpness: Double
  }

  /// The intent at evenly spaced times, for pictures and correlation.
  ///
  /// Cost: linear in columns plus the columns that each event touches.
  ///
  /// - Parameters:
  ///   - start: The first time in seconds of the pattern.
  ///   - step: The time between two columns in seconds.
  ///   - count: How many columns.
  /// - Returns: One moment a column; zero where no event is in force.
  public func moments(from start: Double, step: Double, count: Int) -> [Moment] {
    var moments = [Moment](repeating: Moment(intensity: 0, sharpness: 0), count: count)
    for event in timeline.events where event.kind.isHaptic {
      for column in columns(of: event, from: start, step: step, count: count) {
        let time = start + Double(column) * step
        // A short tap that falls between two columns still shows, at its first moment.
        let sampled = max(time, event.start)
        let level = intensity(of: event, at: sampled) * weight(of: event, at: sampled).squareRoot()
        guard level > moments[column].intensity else { continue }
        moments[column] = Moment(
          intensity: level, sharpness: sharpness(of: event, at: sampled))
      }
    }
    return moments
  }

  /// The peak acceleration in m/s2 that the intent asks for at evenly spaced times.
  ///
  /// Events in force together add as the energies of unlike tones do.
  ///
  /// - Parameters:
  ///   - target: The law from intensity to acceleration.
  ///   - start: The first time in seconds of the pattern.
  ///   - step: The time between two columns in seconds.
  ///   - count: How many columns.
  /// - Returns: One value a column.
  public func acceleration(
    _ target: IntensityTarget, from start: Double, step: Double, count: Int
  ) -> [Double] {
    var squares = [Double](repeating: 0, count: count)
    for event in timeline.events where event.kind.isHaptic {
      for column in columns(of: event, from: start, step: step, count: count) {
        let time = start + Double(column) * step
        guard time >= event.start else { continue }
        let level = target.acceleration(
          intensity: intensity(of: event, at: time), frequency: frequency(of: event, at: time))
        let value = level * weight(of: event, at: time)
        squares[column] += value * value
      }
    }
    return squares.map { $0.squareRoot() }
  }

  private func columns(
    of event: TimelineEvent, from start: Double, step: Double, count: Int
  ) -> Range<Int> {
    // Limited before they become whole: a time in a file may be beyond what an integer holds.
    let columns = Double(count)
    let first = Int(min(columns, max(0, ((event.start - start) / step).rounded(.down))))
    let last = Int(min(columns, max(0, ((event.end - start) / step).rounded(.up))))
    return first..<max(first, last)
  }
}
