extension ContinuousLayer {
  /// What two times that are meant to be one may differ by, in seconds.
  private static let rounding = 1e-6

  /// Makes the layer begin at 0 and last to the last tap's end, if that is not over before it.
  mutating func lengthen(by taps: [ClipTap], length: Double) {
    if let last = taps.last, last.time > amplitude.last?.time ?? -1 {
      if let end = amplitude.last, end.value > 0 {
        amplitude.append(LinePoint(time: end.time, value: 0))
      }
      amplitude.append(LinePoint(time: last.time + length, value: 0))
    }
    guard let first = amplitude.first, first.time > 0 || amplitude.count == 1 else { return }
    var silence = [LinePoint(time: 0, value: 0)]
    if first.time > 0, first.value > 0 { silence.append(LinePoint(time: first.time, value: 0)) }
    amplitude = silence + amplitude
  }

  /// The amplitude with a point that stays at each tap.
  ///
  /// - Parameters:
  ///   - taps: The taps in the order of time, within the layer.
  ///   - undoesDucking: Whether the amplitude at a tap is raised to what it was before a conversion
  ///     lowered it there, and with it the lines to the points beside.
  /// - Returns: The points in the order of time.
  func amplitudePoints(for taps: [ClipTap], undoesDucking: Bool) -> [LinePoint] {
    // A ducked line must be raised along its whole length, so its inner points go first.
    var line = undoesDucking ? LineReduction.reduced(amplitude, tolerance: 1e-6) : amplitude
    line = Self.withPoints(at: taps, in: line)
    guard undoesDucking else { return line }
    let share = PatternsFromClip.ducking * PatternsFromClip.ducking
    for index in line.indices where line[index].isFixed {
      line[index].value = min(1, line[index].value / share)
    }
    return line
  }

  /// Adds a point for each tap, or takes the line's own that stands there but for rounding.
  private static func withPoints(at taps: [ClipTap], in line: [LinePoint]) -> [LinePoint] {
    var result: [LinePoint] = []
    result.reserveCapacity(line.count + taps.count)
    var remaining = taps[...]
    for (index, point) in line.enumerated() {
      while let tap = remaining.first, tap.time < point.time - rounding, let last = result.last {
        let share = (tap.time - last.time) / (point.time - last.time)
        result.append(
          LinePoint(
            time: tap.time, value: last.value + share * (point.value - last.value), isFixed: true))
        remaining.removeFirst()
      }
      var point = point
      let next = index + 1 < line.count ? line[index + 1].time : .infinity
      let last = result.last?.time ?? 0
      if let tap = remaining.first, abs(tap.time - point.time) <= rounding, next > point.time,
        last <= tap.time, tap.time < next
      {
        point.time = tap.time
        point.isFixed = true
        remaining.removeFirst()
      }
      result.append(point)
    }
    return result
  }
}
