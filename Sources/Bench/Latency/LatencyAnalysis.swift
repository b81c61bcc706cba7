import Devices
private import Glibc
import SignalAnalysis
import Units

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
    /// The frame of the recording at which the sweep begins.
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
