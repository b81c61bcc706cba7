import Devices
import SignalAnalysis
import Units

/// The band in which accelerations are felt and levels are taken: 20 to 1000 Hz.
enum FeltBand {
  static let filter = BandPass(20...1000)
  /// Frames beyond a stretch that the filter needs to be itself, in seconds.
  static let margin = 0.05

  /// A stretch of samples in the band, an offset taken off; of the stretch's length.
  static func stretch(
    _ frames: Range<Int>, of samples: Samples, offset: Float, rate: SampleRate
  ) -> [Float] {
    let room = rate.wholeFrames(margin)
    let wide = ((frames.lowerBound - room)..<(frames.upperBound + room))
      .clamped(to: samples.indices)
    let filtered = filter.apply(to: samples[wide].map { $0 - offset }, rate: rate)
    let first = frames.lowerBound - wide.lowerBound
    return filtered[first..<(first + frames.count)].map(Float.init)
  }
}
