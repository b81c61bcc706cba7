// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// How a device's stream went from its start to its stop: what a record keeps of it.
public struct StreamStatistics: Sendable, Hashable {
  /// How the capture's frame 0 was laid on the drive's.
  public enum Start: Sendable, Hashable {
    /// The devices wait for the frames: both frames 0 are one by construction.
    case lockStep
    /// The kernel started both in one act.
    case linked
    /// Each was started by itself: the capture so many seconds before the drive, by the stamps of
    /// their starts, known to `uncertainty` (one standard deviation) as far as the host can tell.
    case unlinked(offset: Double, uncertainty: Double, reason: String)
    /// They are two devices with clocks of their own, and nothing but markers on a wire from the drive to
    /// the capture says how their frames lie.
    case separate(reason: String)

    /// The start without its details, as records and reports call it.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      case lockStep = "lock-step"
      case linked
      case unlinked
      case separate
    }

    /// The start without its details.
    public var kind: Kind {
      switch self {
      case .lockStep: .lockStep
      case .linked: .linked
      case .unlinked: .unlinked
      case .separate: .separate
      }
    }
  }

  /// Where the times of frames come from.
  public enum Timestamps: Sendable, Hashable {
    /// The kernel's own, taken with the card's position.
    case kernel
    /// The program's clock, read after the card's position, with the reason.
    case program(reason: String)
  }

  /// The transfers of a device on a bus that asks it: what it costs in time.
  public struct Transfers: Sendable, Hashable {
    /// From submit to completion of what went out, counted by powers of two.
    public var output: JitterHistogram
    /// From submit to completion of what came in, the wait for the device to have something included.
    public var input: JitterHistogram
    /// Seconds from one question of the host to the next: a packet waits between nothing and that.
    public var pollingInterval: Double

    /// Makes an account.
    public init(output: JitterHistogram, input: JitterHistogram, pollingInterval: Double) {
      self.output = output
      self.input = input
      self.pollingInterval = pollingInterval
    }
  }

  /// A device's rate against the host's raw monotonic clock.
  public struct ClockRate: Sendable, Hashable {
    /// How much faster than nominal, in parts per million.
    public var ppm: Double
    /// The standard uncertainty in parts per million, from the scatter of the pairs.
    public var uncertainty: Double
    /// How many pairs of frame and time made it.
    public var pairCount: Int

    /// Makes a rate.
    public init(ppm: Double, uncertainty: Double, pairCount: Int) {
      self.ppm = ppm
      self.uncertainty = uncertainty
      self.pairCount = pairCount
    }

    /// The rate of what is on the host's own clock, beside one that so many pairs made.
    public static func host(pairCount: Int) -> ClockRate {
      ClockRate(ppm: 0, uncertainty: 0, pairCount: pairCount)
    }
  }

  /// What a device says of itself that nothing measured here can tell: it is shown, not reckoned with.
  public struct Statement: Sendable, Hashable {
    /// The device: its serial number.
    public var device: String
    /// Volts at a drive of 1; `nil` where the device does not drive.
    public var fullScaleVolts: Double?
    /// Whether the device knows its full scale; else the rig file's counts.
    public var knowsFullScale: Bool
    /// Seconds from a drive frame's instant to the voltage; `nil` where the device does not drive.
    public var driveDelay: Double?
    /// Seconds from an acceleration to the instant of its frame; `nil` where the device does not feel.
    public var sensorDelay: Double?
    /// Frames of its sensors a second, of which the capture's frames are made; `nil` where it does not feel.
    public var sensorRate: Double?

    /// Makes a statement.
    public init(
      device: String, fullScaleVolts: Double? = nil, knowsFullScale: Bool = true,
      driveDelay: Double? = nil, sensorDelay: Double? = nil, sensorRate: Double? = nil
    ) {
      self.device = device
      self.fullScaleVolts = fullScaleVolts
      self.knowsFullScale = knowsFullScale
      self.driveDelay = driveDelay
      self.sensorDelay = sensorDelay
      self.sensorRate = sensorRate
    }
  }

  /// What the PCMs agreed to: the drive's, then the capture's.
  public var negotiations: [Negotiation] = []
  /// How the two sides were started.
  public var start: Start = .lockStep
  /// Where the times of frames come from.
  public var timestamps: Timestamps = .program(reason: "the devices have no clock of the host")
  /// How the devices' own thread was scheduled; `nil` without one.
  public var scheduling: Scheduling?
  /// Whether the process's memory was locked; `nil` where nobody asked.
  public var memoryLock: MemoryLock?
  /// Seconds from the start to the stop.
  public var duration = 0.0
  /// The share of one processor that the devices' thread used; `nil` without one.
  public var cpuShare: Double?
  /// How late the thread woke; `nil` without one.
  public var jitter: JitterHistogram?
  /// The transfers of a device on a bus; `nil` for a device on none.
  public var transfers: Transfers?
  /// What the devices say of themselves: the drive's, then the capture's; none where they say nothing.
  public var statements: [Statement] = []
  /// How often the stream broke and was started again.
  public var xruns = 0
  /// How surely, in seconds, the capture's frames were laid on the drive's again after a break: the
  /// standard deviation of the least sure; `nil` without a break, and where it is exact.
  public var restartUncertainty: Double?
  /// How often the system was suspended under the stream.
  public var suspensions = 0
  /// Wake-ups with nothing to do.
  public var spuriousWakeups = 0
  /// Waits that ended with no news from the card.
  public var timeouts = 0
  /// Samples beyond full scale that the converter was not given.
  public var clippedSamples = 0
  /// The drive's rate; `nil` where there is no clock to compare with.
  public var driveRate: ClockRate?
  /// The capture's rate; `nil` where there is no clock to compare with.
  public var captureRate: ClockRate?

  /// Makes statistics of a stream that has not run.
  public init() {}

  /// The capture's rate against the drive's, where both have one.
  public var drift: ClockRate? {
    guard let driveRate, let captureRate else { return nil }
    let (drive, capture) = (driveRate.uncertainty, captureRate.uncertainty)
    return ClockRate(
      ppm: captureRate.ppm - driveRate.ppm,
      uncertainty: (drive * drive + capture * capture).squareRoot(),
      pairCount: min(driveRate.pairCount, captureRate.pairCount))
  }

  /// The most xruns an hour that these are still compatible with, at 95 % confidence.
  ///
  /// Without a single one in T hours it is 3.0 / T; `nil` for a stream that took no time.
  public var xrunsPerHourBound: Double? {
    guard duration > 0 else { return nil }
    return PoissonBound.upper(count: xruns) / (duration / 3600)
  }
}

