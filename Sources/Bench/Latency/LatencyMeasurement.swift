package import Devices
package import SignalAnalysis
package import Units

package struct LatencyPlan: Sendable, Equatable {
  package var restarts: Int
  /// The length of one stream in seconds.
  package var duration: Double

  /// Time between the starts of two sweeps in seconds, on average.
  package static let interval = 0.4
  /// How much later every second sweep begins, in seconds: a delay of a whole interval then shows as
  /// delays that scatter, and is not taken for none.
  static let stagger = 0.05
  /// The longest delay that is told, in seconds.
  static let longestDelay = interval - stagger - Sweep.marker.duration
  /// Silence before the first sweep in seconds.
  package static let lead = 0.1

  package init(restarts: Int = 5, duration: Double = 10) {
    self.restarts = max(1, restarts)
    self.duration = max(duration, Self.lead + 3 * Self.interval)
  }

  func starts(at rate: SampleRate) -> [Int] {
    let count = Int(((duration - Self.lead) / Self.interval).rounded(.down))
    return (0..<count).map { index in
      let time = Self.lead + Double(index) * Self.interval + Double(index % 2) * Self.stagger
      return Int(rate.frames(time).rounded())
    }
  }

  func drive(for rig: RigDescription) -> DriveFrames {
    let rate = rig.drive.rate
    let count = rate.wholeFrames(duration + Self.interval)
    let sweep = Sweep.marker.samples(at: rate)
    var reference = [Float](repeating: 0, count: count)
    for start in starts(at: rate) {
      reference.place(sweep, at: start)
    }
    return DriveFrames(channels: [.reference: reference], count: count, rate: rate)
  }
}

/// The electrical loop in one stream, from a start of the devices to their stop.
package struct LatencyStream: Sendable, Equatable {
  /// The delay at drive frame 0, in frames.
  package let delay: Estimate
  /// How much faster the capture counts than the drive, in ppm.
  package let drift: Estimate
  /// The standard deviation of single sweeps about the line, in frames.
  package let scatter: Double
  /// The smallest standard deviation of one sweep that white noise of the residual's power allows, in
  /// frames.
  package let cramerRaoBound: Double
  /// Sweep over residual, over the full band, in dB: the median.
  package let signalToNoise: Double
  /// What a drive of 1 comes back as.
  package let gain: Double
  package let sweepCount: Int
  package let rejected: [String]
}

package struct LatencyRefusal: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }

  static let noCaptureReference = LatencyRefusal(
    "the rig's capture has no reference channel: wire one and name it")
}

/// The electrical loop of a rig: drive to capture by the reference wire, over several streams.
package struct LatencyMeasurement: Sendable, Equatable {
  package let rate: SampleRate
  package let streams: [LatencyStream]

  init(rate: SampleRate, streams: [LatencyStream]) {
    precondition(!streams.isEmpty, "a measurement needs a stream")
    self.rate = rate
    self.streams = streams
  }

  /// The delay at drive frame 0 in frames: the mean of the streams.
  ///
  /// Its standard uncertainty is the larger of what the streams scatter and what each is known to.
  package var delay: Estimate {
    Self.mean(streams.map(\.delay), spread: restartSpread ?? 0)
  }

  /// How much faster the capture counts than the drive, in ppm: the mean of the streams.
  package var drift: Estimate {
    let drifts = streams.map(\.drift)
    let spread = Statistics.moments(drifts.map(\.value)).sigma
    return Self.mean(drifts, spread: spread)
  }

  /// The standard deviation of single sweeps about their stream's line, in frames.
  package var withinSpread: Double {
    let freedom = streams.reduce(0) { $0 + max(0, $1.sweepCount - 2) }
    let squares = streams.reduce(0) {
      $0 + Double(max(0, $1.sweepCount - 2)) * $1.scatter * $1.scatter
    }
    return (squares / Double(max(1, freedom))).squareRoot()
  }

  /// The standard deviation from restart to restart, in frames; `nil` for one stream.
  package var restartSpread: Double? {
    guard streams.count > 1 else { return nil }
    return Statistics.moments(streams.map(\.delay.value)).sigma
  }

  /// The Cramer-Rao bound of one sweep, in frames: the median of the streams.
  package var cramerRaoBound: Double { Statistics.median(streams.map(\.cramerRaoBound)) }

  private static func mean(_ values: [Estimate], spread: Double) -> Estimate {
    let count = Double(values.count)
    let own = values.reduce(0) { $0 + $1.uncertainty * $1.uncertainty }.squareRoot() / count
    return Estimate(
      values.reduce(0) { $0 + $1.value } / count, uncertainty: max(own, spread / count.squareRoot())
    )
  }
}

extension LatencyMeasurement {
  package static func measure(
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
      streams.append(try LatencyAnalysis(plan: plan, rig: rig, recording: recording).stream())
    }
    return LatencyMeasurement(rate: rig.drive.rate, streams: streams)
  }
}
