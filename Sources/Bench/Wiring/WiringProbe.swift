// SPDX-License-Identifier: Apache-2.0

package import Devices
package import SignalAnalysis
package import Units

/// Faint sweeps on one output after another, by which the inputs tell what is wired to what.
///
/// On each output the same sweep is played three times without a pause. From the second on the response repeats,
/// so that what two repeats share is the output's, and what they don't is noise: without any assumption about what
/// lies between. All outputs are played in one stream, so that their delays can be compared.
package struct WiringProbe: Sendable, Equatable {
  /// The time from one sweep to the next in seconds.
  ///
  /// Mains hum of 50 and 60 Hz turns its phase in between, and
  /// does not look like a response.
  static let period = 0.405
  /// Silence after each output in seconds: whatever it moved has come to rest.
  private static let rest = 0.5
  /// How many sweeps each output plays.
  fileprivate static let repeats = 3
  /// The band of the sweeps in hertz: actuators resonate in it, and lines carry it.
  static let band = 40.0...1_000.0

  /// What is played, in this order: a drive has a channel for each role.
  package let roles: [DriveRole]
  package let rate: SampleRate
  /// The peak, as a share of full scale.
  package let level: Double

  /// Makes a probe of the outputs that a drive names.
  package init(of drive: DriveDescription, level: Double) {
    roles = DriveRole.allCases.filter { drive.channels[$0] != nil }
    rate = drive.rate
    self.level = level
  }

  var periodFrames: Int { rate.wholeFrames(Self.period) }

  /// The sweep at full scale.
  var sweep: [Double] {
    Sweep(
      duration: 0.3, from: Self.band.lowerBound, to: Self.band.upperBound, ramp: 0.03
    ).samples(at: rate)
  }

  /// The drive frames of one output's sweeps and the rest after them.
  func frames(of index: Int) -> Range<Int> {
    let length = Self.repeats * periodFrames + rate.wholeFrames(Self.rest)
    let first = 2 * periodFrames + index * length
    return first..<(first + length)
  }

  /// Two periods of silence, in which the inputs tell what they hear of nothing; then the outputs.
  package var drive: DriveFrames {
    let count = frames(of: roles.count - 1).upperBound
    let sweep = sweep.map { level * $0 }
    var channels: [DriveRole: [Float]] = [:]
    for (index, role) in roles.enumerated() {
      var samples = [Float](repeating: 0, count: count)
      for number in 0..<Self.repeats {
        samples.place(sweep, at: frames(of: index).lowerBound + number * periodFrames)
      }
      channels[role] = samples
    }
    return DriveFrames(channels: channels, count: count, rate: rate)
  }

  /// What each input heard of each output.
  package func paths(in recording: Recording) -> [WiringPath] {
    recording.channels.indices.flatMap { input in
      let heard = InputHearing(self, Array(recording.channels[input].samples))
      return roles.indices.map { output in heard.path(from: output, to: input) }
    }
  }

  /// What each input hears in the silence before the first output, RMS about its mean; 0 for one that is dead.
  package func noise(in recording: Recording) -> [Double] {
    recording.channels.map { channel in
      Statistics.moments(
        channel.samples[0..<min(channel.samples.count, 2 * periodFrames)].map(Double.init)
      ).sigma
    }
  }

  /// The resonance that explains a path, with a delay in the range, in seconds.
  func resonance(
    of path: WiringPath, in recording: Recording, delays: ClosedRange<Double>
  ) -> ResonatorModel? {
    InputHearing(self, Array(recording.channels[path.input].samples))
      .resonance(of: path.output, noise: path.noise, delays: delays)
  }
}

/// What an input heard of one output.
package struct WiringPath: Sendable, Equatable {
  /// The output's place in the probe's roles.
  package let output: Int
  /// The input's place in the recording's channels.
  package let input: Int
  /// What came in by the output, in the input's unit RMS over one period; 0 where nothing did.
  package let level: Double
  /// The level over the noise in dB.
  package var signalToNoise: Double {
    Decibels.of(amplitude: level / max(noise, 1e-6 * level))
  }
  /// The drive, as it left, delayed and scaled, where that explains what was heard: a wire.
  package let wire: DelayEstimate?
  /// The noise beside it, in the input's unit RMS.
  let noise: Double
  /// What the output's sweep moved, where a resonance explains it: an actuator with a sensor.
  package let resonance: ResonatorModel?

  package enum Kind: Sendable, Equatable {
    /// A wire, from a connector to a connector.
    case wire
    /// An actuator that moves a sensor.
    case motion
    /// A loudspeaker and a microphone, or whatever else bends the signal.
    case other
  }

  /// What lies between; `nil` where nothing was heard.
  package var kind: Kind? {
    guard level > 0 else { return nil }
    if wire != nil { return .wire }
    return resonance == nil ? .other : .motion
  }
}