/// How late a device's thread woke, counted by powers of two: by how much each wake-up came after the
/// moment at which a side had a period of frames to be moved.
public struct JitterHistogram: Sendable, Hashable {
  /// Bin 0 counts below 1 us, bin k from 2^(k-1) us to below 2^k us, the last one all above.
  public static let binCount = 24

  /// The count in every bin.
  public let counts: [Int]
  /// The largest lateness, in seconds.
  public let largest: Double

  /// Makes a histogram of `binCount` bins.
  public init(counts: [Int], largest: Double) {
    precondition(
      counts.count == Self.binCount, "a histogram has \(Self.binCount) bins, not \(counts.count)")
    self.counts = counts
    self.largest = largest
  }

  /// How many wake-ups were counted.
  public var total: Int { counts.reduce(0, +) }

  /// The upper end of a bin, in seconds.
  public static func upperEnd(ofBin bin: Int) -> Double { Double(1 << bin) * 1e-6 }

  /// The lateness that a share of the wake-ups stayed within, in seconds; `nil` without any.
  ///
  /// It is a bin's upper end, so at most twice too much, and never more than `largest`.
  public func bound(ofShare share: Double) -> Double? {
    guard total > 0 else { return nil }
    var seen = 0
    for (bin, count) in counts.enumerated() {
      seen += count
      if Double(seen) >= share * Double(total) { return min(Self.upperEnd(ofBin: bin), largest) }
    }
    return largest
  }
}

/// What a count of rare events says about their mean.
public enum PoissonBound {
  /// The largest mean under which so few events or fewer still happen with probability 1 - confidence.
  ///
  /// Solves sum(k = 0...count) exp(-m) m^k / k! = 1 - confidence for m (Garwood's upper limit); none at
  /// 95 % gives 3.0, the rule of three. Cost: some 60 sums of `count` terms, above 144 of
  /// them 12 times its square root.
  public static func upper(count: Int, confidence: Double = 0.95) -> Double {
    precondition(count >= 0, "a count is not negative: \(count)")
    precondition(confidence > 0 && confidence < 1, "a confidence is in 0...1, not \(confidence)")
    var (low, high) = (Double(count), 2 * Double(count) + 50)
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if probability(upTo: count, mean: middle) > 1 - confidence {
        low = middle
      } else {
        high = middle
      }
    }
    return (low + high) / 2
  }

  private static func probability(upTo count: Int, mean: Double) -> Double {
    // A mean of at least `count`, as is asked for here: what lies twelve standard deviations below adds nothing.
    let first = max(0, count - Int(12 * Double(count).squareRoot()))
    // By logarithms: a thousand events have a factorial that no number holds.
    return (first...count).reduce(0) { sum, k in
      sum + exp(Double(k) * log(mean) - mean - lgamma(Double(k) + 1))
    }
  }
}
