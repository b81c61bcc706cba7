import DeviceStreams

/// What the host knows of a board's clock during a take: where it is now, at the least.
///
/// A packet says where the clock was some time before it arrived. The one with the least delay so far,
/// carried on at the nominal rate, is the best lower bound; it is renewed after a second, in which a
/// drift of 100 ppm makes 0.1 ms.
struct BoardClock: Sendable {
  private static let renewal: UInt64 = 1_000_000_000

  private let tickRate: Double
  private var unwrapper = CounterUnwrapper(bits: 32)
  private var tick: Int64 = 0
  private var nanoseconds: UInt64 = 0
  private var isSet = false
  /// The tick of frame 0 of the take.
  private(set) var startTick: Int64?

  init(tickRate: UInt32) { self.tickRate = Double(tickRate) }

  /// Notes a look at the clock that arrived at a time.
  mutating func note(ticks: UInt32, later: Int64 = 0, at nanoseconds: UInt64) {
    let whole = unwrapper.unwrap(ticks) + later
    guard isSet, whole < now(at: nanoseconds), nanoseconds < self.nanoseconds + Self.renewal else {
      (tick, self.nanoseconds, isSet) = (whole, nanoseconds, true)
      return
    }
  }

  /// The clock's value without wraps.
  mutating func unwrap(_ ticks: UInt32) -> Int64 { unwrapper.unwrap(ticks) }

  /// Notes where frame 0 of the take is.
  mutating func start(ticks: UInt32) { startTick = unwrapper.unwrap(ticks) }

  /// Forgets the take.
  mutating func stop() { startTick = nil }

  /// The clock's least value at a time.
  func now(at nanoseconds: UInt64) -> Int64 {
    let passed = nanoseconds > self.nanoseconds ? nanoseconds - self.nanoseconds : 0
    return tick + Int64(Double(passed) * 1e-9 * tickRate)
  }

  /// The frame whose time it is at the least, negative before the start; `nil` outside a take.
  func frame(at nanoseconds: UInt64, rate: Int) -> Int? {
    startTick.map { start in
      let ticks = now(at: nanoseconds) - start
      return ticks < 0 ? -1 : Int(Double(ticks) * Double(rate) / tickRate)
    }
  }

  /// When a frame is due, as packets say it.
  func ticks(ofFrame frame: Int, rate: Int) -> UInt32 {
    let whole = (startTick ?? 0) + Int64(UInt64(frame) * UInt64(tickRate) / UInt64(rate))
    return UInt32(truncatingIfNeeded: whole)
  }
}
