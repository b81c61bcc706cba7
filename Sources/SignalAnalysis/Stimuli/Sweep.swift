private import Glibc
public import Units

/// A sine whose frequency runs by the same number of hertz each second, with raised-cosine ends.
///
/// A known waveform of wide band: `DelayEstimator` finds it again, `ResonatorFit` sees a plant with it.
public struct Sweep: Sendable, Equatable {
  /// The length in seconds.
  public var duration: Double
  /// The frequency at the beginning in hertz.
  public var startFrequency: Double
  /// The frequency at the end in hertz.
  public var endFrequency: Double
  /// The peak level in dB of full scale.
  public var level: Double
  /// The length of the rise at the beginning, and of the fall at the end, in seconds.
  public var ramp: Double

  /// Makes a sweep.
  ///
  /// Traps unless the duration and both frequencies are above zero and the two ramps fit into the
  /// duration.
  public init(
    duration: Double, from startFrequency: Double, to endFrequency: Double, level: Double = 0,
    ramp: Double = 0.002
  ) {
    precondition(duration > 0 && startFrequency > 0 && endFrequency > 0, "a sweep of nothing")
    precondition(ramp >= 0 && 2 * ramp <= duration, "ramps of \(ramp) s in \(duration) s")
    self.duration = duration
    self.startFrequency = startFrequency
    self.endFrequency = endFrequency
    self.level = level
    self.ramp = ramp
  }

  /// The frame around what is played: 50 ms, 200 to 8,000 Hz, at -12 dB.
  public static let marker = Sweep(duration: 0.050, from: 200, to: 8_000, level: -12, ramp: 0.002)

  /// The stimulus of latency and of resonance: 200 ms, 50 to 500 Hz, at -6 dB.
  public static let probe = Sweep(duration: 0.200, from: 50, to: 500, level: -6, ramp: 0.010)

  /// The value at a time in seconds after the beginning, as a share of full scale; zero outside.
  ///
  /// sin of the phase 2 pi (f1 t + (f2 - f1) t^2 / 2T).
  public func value(at time: Double) -> Double {
    guard time >= 0, time <= duration else { return 0 }
    return Decibels.amplitude(level) * window(at: time) * sin(2 * .pi * cycles(at: time))
  }

  /// The sweep as samples at a rate, beginning at frame 0.
  public func samples(at rate: SampleRate) -> [Double] {
    let count = Int(rate.frames(duration).rounded())
    return (0..<count).map { value(at: rate.seconds(Double($0))) }
  }

  private func cycles(at time: Double) -> Double {
    let slope = (endFrequency - startFrequency) / duration
    return startFrequency * time + slope * time * time / 2
  }

  private func window(at time: Double) -> Double {
    let edge = min(time, duration - time)
    return edge >= ramp ? 1 : 0.5 - 0.5 * cos(.pi * edge / ramp)
  }
}
