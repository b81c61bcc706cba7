import SignalAnalysis

extension CalibrationProcedure {
  /// The small-signal sweep after somebody mounted the actuator again.
  mutating func acceptRemount(
    _ capture: Capture, _ plan: SweepPlan, _ segment: CalibrationSegment, index: Int
  ) throws(CalibrationRefusal) -> SegmentVerdict {
    switch closingReading(capture, plan, segment) {
    case .failure(let failure): return try closingFailed(failure, segment)
    case .success(let reading):
      if isShaken(reading) { return .again(because: shaken(reading)) }
      try checkMounting(reading)
      knowledge.remounts.append(reading)
      stage = index + 1 < subject.remounts ? .remount(index + 1) : .finished
      return .accepted
    }
  }

  /// Mounted again it must still be the same actuator, and hold.
  private func checkMounting(_ reading: SweepReading) throws(CalibrationRefusal) {
    guard let before = knowledge.closing?.mode else { return }
    let frequency = reading.mode.frequency.value / before.frequency.value - 1
    let gain = reading.mode.gain.value / before.gain.value - 1
    guard abs(frequency) > 0.03 || abs(gain) > 0.2 else { return }
    throw CalibrationRefusal(
      .actuatorRemounted,
      "mounted again the resonance differs by \(text(100 * frequency)) % and the gain by "
        + "\(text(100 * gain)) %: this is another actuator, or it or the sensor does not sit as before"
    )
  }
}
