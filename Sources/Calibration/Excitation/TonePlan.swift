private import Glibc
import Profiles
import SignalAnalysis
import Units

/// Tones one after the other, as volts or through the inverse filter, and the windows they are read in.
struct TonePlan: Sendable, Equatable {
  /// One tone.
  struct Tone: Sendable, Equatable {
    /// The frequency in hertz.
    var frequency: Double
    /// The peak: volts, or the command to the inverse filter in m/s2.
    var amplitude: Double
  }

  /// The tones in their order.
  var tones: [Tone]
  /// How long each is given to become steady, in seconds.
  var settling: Double
  /// How long each is then measured, in seconds.
  var window: Double
  /// The filter that turns amplitudes into volts; nil where they are volts.
  var inverse: FeedForward?

  /// The silence after the last tone, in seconds.
  private var silence: Double { max(0.1, settling) }

  private var steps: SteppedTones {
    SteppedTones(
      steps: tones.map {
        .init(frequency: $0.frequency, amplitude: $0.amplitude, duration: settling + window)
      }, ramp: 0.010)
  }

  /// The voltage, no higher than a peak.
  func volts(at rate: SampleRate, peak: Double) -> [Float] {
    var samples = steps.samples(at: rate).map(Float.init)
    samples += [Float](repeating: 0, count: rate.wholeFrames(silence))
    guard let inverse else { return samples }
    var filter = FeedForwardFilter(inverse, rate: rate.hertz, peakVolts: peak)
    for index in samples.indices { samples[index] = filter.advance(samples[index]) }
    return samples
  }

  /// The windows in frames of the segment.
  func windows(at rate: SampleRate) -> [Range<Int>] {
    steps.steadyRanges(at: rate, settling: settling)
  }
}
