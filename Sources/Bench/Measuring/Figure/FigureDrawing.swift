import Acceptance
import Devices
import HapticRendering
import SignalAnalysis
import Units

/// Draws what a report shows of a take.
struct FigureDrawing: TakeReader {
  let source: CapturedTake
  let events: [MeasuredEvent]

  /// Columns of a figure: of half a millisecond where that is enough of them, but no more than can be zoomed.
  private static func columns(over length: Double) -> Int {
    min(2400, max(900, Int(length / 5e-4)))
  }

  /// What a report draws of the take on one time axis: what was asked over what was felt, the response with its
  /// model, what that leaves over, intent, drive and sound.
  func figure() -> TakeFigure {
    let end = take.intent.timeline.end
    let span = -0.05 * max(0.4, end)...(end + max(0.1, 0.08 * end))
    let columns = Self.columns(over: span.upperBound - span.lowerBound)
    let step = (span.upperBound - span.lowerBound) / Double(columns)
    let moments = take.intent.moments(from: span.lowerBound, step: step, count: columns)
    let volts = Float(rig.drive.fullScaleVolts)
    let delay = alignment.electricalFrames(at: frame(0))
    var panels: [TakeFigure.Panel] = []
    if let envelope = envelopePanel(over: span, delay: delay) {
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
      pattern: source.pattern, take: source.number, span: span, panels: panels,
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

  /// The lowest and highest sample of each column.
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
}
