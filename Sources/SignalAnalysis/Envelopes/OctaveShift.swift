// SPDX-License-Identifier: Apache-2.0

public import Units

/// A vibration raised by whole octaves.
public enum OctaveShift {
  /// Multiplies each instant's frequency by 2^octaves, and leaves the envelope and its time as they are.
  ///
  /// Of the analytic signal z each octave makes z^2 / |z|: the phase doubles, the modulus stays. One tone comes out as
  /// one tone; of tones that sound together it makes combinations, whose beats are right. What lies below 20 Hz, or
  /// too high to be raised within the rate, is left out. Costs three transforms.
  public static func raised(_ samples: [Float], rate: SampleRate, octaves: Int) -> [Float] {
    precondition((0...8).contains(octaves), "\(octaves) octaves")
    guard octaves > 0, !samples.isEmpty else { return samples }
    // The filter is 0 from 1.25 times its upper frequency on.
    let highest = rate.hertz / 2 / Double(1 << octaves) / 1.25
    precondition(highest > 20, "\(octaves) octaves at \(rate)")
    return BandPass(20...highest).analytic(samples, rate: rate).map { sample in
      var turned = sample
      let modulus = sample.magnitude
      guard modulus > 0 else { return 0 }
      for _ in 0..<octaves { turned = (1 / modulus) * (turned * turned) }
      return Float(turned.real)
    }
  }
}
