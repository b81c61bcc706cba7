import Profiles
import Units

/// Taps one after the other, each through an inverse filter of its own.
struct TapPlan: Sendable, Equatable {
  /// One tap.
  struct Tap: Sendable, Equatable {
    /// The intensity and the sharpness that it stands for.
    var intensity: Double
    var sharpness: Double
    /// The frequency in hertz.
    var frequency: Double
    /// The command's peak in m/s2.
    var amplitude: Double
    /// The peak acceleration that is wanted, in m/s2.
    var wanted: Double
    /// The filter.
    var inverse: FeedForward
    /// What the laws ask for, and what mapping made of it; nil for a tap that tries an inverse.
    var command: DriveCommand?
  }

  /// How long a tap lasts: 22 ms, as transients are rendered.
  static let length = 22e-3

  /// The taps in their order.
  var taps: [Tap]
  /// From one tap's beginning to the next one's, in seconds.
  var spacing: Double
  /// How they are drawn.
  var shape: TapShape

  /// The frame at which a tap begins.
  func start(of index: Int, rate: SampleRate) -> Int {
    Int(rate.frames(0.02 + spacing * Double(index)).rounded())
  }

  /// The voltage, no higher than a peak.
  func volts(at rate: SampleRate, peak: Double) -> [Float] {
    var output = [Float](
      repeating: 0, count: start(of: taps.count, rate: rate) + rate.wholeFrames(0.05))
    for (index, tap) in taps.enumerated() {
      var filter = FeedForwardFilter(tap.inverse, rate: rate.hertz, peakVolts: peak)
      let start = start(of: index, rate: rate)
      for frame in start..<self.start(of: index + 1, rate: rate) {
        let time = rate.seconds(Double(frame - start))
        output[frame] = filter.advance(
          Float(tap.amplitude * shape.value(at: time, frequency: tap.frequency)))
      }
    }
    return output
  }
}
