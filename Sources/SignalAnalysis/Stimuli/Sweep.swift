// SPDX-License-Identifier: Apache-2.0

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

/// Tones one after the other whose phase never jumps.
public struct SteppedTones: Sendable, Equatable {
  /// One tone.
  public struct Step: Sendable, Equatable {
    /// The frequency in hertz.
    public var frequency: Double
    /// The peak amplitude, in the unit of the drive.
    public var amplitude: Double
    /// The length in seconds.
    public var duration: Double

    /// Makes a step.
    public init(frequency: Double, amplitude: Double, duration: Double) {
      self.frequency = frequency
      self.amplitude = amplitude
      self.duration = duration
    }
  }

  /// The tones in their order.
  public var steps: [Step]
  /// How long the amplitude goes from one step's to the next, in seconds, at each step's beginning.
  public var ramp: Double

  /// Makes a sequence; traps unless the ramp and all durations are at least zero.
  public init(steps: [Step], ramp: Double = 0.010) {
    precondition(ramp >= 0, "a ramp of \(ramp) s")
    precondition(
      steps.allSatisfy { $0.duration >= 0 && $0.frequency >= 0 }, "a step of negative length")
    self.steps = steps
    self.ramp = ramp
  }

  /// The length in seconds, without the fall at the end.
  public var duration: Double { steps.reduce(0) { $0 + $1.duration } }

  /// The samples at a rate, with the fall to silence after the last step.
  ///
  /// Each step begins at the nearest frame. The amplitude goes by a raised cosine, the phase goes on.
  public func samples(at rate: SampleRate) -> [Double] {
    var output: [Double] = []
    var (phase, before) = (0.0, 0.0)
    let rampFrames = max(1, rate.frames(ramp))
    let fall = Step(frequency: steps.last?.frequency ?? 0, amplitude: 0, duration: ramp)
    for (step, frames) in zip(steps + [fall], ranges(at: rate) + [0..<Int(rampFrames)]) {
      for frame in 0..<frames.count {
        let share = RaisedCosine.rise(Double(frame) / rampFrames)
        let amplitude = before + (step.amplitude - before) * share
        output.append(amplitude * sin(2 * .pi * phase))
        phase += step.frequency / rate.hertz
        phase -= phase.rounded(.down)
      }
      before = step.amplitude
    }
    return output
  }

  /// The frames of each step.
  public func ranges(at rate: SampleRate) -> [Range<Int>] {
    var end = 0.0
    var first = 0
    return steps.map { step in
      end += step.duration
      let last = max(first, Int(rate.frames(end).rounded()))
      defer { first = last }
      return first..<last
    }
  }

  /// The frames of each step in which the response is steady: what is left after `settling` seconds.
  ///
  /// Shift them by the delay of the response. A step that is shorter than the settling has none left.
  public func steadyRanges(at rate: SampleRate, settling: Double) -> [Range<Int>] {
    let wait = Int(rate.frames(settling).rounded(.up))
    return ranges(at: rate).map { min($0.upperBound, $0.lowerBound + wait)..<$0.upperBound }
  }
}
