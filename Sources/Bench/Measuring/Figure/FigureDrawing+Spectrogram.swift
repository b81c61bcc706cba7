import Acceptance
import Devices
private import Glibc
import SignalAnalysis
import Units

extension FigureDrawing {
  /// Draws the response over time and frequency, 0 to 960 Hz.
  ///
  /// Levels are those of a tone's rms, through Hann windows of 40 ms; what lies more than 60 dB below the
  /// strongest is one with silence.
  ///
  /// - Parameters:
  ///   - span: The seconds of the pattern that are shown.
  ///   - delay: The electrical delay in frames.
  /// - Returns: The levels; `nil` where there is no response.
  func spectrogram(over span: ClosedRange<Double>, delay: Double) -> TakeFigure.Spectrogram? {
    guard let response, let noise else { return nil }
    let first = Int(frame(span.lowerBound) + delay)
    let last = Int(frame(span.upperBound) + delay)
    let margin = take.rate.wholeFrames(Self.windowLength)
    guard first >= margin, last > first, first < response.samples.count else { return nil }
    let columns = min(400, max(40, Int((span.upperBound - span.lowerBound) / 4e-3)))
    let step = Double(last - first) / Double(columns)
    // So many columns are drawn from one transform: all of them where that is short.
    let group = max(1, min(columns, Int(Self.longestStretch * take.rate.hertz / step)))
    let levels = stride(from: 0, to: columns, by: group).flatMap { begin -> [[Double]] in
      let end = min(columns, begin + group)
      let from = first + Int(Double(begin) * step) - margin
      let until = end == columns ? last : first + Int((Double(end) * step).rounded(.up))
      let low = Self.lowBand(
        response.samples[from..<max(from, min(until + margin, response.samples.count))],
        offset: Float(noise.offset.value), rate: take.rate)
      return (begin..<end).map { column in
        let middle = (Double(first - from) + (Double(column) + 0.5) * step) / take.rate.hertz
        return Self.levels(of: low.samples, rate: low.rate, around: middle * low.rate)
      }
    }
    let top = levels.joined().max() ?? 0
    guard top.isFinite else { return nil }
    let cells = (0..<Self.rows).flatMap { row in
      levels.map { UInt8(255 + max(-30, ((($0[row] - top) / 2).rounded()))) }
    }
    return TakeFigure.Spectrogram(
      name: "response", unit: response.description.unit,
      frequencies: 0...Double(Self.rows) * Self.rowHeight, top: top, step: 2, columns: columns,
      cells: cells)
  }

  private static var windowLength: Double { 0.04 }
  /// The longest stretch that is transformed in one go, in seconds.
  private static var longestStretch: Double { 20 }
  private static var rows: Int { 48 }
  /// In hertz.
  private static var rowHeight: Double { 20 }

  /// The part of a signal below 1.2 kHz, at a rate that just holds it.
  private static func lowBand(
    _ samples: [Float], offset: Float, rate: SampleRate
  ) -> (samples: [Double], rate: Double) {
    let length = FourierTransform.fastLength(atLeast: samples.count)
    var transform = FourierTransform(length: length)
    let centred = samples.map { $0 - offset }
    let bins = transform.forward(centred.span)
    let width = rate.hertz / Double(length)
    let kept = min(bins.count, Int(1200 / width) + 1)
    let reduced = FourierTransform.fastLength(atLeast: 2 * kept)
    let scale = Double(reduced) / Double(length)
    let band =
      bins.prefix(kept).map { scale * $0 }
      + [Complex](repeating: Complex(0), count: reduced / 2 + 1 - kept)
    var inverse = FourierTransform(length: reduced)
    return (inverse.inverse(band), width * Double(reduced))
  }

  /// The level of each row in dB at one moment, given in samples.
  private static func levels(
    of samples: [Double], rate: Double, around moment: Double
  ) -> [Double] {
    let count = Int(windowLength * rate) & ~1
    let first = Int(moment.rounded()) - count / 2
    var window: [Double] = []
    window.reserveCapacity(count)
    for index in 0..<count {
      let place = first + index
      let shape = 0.5 - 0.5 * cos(2 * .pi * (Double(index) + 0.5) / Double(count))
      window.append(samples.indices.contains(place) ? shape * samples[place] : 0)
    }
    let length = FourierTransform.fastLength(atLeast: 2 * count)
    var transform = FourierTransform(length: length)
    let bins = transform.forward(window.span)
    let width = rate / Double(length)
    // The rms of a tone of amplitude A is A / sqrt(2), and its bin A / 2 times the window's sum, count / 2.
    let unit = 8 / Double(count * count)
    return (0..<rows).map { row in
      let from = Int((Double(row) * rowHeight / width).rounded())
      let to = max(from + 1, Int((Double(row + 1) * rowHeight / width).rounded()))
      let power = bins[min(from, bins.count - 1)..<min(to, bins.count)].map(\.power).max() ?? 0
      return 10 * log10(max(1e-30, unit * power))
    }
  }
}
