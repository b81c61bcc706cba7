public import Devices
public import SignalAnalysis
public import Units

/// The electrical loop of a rig: drive to capture by the reference wire, over several streams.
public struct LatencyMeasurement: Sendable, Equatable {
  /// Frames a second.
  public let rate: SampleRate
  /// Each stream, in the order played.
  public let streams: [LatencyStream]

  /// Makes a measurement of one stream or more.
  init(rate: SampleRate, streams: [LatencyStream]) {
    precondition(!streams.isEmpty, "a measurement needs a stream")
    self.rate = rate
    self.streams = streams
  }

  /// The delay at drive frame 0 in frames: the mean of the streams.
  ///
  /// Its standard uncertainty is the larger of what the streams scatter and what each is known to.
  public var delay: Estimate {
    Self.mean(streams.map(\.delay), spread: restartSpread ?? 0)
  }

  /// How much faster the capture counts than the drive, in ppm: the mean of the streams.
  public var drift: Estimate {
    let drifts = streams.map(\.drift)
    let spread = Statistics.moments(drifts.map(\.value)).sigma
    return Self.mean(drifts, spread: spread)
  }

  /// The standard deviation of single sweeps about their stream's line, in frames.
  public var withinSpread: Double {
    let freedom = streams.reduce(0) { $0 + max(0, $1.sweepCount - 2) }
    let squares = streams.reduce(0) {
      $0 + Double(max(0, $1.sweepCount - 2)) * $1.scatter * $1.scatter
    }
    return (squares / Double(max(1, freedom))).squareRoot()
  }

  /// The standard deviation from restart to restart, in frames; `nil` for one stream.
  public var restartSpread: Double? {
    guard streams.count > 1 else { return nil }
    return Statistics.moments(streams.map(\.delay.value)).sigma
  }

  /// The Cramer-Rao bound of one sweep, in frames: the median of the streams.
  public var cramerRaoBound: Double { Statistics.median(streams.map(\.cramerRaoBound)) }

  private static func mean(_ values: [Estimate], spread: Double) -> Estimate {
    let count = Double(values.count)
    let own = values.reduce(0) { $0 + $1.uncertainty * $1.uncertainty }.squareRoot() / count
    return Estimate(
      values.reduce(0) { $0 + $1.value } / count, uncertainty: max(own, spread / count.squareRoot())
    )
  }
}

extension LatencyMeasurement {
  /// Plays a plan on a session and measures; refuses to give a number that it does not trust.
  ///
  /// - Parameters:
  ///   - plan: How many streams, how long.
  ///   - rig: How the devices are wired.
  ///   - session: The owner of the open devices.
  ///   - progress: Called with the share 0...1 that was played.
  /// - Returns: The measurement.
  /// - Throws: ``LatencyRefusal``, or the `DeviceError` that ended a stream.
  public static func measure(
    _ plan: LatencyPlan, on rig: RigDescription, session: Session,
    progress: @escaping @Sendable (Double) -> Void = { _ in }
  ) async throws -> LatencyMeasurement {
    guard rig.drive.channels[.reference] != nil else {
      throw LatencyRefusal(
        "the rig's drive has no reference channel: wire an output back to an input and name both")
    }
    guard rig.capture.channel(.reference) != nil else {
      throw LatencyRefusal.noCaptureReference
    }
    let drive = plan.drive(for: rig)
    var streams: [LatencyStream] = []
    for number in 0..<plan.restarts {
      let recording = await session.play(drive) {
        progress((Double(number) + $0) / Double(plan.restarts))
      }
      if let fault = recording.fault { throw fault }
      streams.append(
        try LatencyAnalysis(plan: plan, rig: rig, recording: recording).stream())
    }
    return LatencyMeasurement(rate: rig.drive.rate, streams: streams)
  }
}
