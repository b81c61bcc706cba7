// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What is known for certain of one instant on two clocks: a device's counter and the host's time.
public struct ClockObservation: Sendable, Hashable {
  /// The counter without wraps: the instant lies in `ticks ..< ticks + resolution`.
  public var ticks: Int64
  /// Steps that the counter may go on before it is read anew; 1 for a counter read at the instant.
  public var resolution: Int64
  /// The host's time in seconds that the instant is not before.
  public var earliest: Double
  /// The host's time in seconds that the instant is not after.
  public var latest: Double

  /// Makes an observation.
  public init(ticks: Int64, resolution: Int64 = 1, earliest: Double, latest: Double) {
    self.ticks = ticks
    self.resolution = resolution
    self.earliest = earliest
    self.latest = latest
  }

  /// A question and its answer: the device's instant lies between submitting and completing, in host seconds.
  ///
  /// The time from `received` to `sent`, counters without wraps, is taken off, less 1,000 ppm.
  public static func exchange(
    submitted: Double, completed: Double, received: Int64, sent: Int64, tickRate: Double
  ) -> ClockObservation {
    let held = Double(max(0, sent - received - 1)) / tickRate * 0.999
    return ClockObservation(
      ticks: received, earliest: submitted, latest: max(submitted, completed - held))
  }

  /// A report that came by itself: it was made at most the longest polling delay before it completed.
  ///
  /// Holds only where the host was not late, as `EarliestArrival` sees to.
  public static func report(
    completed: Double, ticks: Int64, resolution: Int64 = 1, polling: USBPolling
  ) -> ClockObservation {
    ClockObservation(
      ticks: ticks, resolution: resolution, earliest: completed - polling.longest,
      latest: completed)
  }
}

/// Of every so many reports the one that came earliest by the nominal rate: the host is late at times, and a
/// late report says nothing.
public struct EarliestArrival: Sendable {
  /// Reports of which one is kept.
  public let blockSize: Int
  /// Nominal ticks a second.
  public let tickRate: Double
  private var best: (ticks: Int64, completed: Double)?
  private var origin: (ticks: Int64, completed: Double)?
  private var count = 0

  /// Makes a filter.
  public init(blockSize: Int = 16, tickRate: Double) {
    precondition(blockSize > 0 && tickRate > 0, "a block of \(blockSize) at \(tickRate) Hz")
    self.blockSize = blockSize
    self.tickRate = tickRate
  }

  /// Takes a report; gives the earliest of the block with its last one.
  public mutating func note(
    ticks: Int64, completed: Double
  ) -> (ticks: Int64, completed: Double)? {
    if origin == nil { origin = (ticks, completed) }
    if best.map({ delay(ticks, completed) < delay($0.ticks, $0.completed) }) ?? true {
      best = (ticks, completed)
    }
    count += 1
    guard count == blockSize else { return nil }
    defer {
      count = 0
      best = nil
    }
    return best
  }

  private func delay(_ ticks: Int64, _ completed: Double) -> Double {
    guard let origin else { return 0 }
    return completed - origin.completed - Double(ticks - origin.ticks) / tickRate
  }
}

/// How long a packet waits for the host: full-speed devices are asked each millisecond, high-speed ones each
/// 125 us, or each so many of them.
///
/// A packet that is ready at a random instant waits between nothing and one interval: a uniform delay, with
/// a mean of half of it and a standard deviation of 1/sqrt(12) of it. Where the device's own period and the bus
/// are near a ratio of whole numbers the delay is no random number but a slow saw-tooth between the same
/// two ends: what a mean over some time says is then not half an interval.
public struct USBPolling: Sendable, Hashable {
  /// A bus's speed, as far as polling is concerned.
  public enum Speed: Sendable, Hashable {
    /// Frames of 1 ms.
    case full
    /// Microframes of 125 us.
    case high
  }

  /// Seconds between two questions.
  public let interval: Double
  /// Seconds that a packet of 512 bytes and the host's controller take besides.
  public let transfer: Double

  /// Makes the polling of an interrupt endpoint from its descriptor's field.
  ///
  /// It counts frames at full speed, which hosts round down to a power of two, and 2^(n-1) microframes at high speed
  /// (USB 2.0, 9.6.6).
  public init(_ speed: Speed, bInterval: UInt8) {
    switch speed {
    case .full:
      let frames = max(1, Int(bInterval))
      interval = 1e-3 * Double(1 << (Int.bitWidth - 1 - frames.leadingZeroBitCount))
      transfer = 0.5e-3
    case .high:
      interval = 125e-6 * Double(1 << (min(16, max(1, Int(bInterval))) - 1))
      transfer = 125e-6
    }
  }

  /// Makes the polling of a bulk endpoint with a transfer always waiting: once in a frame or microframe.
  public static func bulk(_ speed: Speed) -> USBPolling { USBPolling(speed, bInterval: 1) }

  /// The longest delay in seconds.
  public var longest: Double { interval + transfer }
}

/// The host's raw monotonic clock in nanoseconds.
package func hostNanoseconds() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC_RAW, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

extension UInt64 {
  /// Microseconds from this time to a later one, both in nanoseconds, rounded up; 0 where it is over already.
  ///
  /// A host's clock goes on between two looks at it, so the second may be behind the end that the first was before.
  package func microseconds(until end: UInt64) -> Int {
    end > self ? Int((end - self + 999) / 1000) : 0
  }
}
