// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Devices
private import Glibc
import HapticRendering
import Perception
import Profiles
import SignalAnalysis
import Units

extension CapturedTake {
  /// Columns of a figure: of half a millisecond where that is enough of them, but no more than can be zoomed.
  private static func columns(over length: Double) -> Int {
    min(2400, max(900, Int(length / 5e-4)))
  }

  func figure(of events: [MeasuredEvent]) -> TakeFigure {
    let end = take.intent.timeline.end
    let span = -0.05 * max(0.4, end)...(end + max(0.1, 0.08 * end))
    let columns = Self.columns(over: span.upperBound - span.lowerBound)
    let step = (span.upperBound - span.lowerBound) / Double(columns)
    let moments = take.intent.moments(from: span.lowerBound, step: step, count: columns)
    let volts = Float(rig.drive.fullScaleVolts)
    let delay = alignment.electricalFrames(at: frame(0))
    var panels: [TakeFigure.Panel] = []
    if let envelope = envelopePanel(of: events, over: span, delay: delay) {
      panels.append(envelope)
    }
    if let response {
      let measured = band(
        "response", response.samples, span, columns, delay: delay,
        offset: Float(noise?.offset.value ?? 0))
      let fit = fitTraces(over: span, columns: columns)
      panels.append(
        TakeFigure.Panel(
          title: "Response", unit: response.description.unit,
          traces: [measured] + (fit.map { [$0.model] } ?? [])))
      if let fit {
        let largest = measured.highest.reduce(0) { max($0, abs($1)) }
        panels.append(
          TakeFigure.Panel(
            title: "Left over", unit: response.description.unit, traces: [fit.rest],
            leastReach: 0.2 * Double(largest)))
      }
    }
    panels += [
      TakeFigure.Panel(
        title: "Intent", unit: .one,
        traces: [
          Self.curve("intensity", moments.map { Float($0.intensity) }),
          Self.curve("sharpness", moments.map { Float($0.sharpness) }),
        ]),
      TakeFigure.Panel(
        title: "Drive", unit: .volt,
        traces: [band("drive", take.channels[.haptic] ?? [], span, columns, delay: 0, scale: volts)]
      ),
    ]
    if let sound = recording.channel(.audio), let sent = take.channels[.audio],
      sent.contains(where: { $0 != 0 })
    {
      panels.append(
        TakeFigure.Panel(
          title: "Sound", unit: sound.description.unit,
          traces: [band("sound", sound.samples, span, columns, delay: delay)]))
    }
    let onsets = Dictionary(uniqueKeysWithValues: events.map { ($0.index, $0.onset) })
    return TakeFigure(
      pattern: pattern, take: number, span: span, panels: panels,
      events: take.intent.timeline.events.map { event in
        TakeFigure.Event(
          index: event.index, kind: event.kind.rawValue,
          span: event.start...(event.start + EventIsolation.intendedLength(event)),
          onset: onsets[event.index] ?? nil)
      }, spectrogram: spectrogram(over: span, delay: delay), impulse: impulseResponse())
  }

  static func curve(_ name: String, _ values: [Float]) -> TakeFigure.Trace {
    TakeFigure.Trace(name: name, lowest: values, highest: values)
  }

  private func band(
    _ name: String, _ samples: Samples, _ span: ClosedRange<Double>, _ columns: Int,
    delay: Double, offset: Float = 0, scale: Float = 1
  ) -> TakeFigure.Trace {
    let step = (span.upperBound - span.lowerBound) / Double(columns)
    var lowest = [Float](repeating: 0, count: columns)
    var highest = lowest
    var reader = SampleReader(samples)
    for column in 0..<columns {
      let first = Int(frame(span.lowerBound + Double(column) * step) + delay)
      let last = max(first + 1, Int(frame(span.lowerBound + Double(column + 1) * step) + delay))
      let frames = (first..<last).clamped(to: samples.indices)
      guard !frames.isEmpty else { continue }
      var (low, high) = (Float.infinity, -Float.infinity)
      for sample in reader.read(frames) {
        low = min(low, sample)
        high = max(high, sample)
      }
      lowest[column] = (low - offset) * scale
      highest[column] = (high - offset) * scale
    }
    return TakeFigure.Trace(name: name, lowest: lowest, highest: highest)
  }

  private static var envelopeStep: Double { 1e-3 }
  /// How many steps an envelope is averaged over: a period of the lowest tone that intent asks for.
  private static var envelopeWidth: Int { 12 }

