// SPDX-License-Identifier: Apache-2.0

/// Times are nanoseconds; each is a computed number, since a stored one would take a lock.
enum StreamLimit {
  /// How long a card may take until its first frames move.
  static var firstWait: Int64 {
    @_noAllocation @_noLocks get { 100_000_000 }
  }
  /// How long no frame may move before the stream counts as stalled.
  static var patience: Int64 {
    @_noAllocation @_noLocks get { 1_000_000_000 }
  }
  /// A stamp of the kernel may be as coarse as a USB frame.
  static var stampDoubt: Int64 {
    @_noAllocation @_noLocks get { 1_000_000 }
  }
  /// Starts in a row after which no frame moves: a card that breaks so often at once is not going to run.
  static var vainStarts: Int {
    @_noAllocation @_noLocks get { 8 }
  }
  /// A card that wakes from a suspension is asked so often, for a second in all.
  static var resumeTries: Int {
    @_noAllocation @_noLocks get { 100 }
  }
  static var resumePause: Int64 {
    @_noAllocation @_noLocks get { 10_000_000 }
  }
  /// How far the capture may fall behind the drive before frames count as lost, in seconds, and what two clocks
  /// may differ by on top.
  static var lag: Double {
    @_noAllocation @_noLocks get { 1 }
  }
  static var clocks: Double {
    @_noAllocation @_noLocks get { 5e-4 }
  }
}
