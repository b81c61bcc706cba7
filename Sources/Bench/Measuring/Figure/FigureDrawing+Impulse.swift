import Acceptance
import Devices
private import Glibc
import HapticRendering
import Profiles
import SignalAnalysis
import Units

extension FigureDrawing {
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
    let edge = min((frequency - 50) / 10, (500 - frequency) / 50)
    return edge < 1 ? 0.5 - 0.5 * cos(.pi * max(0, edge)) : 1
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
