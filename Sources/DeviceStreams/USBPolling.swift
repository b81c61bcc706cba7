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

  /// Makes the polling of an interrupt endpoint from its descriptor.
  ///
  /// - Parameters:
  ///   - speed: The speed the device runs at.
  ///   - bInterval: As the endpoint has it: frames at full speed, 2^(n-1) microframes at high speed (USB
  ///     2.0, 9.6.6). Hosts round the frames down to a power of two.
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

  /// The mean delay in seconds, the transfer included.
  public var mean: Double { interval / 2 + transfer }
  /// The standard deviation of the delay in seconds.
  public var standardDeviation: Double { interval / 12.squareRoot() }
  /// The longest delay in seconds.
  public var longest: Double { interval + transfer }

  /// When a packet leaves: the first question at or after it is ready.
  ///
  /// - Parameters:
  ///   - ready: Seconds.
  ///   - phase: Seconds of any question.
  /// - Returns: Seconds, in `ready ..< ready + interval`.
  public func departure(ready: Double, phase: Double) -> Double {
    phase + ((ready - phase) / interval).rounded(.up) * interval
  }
}
