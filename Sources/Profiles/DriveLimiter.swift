// SPDX-License-Identifier: Apache-2.0

public import Actuators
private import Glibc

extension DriveLimits {
  /// One limit that a demand does not keep.
  public struct Excess: Sendable, Equatable {
    /// The limits by the names that rig files give them.
    public enum Limit: String, Sendable, Hashable, CaseIterable {
      /// The highest voltage at any moment, in volts.
      case peak
      /// The fastest change of voltage, in volts a second.
      case slope
      /// The effective voltage over the thermal time, in volts.
      case continuous
    }

    /// Which limit it is.
    public let limit: Limit
    /// What the limit allows, in its own unit.
    public let allowed: Double
    /// What is asked for, in the same unit.
    public let asked: Double

    /// How many times what is allowed is asked for; above 1.
    ///
    /// Voltage, slope and effective voltage all grow with the amplitude, so an amplitude lower by this
    /// factor keeps the limit.
    public var ratio: Double { asked / allowed }
  }

  /// What a demand may be above a limit by rounding alone: a share of the limit.
  private static let rounding = 1e-6

  /// The limit that a demand exceeds the most, in proportion; `nil` where it keeps them all.
  public func excess(of demand: DriveDemand) -> Excess? {
    let limits: [(Excess.Limit, allowed: Double?, asked: Double)] = [
      (.peak, peakVolts, demand.peakVolts), (.slope, slope, demand.slope),
      (.continuous, continuousVolts, demand.effectiveVolts),
    ]
    var worst: Excess?
    for (limit, allowed, asked) in limits {
      guard let allowed else { continue }
      let excess = Excess(limit: limit, allowed: allowed, asked: asked)
      // Written so that a demand that is no number keeps no limit.
      guard !(excess.ratio <= max(1 + Self.rounding, worst?.ratio ?? 0)) else { continue }
      worst = excess
    }
    return worst
  }
}

/// Holds a drive inside its actuator's limits, sample by sample, and counts what it held back.
///
/// Peak and slope are clamps. The thermal limit is a first-order average of the squared voltage with
/// the actuator's time constant, E' = (V^2 - E) / T: when E would pass the square of the continuous
/// voltage, the sample is scaled to what keeps it there. Where there is a slope limit, enough of the
/// thermal budget is kept back to come to rest at that slope, so that all three hold at every sample.
/// State is carried from block to block, so any block size gives the same samples. *Render thread*:
/// no allocation, no lock.
public struct DriveLimiter: Sendable {
  /// What was held back, in samples.
  public struct Counts: Sendable, Equatable {
    /// Clamped to the peak voltage.
    public var peak = 0
    /// Clamped to the fastest slope.
    public var slope = 0
    /// Scaled down to the thermal budget.
    public var thermal = 0

    /// Samples held back for any reason; one sample may be counted under several.
    public var total: Int { peak + slope + thermal }
  }

  /// What was held back since the limiter was made.
  public private(set) var counts = Counts()

  private let peak: Double
  private let step: Double
  /// 1 / (3 step): what coming to rest costs, see `strength(within:below:)`.
  private let restCost: Double
  private let meanSquareLimit: Double
  private let decay: Double
  private var last = 0.0
  private var meanSquare = 0.0

  /// Makes a limiter for a drive of -1...1 at a full scale in volts and a rate in hertz.
  public init(limits: DriveLimits, fullScaleVolts: Double, rate: Double) {
    precondition(fullScaleVolts > 0, "full scale must be above 0 V, not \(fullScaleVolts)")
    peak = limits.peakVolts / fullScaleVolts
    step = limits.slope.map { $0 / fullScaleVolts / rate } ?? .infinity
    restCost = 1 / (3 * step)
    let effective = limits.continuousVolts / fullScaleVolts
    meanSquareLimit = effective * effective
    decay = exp(-1 / (limits.thermalTime * rate))
  }

  /// Limits one sample.
  @_noAllocation @_noLocks @inlinable
  public mutating func limit(_ sample: Float) -> Float { advance(sample) }

  /// Limits samples in place.
  @_noAllocation @_noLocks
  public mutating func process(_ samples: inout MutableSpan<Float>) {
    for index in samples.indices { samples[index] = advance(samples[index]) }
  }

  /// Limits a list of samples in place, outside of a render thread.
  public mutating func process(_ samples: inout [Float]) {
    var span = samples.mutableSpan
    process(&span)
  }

  @_noAllocation @_noLocks @usableFromInline
  mutating func advance(_ sample: Float) -> Float {
    var value = Double(sample)
    if !(abs(value) <= peak) {
      counts.peak += 1
      value = value > 0 ? peak : value < 0 ? -peak : 0
    }
    if abs(value - last) > step {
      counts.slope += 1
      value = value > last ? last + step : last - step
    }
    // The largest cost that leaves the average at its limit.
    let room = (meanSquareLimit - decay * meanSquare) / (1 - decay)
    let strength = abs(value)
    if strength * strength * (1 + strength * restCost) > room {
      counts.thermal += 1
      let bound = self.strength(within: room, below: strength)
      value = value > 0 ? bound : -bound
    }
    meanSquare = decay * meanSquare + (1 - decay) * value * value
    last = value
    return Float(value)
  }

  /// The strength v at which v^2 + v^3 / (3 step) meets the room that the thermal budget leaves.
  ///
  /// The first term is the sample's own square. The second bounds the squares of the samples that
  /// follow where the drive goes to zero as fast as its slope lets it:
  /// (v - step)^2 + (v - 2 step)^2 + ... < v^3 / (3 step). Newton's steps from above on a convex
  /// function never pass below the solution, so the last one is safe to within rounding.
  @_noAllocation @_noLocks
  private func strength(within room: Double, below start: Double) -> Double {
    guard room > 0 else { return 0 }
    // The square root is one instruction; the compiler sees a call into the C library.
    let root = _unsafePerformance { room.squareRoot() }
    var v = root < start ? root : start
    for _ in 0..<60 {
      let excess = v * v * (1 + v * restCost) - room
      guard excess > 1e-12 * room else { break }
      v -= excess / (v * (2 + 3 * v * restCost))
    }
    return v
  }
}

/// What a drive asks of an actuator, in volts at the actuator.
public struct DriveDemand: Sendable, Equatable {
  /// The highest voltage.
  public var peakVolts: Double
  /// The fastest change of voltage in volts a second.
  public var slope: Double
  /// The effective voltage, averaged over the actuator's thermal time.
  public var effectiveVolts: Double

  /// Makes a demand of its three numbers.
  public init(peakVolts: Double, slope: Double, effectiveVolts: Double) {
    self.peakVolts = peakVolts
    self.slope = slope
    self.effectiveVolts = effectiveVolts
  }

  /// The demand of a tone that lasts: a slope of 2 pi f A, an effective voltage of A / sqrt(2).
  public static func tone(amplitude: Double, frequency: Double) -> DriveDemand {
    DriveDemand(
      peakVolts: amplitude, slope: 2 * .pi * frequency * amplitude,
      effectiveVolts: amplitude / 2.0.squareRoot())
  }

  /// The demand of a steady voltage that lasts, reached in a time in seconds.
  public static func level(_ volts: Double, riseTime: Double) -> DriveDemand {
    DriveDemand(peakVolts: volts, slope: volts / riseTime, effectiveVolts: volts)
  }
}
