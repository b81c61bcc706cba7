import Devices
import SignalAnalysis
import Units

/// Finds the markers of the reference channel in a recording.
struct MarkerSearch {
  /// Where each marker that was found stands, and how late it came.
  private(set) var points: [ClockLine.Point] = []
  /// What a drive of 1 came back as: the mean of the markers found, `nil` where none was.
  var gain: Double? { gains.isEmpty ? nil : gains.reduce(0, +) / Double(gains.count) }
  /// Why a marker was not found.
  private(set) var reasons: [String] = []
  private var gains: [Double] = []
  /// The square of the least standard uncertainty of a marker's delay, in frames.
  private static let finest = 0.003 * 0.003

  /// Looks for a marker behind each of the drive frames at which one was sent.
  ///
  /// Markers stand in silence but for the haptic copy: a window about them holds nothing else. With a known
  /// drift in ppm they are looked for as a clock sees them that runs so much faster, and their delay is
  /// that of their first frame; else that of the frame where the energy of their slope is centred.
  init(
    starts: [Int], in samples: Samples, of recording: Recording, rate: SampleRate,
    longestDelay: Double = TakeLayout.longestDelay, drift: Double? = nil
  ) {
    let marker = Sweep.marker.samples(
      at: drift.map { SampleRate(hertz: rate.hertz * (1 + 1e-6 * $0)) } ?? rate)
    let estimator = DelayEstimator(template: marker)
    let longest = rate.wholeFrames(longestDelay)
    for start in starts {
      let first = max(0, start - rate.wholeFrames(0.01))
      let last = min(samples.count, start + marker.count + longest)
      guard last - first >= marker.count else {
        reasons.append("the recording ends before the marker at \(start)")
        continue
      }
      do throws(DelayError) {
        let found = try estimator.estimate(in: samples[first..<last])
        let arrival = Int(Double(first) + found.delay)
        let delay = Double(first) + found.delay - Double(start)
        if recording.touches(arrival..<(arrival + marker.count), delay: delay) {
          reasons.append("a gap lies on the marker at frame \(start)")
          continue
        }
        gains.append(found.gain)
        points.append(
          ClockLine.Point(
            frame: Double(start) + (drift == nil ? estimator.centre : 0), delay: delay,
            uncertainty: (found.uncertainty * found.uncertainty + Self.finest).squareRoot()))
      } catch {
        reasons.append("\(error)")
      }
    }
  }
}
