// SPDX-License-Identifier: Apache-2.0

package import Devices
private import Glibc
package import SignalAnalysis
package import Units

package struct LatencyPlan: Sendable, Equatable {
  package var restarts: Int
  package var duration: Double

  /// Time between the starts of two sweeps in seconds, on average.
  package static let interval = 0.4
  /// How much later every second sweep begins, in seconds: a delay of a whole interval then shows as
  /// delays that scatter, and is not taken for none.
  static let stagger = 0.05
  /// The longest delay that is told, in seconds.
  static let longestDelay = interval - stagger - Sweep.marker.duration
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
    var mean = Estimate.mean(values)
    mean.uncertainty = max(mean.uncertainty, spread / Double(values.count).squareRoot())
    return mean
  }

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

struct LatencyAnalysis {
  /// A second copy at least this strong, beside the first, is a second path.
  private static let secondPathShare = 0.1
  /// Delays that scatter by more than this many frames are not those of one steady loop.
  private static let largestScatter = 2.0
  /// A second copy nearer than this many frames is not seen apart from the first: `EchoDetector` tells.
  private static let secondPathDistance = 8.0

  private let plan: LatencyPlan
  private let rate: SampleRate
  private let recording: Recording
  private let samples: [Float]
  private let estimator: DelayEstimator

  init(plan: LatencyPlan, rig: RigDescription, recording: Recording) throws(LatencyRefusal) {
    guard let reference = recording.channel(.reference) else { throw .noCaptureReference }
    self.plan = plan
    self.recording = recording
    rate = rig.drive.rate
    samples = Array(reference.samples)
    estimator = DelayEstimator(template: Sweep.marker.samples(at: rate))
  }

  private struct Found {
    let point: ClockLine.Point
    let estimate: DelayEstimate
    let arrival: Double
    /// The delay of a second copy after the first, in frames, and its strength beside it.
    let second: (distance: Double, share: Double)?
  }

  func stream() throws(LatencyRefusal) -> LatencyStream {
    let starts = plan.starts(at: rate)
    var found: [Found] = []
    var rejected: [String] = []
    var clipped = 0
    for start in starts {
      do throws(Rejection) {
        found.append(try sweep(at: start))
      } catch {
        clipped += error.isClipped ? 1 : 0
        rejected.append("frame \(start): \(error.reason)")
      }
    }
    guard clipped * 2 <= starts.count else {
      throw LatencyRefusal(
        "the reference input was clipped in \(clipped) of \(starts.count) sweeps: lower the level "
          + "between output and input")
    }
    if found.count < 3, let broken {
      throw LatencyRefusal(
        "the stream broke at frame \(broken) (an xrun), and only \(found.count) sweeps came before: "
          + "take a longer period, or see docs/REALTIME.md")
    }
    guard broken != nil || found.count * 2 > starts.count, found.count >= 3 else {
      throw silence(rejected)
    }
    let doubled = found.compactMap(\.second)
    if doubled.count * 2 > found.count {
      throw twoPaths(
        distance: Statistics.median(doubled.map(\.distance)),
        share: Statistics.median(doubled.map(\.share)))
    }
    let stream = try line(through: found, rejected: rejected)
    if let echo = nearEcho(found, drift: stream.drift.value) {
      throw twoPaths(distance: abs(echo.distance), share: abs(echo.share))
    }
    return stream
  }

  /// The first frame that an xrun touches: from there on the devices were started anew, and a delay is
  /// that of another start.
  private var broken: Int? { recording.firstBreak(from: 0) }

  private struct Rejection: Error {
    let reason: String
    var isClipped = false
  }

  private func sweep(at start: Int) throws(Rejection) -> Found {
    let first = max(0, start - rate.wholeFrames(0.005))
    let last = min(
      samples.count, start + estimator.template.count + rate.wholeFrames(LatencyPlan.longestDelay))
    guard last - first >= estimator.template.count else {
      throw Rejection(reason: "the recording ends before it")
    }
    let window = Array(samples[first..<last])
    let estimate: DelayEstimate
    do throws(DelayError) {
      estimate = try estimator.estimate(in: window)
    } catch {
      throw Rejection(reason: "\(error)")
    }
    let arrival = Double(first) + estimate.delay
    let covered = Int(arrival)..<(Int(arrival) + estimator.template.count)
    let delay = arrival - Double(start)
    if isClipped(covered) { throw Rejection(reason: "the input was clipped", isClipped: true) }
    if recording.touches(covered, delay: delay) {
      throw Rejection(reason: "frames were lost on it")
    }
    if let broken, covered.upperBound > broken {
      throw Rejection(reason: "the stream broke before it, at frame \(broken)")
    }
    return Found(
      point: ClockLine.Point(
        frame: Double(start) + estimator.centre, delay: delay, uncertainty: estimate.uncertainty),
      estimate: estimate, arrival: arrival, second: secondPath(window, estimate))
  }

