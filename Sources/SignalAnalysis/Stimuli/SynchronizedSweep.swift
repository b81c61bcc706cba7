private import Glibc
public import Units

/// An exponential sine sweep whose harmonics are shifted copies of itself.
///
/// x(t) = A sin(2 pi f1 L exp(t / L)) from f1 on: since n times the phase at t is the phase at
/// t + L ln n, the n-th harmonic is the sweep L ln n earlier (Novak, Lotton, Simon, "Synchronized
/// swept-sine", JAES 63, 2015). f1 L is an integer, so that the sweep begins at a zero crossing. It
/// runs over guard bands on both sides of its band, where it fades in and out.
public struct SynchronizedSweep: Sendable, Equatable {
  /// Which way the frequency runs.
  public enum Direction: Sendable, Equatable, CaseIterable {
    /// From low to high.
    case up
    /// From high to low: the upward sweep turned round in time.
    case down
  }

  /// The band that is excited at full amplitude, in hertz.
  public let band: ClosedRange<Double>
  /// The peak amplitude, in the unit of the drive.
  public let amplitude: Double
  /// Which way the frequency runs.
  public let direction: Direction
  /// L: the time in seconds in which the frequency grows by the factor e.
  public let growthTime: Double

  /// How far the sweep reaches below its band, as a factor.
  public static let lowerGuard = 1.3
  /// How far the sweep reaches above its band, as a factor.
  public static let upperGuard = 1.15

  /// Makes a sweep of about a duration in seconds, guard bands included.
  ///
  /// The true `duration` differs by up to half a period of the lowest frequency times
  /// ln(f2 / f1), which makes f1 L an integer. Traps unless the band lies above zero and is not empty,
  /// and the duration is above zero.
  public init(
    band: ClosedRange<Double> = 20...1_000, duration: Double, amplitude: Double = 1,
    direction: Direction = .up
  ) {
    precondition(
      band.lowerBound > 0 && band.upperBound > band.lowerBound, "a sweep over \(band) Hz")
    precondition(duration > 0, "a sweep of \(duration) s")
    self.band = band
    self.amplitude = amplitude
    self.direction = direction
    let start = band.lowerBound / Self.lowerGuard
    let span = log(band.upperBound * Self.upperGuard / start)
    growthTime = max(1, (start * duration / span).rounded()) / start
  }

  /// The band with its guard bands, f1 to f2, in hertz.
  public var guardedBand: ClosedRange<Double> {
    band.lowerBound / Self.lowerGuard...band.upperBound * Self.upperGuard
  }

  /// The length in seconds, guard bands included.
  public var duration: Double {
    growthTime * log(guardedBand.upperBound / guardedBand.lowerBound)
  }

  /// How much earlier than the sweep itself its n-th harmonic comes, in seconds.
  ///
  /// L ln n; below zero for a sweep that runs down, whose harmonics come later.
  public func harmonicLead(_ order: Int) -> Double {
    let lead = growthTime * log(Double(order))
    return direction == .up ? lead : -lead
  }

  /// The frequency at a time in seconds after the beginning, in hertz.
  public func frequency(at time: Double) -> Double {
    guardedBand.lowerBound * exp(upwardTime(time) / growthTime)
  }

  /// When the sweep passes a frequency in hertz, in seconds after the beginning.
  public func time(of frequency: Double) -> Double {
    upwardTime(growthTime * log(frequency / guardedBand.lowerBound))
  }

  /// The value at a time in seconds after the beginning; zero outside.
  public func value(at time: Double) -> Double {
    guard time >= 0, time <= duration else { return 0 }
    return amplitude * window(at: upwardTime(time)) * sin(2 * .pi * turns(at: time))
  }

  /// The phase at a time in seconds after the beginning, in turns.
  public func turns(at time: Double) -> Double {
    guardedBand.lowerBound * growthTime * exp(upwardTime(time) / growthTime)
  }

  /// The sweep as samples at a rate, beginning at frame 0.
  public func samples(at rate: SampleRate) -> [Double] {
    (0..<rate.wholeFrames(duration)).map { value(at: rate.seconds(Double($0))) }
  }

  /// The time of the upward sweep that stands at a time of this one; its own inverse.
  private func upwardTime(_ time: Double) -> Double { direction == .up ? time : duration - time }

  private func window(at time: Double) -> Double {
    let rise = time / (growthTime * log(Self.lowerGuard))
    let fall = (duration - time) / (growthTime * log(Self.upperGuard))
    return RaisedCosine.rise(min(rise, fall))
  }
}