/// One input's samples, looked at for each output.
private struct InputHearing {
  /// What of a response a delay and a gain must explain to be a wire's.
  ///
  /// A resonator in the band explains less.
  private static let wireShare = 0.98
  /// A resonance above this frequency is a loudspeaker's.
  private static let highestResonance = 600.0

  private let probe: WiringProbe
  private let samples: [Float]
  private let bins: Range<Int>
  private let quiet: (shared: Double, noise: Double)

  init(_ probe: WiringProbe, _ samples: [Float]) {
    self.probe = probe
    self.samples = samples
    let spacing = probe.rate.hertz / Double(probe.periodFrames)
    let band = WiringProbe.band
    bins = Int(0.8 * band.lowerBound / spacing)..<Int(1.1 * band.upperBound / spacing)
    quiet = Self.shared(samples, at: 0, length: probe.periodFrames, bins)
  }

  /// The mean square over one period that two periods have in common, and half of that of their difference.
  private static func shared(
    _ samples: [Float], at frame: Int, length: Int, _ bins: Range<Int>
  ) -> (shared: Double, noise: Double) {
    guard frame + 2 * length <= samples.count else { return (0, .infinity) }
    var transform = FourierTransform(length: length)
    let first = transform.forward(samples.span.extracting(frame..<(frame + length)))
    let second = transform.forward(samples.span.extracting((frame + length)..<(frame + 2 * length)))
    var (shared, noise) = (0.0, 0.0)
    for bin in bins {
      shared += (first[bin] * second[bin].conjugate).real
      noise += (first[bin] - second[bin]).power / 2
    }
    let scale = 2 / (Double(length) * Double(length))
    return (scale * shared, scale * noise)
  }

  func path(from output: Int, to input: Int) -> WiringPath {
    let range = probe.frames(of: output)
    let (shared, noise) = Self.shared(
      samples, at: range.lowerBound + probe.periodFrames, length: probe.periodFrames, bins)
    // Noise alone has a standard deviation of noise / sqrt(2 n) here; hum has what the silence has.
    let floor = 8 * noise / (2 * Double(bins.count)).squareRoot() + 2 * abs(quiet.shared)
    guard shared > floor, noise.isFinite else {
      return WiringPath(
        output: output, input: input, level: 0, wire: nil, noise: noise, resonance: nil)
    }
    let wire = wire(in: range, power: shared)
    return WiringPath(
      output: output, input: input, level: shared.squareRoot(), wire: wire,
      noise: noise.squareRoot(),
      resonance: wire == nil
        ? resonance(of: output, noise: noise.squareRoot(), delays: -0.001...0.3) : nil)
  }

  private func section(_ range: Range<Int>) -> [Float] {
    let part = samples[range.clamped(to: samples.indices)]
    let mean = part.reduce(0) { $0 + Double($1) } / Double(max(1, part.count))
    return part.map { $0 - Float(mean) }
  }

  private func wire(in range: Range<Int>, power: Double) -> DelayEstimate? {
    let sweep = probe.sweep.map { probe.level * $0 }
    let estimator = DelayEstimator(template: sweep)
    guard
      let found = try? estimator.estimate(
        in: section(range), lags: 0...(probe.periodFrames - 1))
    else { return nil }
    let energy = sweep.reduce(0) { $0 + $1 * $1 }
    let explained = found.gain * found.gain * energy / Double(probe.periodFrames)
    return explained > Self.wireShare * power ? found : nil
  }

  func resonance(
    of output: Int, noise: Double, delays: ClosedRange<Double>
  ) -> ResonatorModel? {
    let range = probe.frames(of: output)
    let sent = probe.sweep.map { probe.level * $0 }
    var drive = [Float](repeating: 0, count: range.count)
    for number in 0..<WiringProbe.repeats { drive.place(sent, at: number * probe.periodFrames) }
    let response = section(range)
    guard response.count == drive.count else { return nil }
    let fit = ResonatorFit(band: 30...WiringProbe.band.upperBound, delays: delays)
    let model: ResonatorModel
    do throws(ResonatorFitError) {
      model = try fit.fit(
        drive: drive, response: response, rate: probe.rate, noise: noise)
    } catch {
      guard case .doesNotFit(let nearest) = error, let quality = nearest.quality,
        quality.explained > 0.5
      else { return nil }
      model = nearest
    }
    return model.frequency.value <= Self.highestResonance ? model : nil
  }
}
