// SPDX-License-Identifier: Apache-2.0

/// What became of waiting for bytes.
enum Received: Equatable {
  case bytes([UInt8])
  /// The other side will send no more.
  case ended
  /// The deadline passed first.
  case late
}

/// The bytes of one connection, with a clock of its own: whoever waits says until when, in seconds of that clock.
protocol ByteStream: AnyObject, Sendable {
  var now: Double { get }

  /// Waits for one byte or more, and takes at most `count`.
  func read(atMost count: Int, until deadline: Double) -> Received

  /// Writes all bytes; `false` where the other side is gone or does not take them in time.
  func write(_ bytes: [UInt8], until deadline: Double) -> Bool

  /// Says that no more will be written, and throws away what still comes, for a moment: closing at once would take
  /// the answer away from who is still sending.
  func finish()

  /// Ends both directions at once; who waits on another thread wakes.
  func cut()
}
