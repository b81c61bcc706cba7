import Acceptance
import Devices
private import Glibc
import HapticRendering
import SignalAnalysis
import Units

/// What an event's own part of the response looks like, beyond its time, its level and its end.
extension CapturedEvent {
  /// A vibration shorter than this shows no harmonics, in seconds.
  private static let shortestTone = 0.1

  func addShape(to measured: inout MeasuredEvent) {
    guard let own, let part, part.members.count == 1, !part.isDropped else { return }
    addRise(own, part, to: &measured)
    let rate = take.rate
    let begin = Int(frame(event.start) + delay) - own.first
    let length = rate.wholeFrames(EventIsolation.intendedLength(event))
    let window = (begin..<(begin + max(16, length))).clamped(to: own.fitted.indices)
    guard window.count >= 16, feltNoise > 0 else { return }
    let level = Amplitude.rms(own.fitted[window].map(Float.init))
    guard level > 0 else { return }
    let gain = part.gain.relativeUncertainty
    measured.add(
      .responseSNR, Decibels.of(amplitude: level / feltNoise),
      uncertainty: Decibels.of(amplitude: 1 + gain), count: window.count)
    guard isolation.reason(event) == nil, !isolation.isOverlapped(event) else { return }
    let frames = (begin + own.first)..<(begin + own.first + window.count)
    addDistortion(frames, to: &measured)
    addCrossAxes(frames, to: &measured)
  }

  /// From a tenth to nine tenths of the highest swing, along the heights of the swings.
  private func addRise(
    _ own: SeparatedResponse, _ part: SeparatedPart, to measured: inout MeasuredEvent
  ) {
    let sizes = own.fitted.map(abs)
    let peak = sizes.reduce(0, max)
    guard peak > 0 else { return }
    let swings = sizes.indices.dropFirst().dropLast().filter {
      sizes[$0] > sizes[$0 - 1] && sizes[$0] >= sizes[$0 + 1] && sizes[$0] > 0.02 * peak
    }
    func passage(_ share: Double) -> Double? {
      let level = share * peak
      guard let passing = swings.firstIndex(where: { sizes[$0] >= level }) else { return nil }
      let high = swings[passing]
      // Before the first swing the response is at rest: that begins a quarter of a period before its top.
      let (low, height) =
        passing > 0
        ? (Double(swings[passing - 1]), sizes[swings[passing - 1]])
        : (Double(own.fitted[..<high].lastIndex { $0 * own.fitted[high] <= 0 } ?? 0), 0)
      return low + (Double(high) - low) * (level - height) / max(sizes[high] - height, 1e-30)
    }
    // What the model leaves over moves both passages.
    let doubt = min(0.08, part.misfit / 2)
    guard let low = passage(0.1), let high = passage(0.9), high > low,
      let early = passage(0.1 - doubt), let late = passage(0.1 + doubt),
      let soon = passage(0.9 - doubt), let last = passage(min(1, 0.9 + doubt))
    else { return }
    let (foot, head) = ((late - early) / 2, (last - soon) / 2)
    // Between two swings the height is known as well as a straight line goes.
    let swing = swings.count > 1 ? Double(swings[1] - swings[0]) / 8 : 0
    let spread = (foot * foot + head * head + swing * swing).squareRoot()
    measured.add(
      .responseRise, (high - low) / take.rate.hertz, uncertainty: spread / take.rate.hertz,
      count: 1)
  }

  private func addDistortion(_ frames: Range<Int>, to measured: inout MeasuredEvent) {
    let rate = take.rate
    // The rise is no steady vibration.
    let rise = rate.wholeFrames(5 * (alignment.decayTime ?? 0))
    let steady = (frames.lowerBound + rise)..<max(frames.lowerBound + rise, frames.upperBound)
    guard event.kind == .continuous, take.intent.timeline.controls.sharpness.isNeutral,
      steady.count >= rate.wholeFrames(Self.shortestTone), steady.upperBound <= samples.count,
      let found = DominantFrequency.estimate(samples[steady], rate: rate),
      let tone = ToneFit.refining(samples[steady], rate: rate, frequency: found.frequency.value)
    else { return }
    let distortion = tone.distortion
    guard distortion.value.isFinite, distortion.uncertainty.isFinite else { return }
    measured.add(
      .responseDistortion, distortion.value, uncertainty: distortion.uncertainty,
      count: steady.count)
  }

  private func addCrossAxes(_ frames: Range<Int>, to measured: inout MeasuredEvent) {
    guard !source.crossAxes.isEmpty,
      source.crossAxes.allSatisfy({ frames.upperBound <= $0.samples.count }),
      frames.upperBound <= samples.count
    else { return }
    let main = CapturedTake.Axis(samples: samples, noise: floor, feltNoise: feltNoise)
    let along = power(frames, of: main).power
    let others = source.crossAxes.map { power(frames, of: $0) }
    let across = others.reduce(0) { $0 + $1.power }
    let doubt = others.reduce(0) { $0 + $1.uncertainty * $1.uncertainty }
    guard along > 0 else { return }
    let share = (across / along).squareRoot()
    let most = ((across + doubt.squareRoot()) / along).squareRoot()
    measured.add(.responseCrossAxis, share, uncertainty: most - share, count: frames.count)
  }

  /// The power of an axis in the felt band, noise taken off, and how unsure the noise makes it.
  private func power(
    _ frames: Range<Int>, of axis: CapturedTake.Axis
  ) -> (power: Double, uncertainty: Double) {
    let felt = FeltBand.stretch(
      frames, of: axis.samples, offset: Float(axis.noise.offset.value), rate: take.rate)
    let scale = LevelUncertainty(
      rig: rig, sigma: axis.feltNoise, seconds: Double(felt.count) / take.rate.hertz)
    let whole = Amplitude.rms(felt)
    let own = max(0, whole * whole - axis.feltNoise * axis.feltNoise)
    return (own, scale.power(own))
  }
}
