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

  /// A question and its answer: the device's instant lies between submitting and completing.
  ///
  /// - Parameters:
  ///   - submitted: The host's time before the question was submitted.
  ///   - completed: The host's time after the answer completed.
  ///   - received: The counter when the question came, without wraps.
  ///   - sent: The counter when the answer went, without wraps.
  ///   - tickRate: Nominal ticks a second; the time between the two is taken off, less 1,000 ppm.
  /// - Returns: The instant of `received`.
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