  /// What was asked, with its just noticeable band, over what was felt: peak accelerations in m/s2, both averaged
  /// in the same way, the electrical delay removed and no other.
  ///
  /// Without a profile loudness is nobody's promise: the target is moved by the one level that fits the
  /// events best, and its name says by how much.
  func envelopePanel(
    of events: [MeasuredEvent], over span: ClosedRange<Double>, delay: Double
  ) -> TakeFigure.Panel? {
    guard let response, let noise, response.description.unit == .metrePerSecondSquared,
      take.intent.timeline.events.contains(where: \.kind.isHaptic)
    else { return nil }
    let count = max(1, Int((span.upperBound - span.lowerBound) / Self.envelopeStep))
    // What is averaged over a period needs no more columns than that.
    let columns = min(count, max(300, min(900, count / 2)))
    let asked = take.intent.acceleration(
      self.target, from: span.lowerBound, step: Self.envelopeStep, count: count)
    let shift = commonLevelError(of: events)
    let target = Self.amplitude(asked.map { $0 * $0 / 2 }, scale: pow(10, (shift ?? 0) / 20))
    let measured = Self.amplitude(
      powers(of: response, noise, from: span.lowerBound, count: count, delay: delay))
    let tolerance = Float(pow(10, JustNoticeable.level.value / 20))
    var band = Self.column("tolerance ±\(JustNoticeable.level.value) dB", target, columns)
    band.lowest = band.lowest.map { $0 / tolerance }
    band.highest = band.highest.map { $0 * tolerance }
    let name = shift.map { shift in
      let size = EngineeringFormat.fixed(abs(shift), 1)
      return "target, \(shift < 0 ? "lowered" : "raised") by \(size) dB"
    }
    return TakeFigure.Panel(
      title: "Envelope", unit: .metrePerSecondSquared,
      traces: [
        band, Self.middles(name ?? "target", target, columns),
        Self.column("measured", measured, columns),
      ])
  }

  func fitTraces(
    over span: ClosedRange<Double>, columns: Int
  ) -> (model: TakeFigure.Trace, rest: TakeFigure.Trace)? {
    guard let traces = separation?.traces(), !traces.model.isEmpty else { return nil }
    let step = (span.upperBound - span.lowerBound) / Double(columns)
    let places = (0...columns).map { column in
      let frame = frame(span.lowerBound + Double(column) * step)
      return Int(((frame - Double(traces.first)) / Double(traces.factor)).rounded(.up))
    }
    func trace(_ name: String, _ values: [Double]) -> TakeFigure.Trace {
      var lowest = [Float](repeating: .nan, count: columns)
      var highest = lowest
      var last: Double?
      for column in 0..<columns {
        let stretch = (places[column]..<max(places[column], places[column + 1]))
          .clamped(to: values.indices)
        if let low = values[stretch].min(), let high = values[stretch].max() {
          (lowest[column], highest[column]) = (Float(low), Float(high))
          last = values[stretch].last
        } else if let last, places[column] < values.count {
          // A column shorter than a frame shows the frame before it.
          (lowest[column], highest[column]) = (Float(last), Float(last))
        }
      }
      return TakeFigure.Trace(name: name, lowest: lowest, highest: highest)
    }
    return (trace("model", traces.model), trace("rest", traces.rest))
  }

  /// Without a profile, the mean level error of the events that came; `nil` with one, and of none.
  private func commonLevelError(of events: [MeasuredEvent]) -> Double? {
    guard take.profileLimited == nil else { return nil }
    let errors = events.filter { !$0.isDropped }.compactMap(\.levelError?.value)
    guard !errors.isEmpty else { return nil }
    return errors.reduce(0, +) / Double(errors.count)
  }

  private func powers(
    of response: Recording.Channel, _ noise: NoiseFloor, from start: Double, count: Int,
    delay: Double
  ) -> [Double] {
    let floor = noise.sigma.value * noise.sigma.value
    let first = frame(start) + delay
    let step = Self.envelopeStep * take.rate.hertz
    var reader = SampleReader(response.samples)
    return (0..<count).map { index in
      let from = Int((first + Double(index) * step).rounded())
      let until = Int((first + Double(index + 1) * step).rounded())
      let frames = (from..<until).clamped(to: response.samples.indices)
      guard !frames.isEmpty else { return 0 }
      return reader.power(of: frames, about: noise.offset.value) - floor
    }
  }

  private static func amplitude(_ powers: [Double], scale: Double = 1) -> [Double] {
    Smoothing.mean(powers, width: envelopeWidth).map { scale * (2 * max(0, $0)).squareRoot() }
  }

  /// The lowest and highest value of each column; the nearest where it holds none.
  private static func column(_ name: String, _ values: [Double], _ columns: Int) -> TakeFigure.Trace
  {
    var lowest: [Float] = []
    var highest: [Float] = []
    for column in 0..<columns {
      let first = min(values.count - 1, column * values.count / columns)
      let stretch = values[first..<max(first + 1, (column + 1) * values.count / columns)]
      lowest.append(Float(stretch.min() ?? 0))
      highest.append(Float(stretch.max() ?? 0))
    }
    return TakeFigure.Trace(name: name, lowest: lowest, highest: highest)
  }

  private static func middles(_ name: String, _ values: [Double], _ columns: Int)
    -> TakeFigure.Trace
  {
    curve(
      name,
      (0..<columns).map { Float(values[(2 * $0 + 1) * values.count / (2 * columns)]) })
  }

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