  /// A device may clip without saying so: four equal samples at the extreme are no sweep.
  private func isClipped(_ frames: Range<Int>) -> Bool {
    if recording.captureEvents.contains(where: {
      $0.kind == .overload && $0.frames.overlaps(frames)
    }) {
      return true
    }
    let part = Array(samples[frames.clamped(to: samples.indices)])
    guard let highest = part.max(), let lowest = part.min(), highest > lowest else { return false }
    return [highest, lowest].contains { !Recording.runs(of: $0, in: part, atLeast: 4).isEmpty }
  }

  /// What is left when the sweep is taken out, looked at for the sweep once more.
  private func secondPath(
    _ window: [Float], _ first: DelayEstimate
  ) -> (distance: Double, share: Double)? {
    let residual = window.indices.map { index in
      window[index]
        - Float(first.gain * Sweep.marker.value(at: (Double(index) - first.delay) / rate.hertz))
    }
    guard let second = try? estimator.estimate(in: residual) else { return nil }
    let distance = abs(second.delay - first.delay)
    let share = abs(second.gain / first.gain)
    guard share >= Self.secondPathShare, distance >= Self.secondPathDistance else { return nil }
    return (distance, share)
  }

  /// A second path so near the first that only the spectrum of all sweeps together shows it.
  private func nearEcho(_ found: [Found], drift: Double) -> EchoDetector.Echo? {
    // On the capture's clock, which makes a sweep longer or shorter.
    let pace = 1 + 1e-6 * drift
    let sweep = estimator.template.indices.map {
      Sweep.marker.value(at: Double($0) / pace / rate.hertz)
    }
    return EchoDetector(template: sweep).echo(in: samples, arrivals: found.map(\.arrival))
  }

  private func twoPaths(distance: Double, share: Double) -> LatencyRefusal {
    LatencyRefusal(
      "the signal comes back by two paths, \(EngineeringFormat.fixed(distance, 1)) frames apart, "
        + "the second at \(Int((100 * share).rounded())) % of the first: take off monitoring, a "
        + "mixer's loop or the second cable")
  }

  private func line(
    through found: [Found], rejected: [String]
  ) throws(LatencyRefusal) -> LatencyStream {
    let line: ClockLine
    do throws(ClockLine.FitError) {
      line = try ClockLine(through: found.map(\.point))
    } catch {
      throw LatencyRefusal("\(error)")
    }
    let distances = found.map { $0.point.delay - line.delay(at: $0.point.frame).value }
    let squares = distances.reduce(0) { $0 + $1 * $1 }
    let scatter = (squares / Double(max(1, found.count - 2))).squareRoot()
    guard scatter <= Self.largestScatter, line.offset.value > -1 else {
      throw LatencyRefusal(
        "the sweeps' delays do not lie on a line (they scatter by "
          + "\(EngineeringFormat.significant(scatter)) frames): the loop's delay changes, or is longer "
          + "than \(EngineeringFormat.text(LatencyPlan.longestDelay, .second))")
    }
    return LatencyStream(
      delay: line.offset, drift: line.drift,
      scatter: scatter,
      cramerRaoBound: Statistics.median(found.map(\.estimate.cramerRaoBound)),
      signalToNoise: Statistics.median(found.map(\.estimate.signalToNoise)),
      gain: Statistics.median(found.map(\.estimate.gain)), sweepCount: found.count,
      rejected: rejected)
  }

  private func silence(_ rejected: [String]) -> LatencyRefusal {
    let mean = samples.reduce(0) { $0 + Double($1) } / Double(max(1, samples.count))
    let power = samples.reduce(0) { $0 + (Double($1) - mean) * (Double($1) - mean) }
    let level = (power / Double(max(1, samples.count))).squareRoot()
    return LatencyRefusal(
      "the sweeps were not found on the reference input, which hears "
        + "\(EngineeringFormat.significant(level)) V RMS: check the wire from the reference output "
        + "(\(rejected.first ?? "no sweep was sent"))")
  }
}
