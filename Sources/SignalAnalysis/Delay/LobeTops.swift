/// How high the lobes of a correlation are between its whole lags.
///
/// The sums of recording times waveform have the waveform's band, so that a windowed sinc tells them between
/// two lags. Of a long tone a lobe's neighbours are lower by a period's share of the length alone, and stand
/// higher at their whole lags where their tops fall nearer to one.
struct LobeTops {
  /// By what a height is off at most, for waveforms below 0.47 of the rate.
  static let accuracy = 2e-5
  /// So many lobes are always looked at; more where one of them could yet be the best or its equal.
  static let fewest = 6
  /// Where more could, there is no one delay.
  static let most = 24
  /// Places looked at from one lag to the next; the parabola through three is off by less than 1e-5.
  private static let steps = 16

  private let template: [Double]
  private let mean: Double
  private let recording: [Float]
  private let lags: ClosedRange<Int>
  private let sums: [Double]
  /// Sums beyond the ends of the search, as far as a lobe near an end has asked for them.
  private var beyond: [Int: Double] = [:]

  init(template: [Double], sums: [Double], recording: [Float], lags: ClosedRange<Int>) {
    self.template = template
    mean = template.reduce(0, +) / Double(template.count)
    self.recording = recording
    self.lags = lags
    self.sums = sums
  }

  /// The height of a lobe's top over that of its highest whole lag: 1 or more.
  mutating func rise(at index: Int) -> Double {
    Self.rise(of: (index - WindowedSinc.reach...index + WindowedSinc.reach).map { sum(at: $0) })
  }

  /// The same of the sums about the whole lag, `WindowedSinc.reach` on either side of it.
  static func rise(of near: [Double]) -> Double {
    let whole = near[WindowedSinc.reach]
    guard whole != 0 else { return 1 }
    let heights = kernels.map { kernel in
      zip(kernel, near).reduce(0) { $0 + $1.0 * $1.1 } / whole
    }
    var top = 0
    for place in heights.indices where heights[place] > heights[top] { top = place }
    guard heights.indices.dropFirst().dropLast().contains(top) else { return max(1, heights[top]) }
    let (left, middle, right) = (heights[top - 1], heights[top], heights[top + 1])
    let curvature = 2 * middle - left - right
    let lift = curvature > 0 ? (left - right) * (left - right) / (8 * curvature) : 0
    return max(1, middle + lift)
  }

  /// The sum at a lag of the search or beyond it; what lies beyond the recording counts as zero.
  private mutating func sum(at index: Int) -> Double {
    if sums.indices.contains(index) { return sums[index] }
    if let known = beyond[index] { return known }
    let first = lags.lowerBound + index
    var total = 0.0
    for place in max(0, -first)..<max(0, -first, min(template.count, recording.count - first)) {
      let value = Double(recording[first + place])
      if value.isFinite { total += value * (template[place] - mean) }
    }
    beyond[index] = total
    return total
  }

  /// For each place from one lag before a top to one behind it, the weights of the lags about it.
  private static let kernels: [[Double]] = (-steps...steps).map { place in
    (-WindowedSinc.reach...WindowedSinc.reach).map {
      WindowedSinc.weight(Double($0) - Double(place) / Double(steps))
    }
  }
}
