import Acceptance
import Devices
private import Glibc
import HapticRendering
import Profiles
import SignalAnalysis
import Units

extension CapturedTake {
  /// Draws the response over time and frequency, 0 to 960 Hz.
  ///
  /// Levels are those of a tone's rms, through Hann windows of 40 ms; what lies more than 60 dB below the
  /// strongest is one with silence.
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

  /// What the actuator answers to an impulse, in the probe's band: as measured, as the take's fit has it, and
  /// as the profile has it that the drive was rendered by; `nil` where no probe was captured.
  func impulseResponse() -> TakeFigure.ImpulseResponse? {
    guard let probe = alignment.probe, let response, let model = alignment.model else { return nil }
    let room = take.rate.wholeFrames(0.1)
    let length = FourierTransform.fastLength(atLeast: probe.drive.count + room)
    let width = take.rate.hertz / Double(length)
    var transform = FourierTransform(length: length)
    let sent = transform.forward(probe.drive.span)
    let answered = transform.forward(probe.motion.span)
    let largest = sent.map(\.power).max() ?? 0
    guard largest > 0 else { return nil }
    // Outside the sweep's band there is nothing to divide by.
    let floor = 1e-4 * largest
    let shares = sent.indices.map { Self.share(of: Double($0) * width) }
    func curve(_ name: String, _ value: (Int) -> Complex) -> TakeFigure.Trace {
      let bins = sent.indices.map { shares[$0] > 0 ? shares[$0] * value($0) : Complex(0) }
      let circle = transform.inverse(bins)
      let values = Self.shownFrames(take.rate).map {
        // Of a sample: per volt second.
        Float(take.rate.hertz * circle[($0 + circle.count) % circle.count])
      }
      return TakeFigure.Trace(name: name, lowest: values, highest: values)
    }
    var traces = [
      curve("measured") { (1 / (sent[$0].power + floor)) * (answered[$0] * sent[$0].conjugate) },
      curve("fit") { model.response(at: Double($0) * width) },
    ]
    if let profile = take.configuration.profile?.profile.model, !profile.modes.isEmpty {
      let delay = (profile.delay?.value ?? model.delay.value) + alignment.sensorDelay
      traces.append(
        curve("profile") {
          let frequency = Double($0) * width
          return profile.response(at: frequency, delay: delay)
            * model.knownFilter.response(at: frequency)
        })
    }
    let frames = Self.shownFrames(take.rate)
    return TakeFigure.ImpulseResponse(
      span: (Double(frames.first ?? 0) / take.rate.hertz)...(Double(frames.last ?? 0)
        / take.rate.hertz),
      panel: TakeFigure.Panel(
        title: "Impulse response", unit: response.description.unit, traces: traces))
  }

  /// The frames that are shown: 5 ms before the impulse and 60 ms after, every sixteenth of a millisecond.
  private static func shownFrames(_ rate: SampleRate) -> [Int] {
    let step = max(1, rate.wholeFrames(1.0 / 16_000))
    return Array(stride(from: -rate.wholeFrames(0.005), through: rate.wholeFrames(0.06), by: step))
  }

  /// The share of a frequency in the band that is compared: 60 to 450 Hz, with raised cosines to the ends
  /// of the probe.
  private static func share(of frequency: Double) -> Double {
    RaisedCosine.rise(min((frequency - 50) / 10, (500 - frequency) / 50))
  }
}

extension ActuatorModel {
  /// H(f) of the modes with another delay than the model's own.
  fileprivate func response(at frequency: Double, delay: Double) -> Complex {
    let s = Complex(0, 2 * .pi * frequency)
    var sum = Complex(0)
    for index in modes.indices.prefix(2) {
      let (a, b) = numerator(of: index)
      let w = 2 * .pi * modes[index].f0.value
      let below = s * s + (w / modes[index].q.value) * s + Complex(w * w)
      sum = sum + (Complex(a) + b * s) * s * s / below
    }
    return Complex(angle: -2 * .pi * frequency * delay) * sum
  }
}
