private import Glibc
public import Units

/// Several tones at once, periodic, with phases that keep the crest low.
public struct Multitone: Sendable, Equatable {
  /// One of the tones.
  public struct Tone: Sendable, Equatable {
    /// The frequency in hertz.
    public let frequency: Double
    /// The peak amplitude, in the unit of the drive.
    public let amplitude: Double
    /// The phase in radians at time zero, of a sine.
    public let phase: Double
  }

  /// The time in seconds after which the signal repeats.
  public let period: Double
  /// The tones, rising in frequency.
  public let tones: [Tone]

  /// Makes tones of equal amplitude at the multiples of 1 / period nearest to some frequencies in hertz.
  ///
  /// Frequencies that fall on the same multiple become one. The phases are those of Schroeder,
  /// -pi k (k - 1) / n. Traps unless the period is above zero.
  public init(frequencies: [Double], amplitude: Double, period: Double) {
    precondition(period > 0, "a period of \(period) s")
    self.period = period
    let multiples = Set(frequencies.map { max(1, ($0 * period).rounded()) }).sorted()
    tones = multiples.enumerated().map { index, multiple in
      let k = Double(index)
      return Tone(
        frequency: multiple / period, amplitude: amplitude,
        phase: -.pi * k * (k - 1) / Double(multiples.count))
    }
  }

  /// The value at a time in seconds.
  public func value(at time: Double) -> Double {
    tones.reduce(0) { $0 + $1.amplitude * sin(2 * .pi * $1.frequency * time + $1.phase) }
  }

  /// Some periods as samples, with raised-cosine ends of `ramp` seconds inside them.
  public func samples(at rate: SampleRate, periods: Int, ramp: Double = 0.010) -> [Double] {
    let count = Int((rate.frames(period) * Double(periods)).rounded())
    let length = rate.seconds(Double(count))
    return (0..<count).map { frame in
      let time = rate.seconds(Double(frame))
      let share = ramp > 0 ? min(1, time / ramp, (length - time) / ramp) : 1
      return value(at: time) * (0.5 - 0.5 * cos(.pi * share))
    }
  }
}
