// SPDX-License-Identifier: Apache-2.0

import CEBUR128
public import Units

/// Measures the loudness of a sound that comes in blocks: the first pass over a file.
///
/// Its memory does not grow with the sound. Frames are mixed as `Composer` mixes them.
public struct LoudnessMeter: ~Copyable {
  private var state: UnsafeMutablePointer<ebur128_state>?
  private var mixer: Mixer
  private var unread = 0
  private var loudest = -Double.infinity
  private let tenth: Int

  /// Makes a meter.
  ///
  /// Traps unless the rate is 16 to 2,822,400 Hz, which are the limits of libebur128, and there is a channel.
  public init(rate: SampleRate, channelCount: Int) {
    mixer = Mixer(channelCount: channelCount)
    tenth = max(1, rate.wholeFrames(0.1))
    let mode =
      EBUR128_MODE_I.rawValue | EBUR128_MODE_TRUE_PEAK.rawValue | EBUR128_MODE_HISTOGRAM.rawValue
    state = ebur128_init(1, UInt(rate.hertz.rounded()), Int32(mode))
    precondition(state != nil, "no meter of loudness for \(rate)")
  }

  deinit {
    var state = state
    ebur128_destroy(&state)
  }

  /// Takes interleaved samples of whole frames.
  public mutating func append(_ block: Span<Float>) {
    let mixed = mixer.mix(block)
    add(mixed.span)
  }

  /// Ends the sound, as if silence followed, and says how loud it was.
  public consuming func finish() -> SoundLoudness {
    let integrated = value(ebur128_loudness_global)
    // So that the end of a sound, or a short one, comes to stand in a whole window.
    add([Float](repeating: 0, count: 4 * tenth).span)
    var peak = 0.0
    _ = ebur128_true_peak(state, 0, &peak)
    return SoundLoudness(
      integrated: integrated.isFinite ? integrated : nil,
      loudestMomentary: loudest.isFinite ? loudest : nil,
      truePeak: peak > 0 ? Decibels.of(amplitude: peak) : nil)
  }

  /// The loudest 400 ms are looked for at steps of 100 ms, as the gate of EBU R 128 has them.
  private mutating func add(_ samples: Span<Float>) {
    var start = 0
    while start < samples.count {
      let count = min(tenth - unread, samples.count - start)
      samples.extracting(start..<(start + count)).withUnsafeBufferPointer {
        _ = ebur128_add_frames_float(state, $0.baseAddress, count)
      }
      start += count
      unread += count
      guard unread == tenth else { continue }
      unread = 0
      loudest = max(loudest, value(ebur128_loudness_momentary))
    }
  }

  private func value(
    _ ask: (UnsafeMutablePointer<ebur128_state>?, UnsafeMutablePointer<Double>?) -> Int32
  ) -> Double {
    var value = -Double.infinity
    return ask(state, &value) == Int32(EBUR128_SUCCESS.rawValue) ? value : -.infinity
  }
}
