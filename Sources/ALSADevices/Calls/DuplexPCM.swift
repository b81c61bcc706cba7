// SPDX-License-Identifier: Apache-2.0

import Devices
private import Glibc

enum Direction: Sendable, CaseIterable {
  case playback
  case capture

  // Written out, as the derived one is not known to be free of locks.
  @_noAllocation @_noLocks
  static func == (first: Direction, second: Direction) -> Bool {
    switch (first, second) {
    case (.playback, .playback), (.capture, .capture): true
    default: false
    }
  }

  var word: String { self == .playback ? "playback" : "capture" }
}

enum PCMState: Sendable {
  case ready
  case running
  case broken
  case suspended
  case gone

  // Written out, as the derived one is not known to be free of locks.
  @_noAllocation @_noLocks
  static func == (first: PCMState, second: PCMState) -> Bool {
    switch (first, second) {
    case (.ready, .ready), (.running, .running), (.broken, .broken), (.suspended, .suspended),
      (.gone, .gone):
      true
    default: false
    }
  }
}

/// A look at one side: how many frames can be moved, and when the card said so.
struct PCMLook {
  /// Frames, or a negative error number.
  var available: Int
  /// The card's stamp by the raw monotonic clock, in nanoseconds; 0 for none.
  var time: Int64

  @_noAllocation @_noLocks
  init(available: Int, time: Int64 = 0) {
    self.available = available
    self.time = time
  }
}

/// The account that a PCM gives of itself, in any state.
struct PCMStatus {
  var state: PCMState
  /// Frames that could be moved when it stopped, or now.
  var available: Int
  /// When it was started or stopped by itself, in nanoseconds; 0 where it does not say.
  var triggerTime: Int64

  @_noAllocation @_noLocks
  init(state: PCMState, available: Int, triggerTime: Int64) {
    self.state = state
    self.available = available
    self.triggerTime = triggerTime
  }
}

/// A stretch of the card's own frames.
struct PCMArea {
  /// The first byte; `nil` with an error.
  var bytes: UnsafeMutableRawPointer?
  /// How many frames, or a negative error number.
  var frames: Int

  @_noAllocation @_noLocks
  init(bytes: UnsafeMutableRawPointer?, frames: Int) {
    self.bytes = bytes
    self.frames = frames
  }
}

/// When each side was started: the times before and after the act, in nanoseconds.
struct PCMStart {
  /// 0, or a negative error number.
  var code: Int32
  var captureFrom: Int64
  var captureTo: Int64
  var playbackFrom: Int64
  var playbackTo: Int64

  @_noAllocation @_noLocks
  init(
    code: Int32, captureFrom: Int64 = 0, captureTo: Int64 = 0, playbackFrom: Int64 = 0,
    playbackTo: Int64 = 0
  ) {
    self.code = code
    self.captureFrom = captureFrom
    self.captureTo = captureTo
    self.playbackFrom = playbackFrom
    self.playbackTo = playbackTo
  }
}

/// What the engine asks of a playback and a capture PCM, real or scripted.
///
/// Counts are frames, errors negative numbers of the operating system, as libasound gives them; times are
/// nanoseconds of the raw monotonic clock. Nothing blocks but `wait` and `pause`.
protocol DuplexPCM: ~Copyable {
  mutating func prepare() -> Int32
  /// Starts both: in one act where they are linked, else the capture first.
  mutating func start() -> PCMStart
  mutating func drop()
  /// Waits for either side, or for a wake-up: positive with news, 0 without, or a negative error.
  mutating func wait(milliseconds: Int32) -> Int32
  mutating func pause(nanoseconds: Int64)
  mutating func look(_ direction: Direction) -> PCMLook
  /// Frames between the card's time and the next one that the capture gives; a negative error.
  mutating func captureDelay() -> Int
  mutating func status(_ direction: Direction) -> PCMStatus
  mutating func resume(_ direction: Direction) -> Int32
  /// The next stretch of at most so many frames: to be filled, or filled.
  mutating func begin(_ direction: Direction, frames: Int) -> PCMArea
  /// Hands over so many frames of the stretch that was begun, and returns how many were taken.
  mutating func commit(_ direction: Direction, frames: Int) -> Int
  /// Takes back at most so many frames that were handed over and not played; how many were.
  mutating func rewind(frames: Int) -> Int
  mutating func now() -> Int64
  mutating func threadTime() -> Int64
}

/// What stays the same over all takes of a pair of PCMs.
struct DuplexSetup: Sendable {
  var rate: Double
  var periodFrames: Int
  var bufferFrames: Int
  var isLockStep: Bool
  /// Whether the kernel starts both in one act.
  var isLinked: Bool
  var hasStamps: Bool

  var periodTime: Int64 {
    @_noAllocation @_noLocks
    get { Int64(Double(periodFrames) / rate * 1e9) }
  }

  @_noAllocation @_noLocks
  func nanoseconds(_ frames: Int) -> Int64 { Int64(Double(frames) / rate * 1e9) }

  @_noAllocation @_noLocks
  func frames(_ nanoseconds: Int64) -> Int {
    let frames = Double(nanoseconds) * 1e-9 * rate
    return Int(frames < 0 ? frames - 0.5 : frames + 0.5)
  }
}

/// What ends a stream for good, beside the operating system's own numbers.
enum StreamFault {
  /// Nothing moved for a second.
  static var stalled: Int32 {
    @_noAllocation @_noLocks
    get { -ETIMEDOUT }
  }
  /// The PCM takes frames faster than its rate.
  static var unpaced: Int32 {
    @_noAllocation @_noLocks
    get { -9001 }
  }
  /// The PCM breaks again as soon as it is started.
  static var breaking: Int32 {
    @_noAllocation @_noLocks
    get { -9002 }
  }
  /// In lock-step: the capture is full and nobody reads it.
  static var unread: Int32 {
    @_noAllocation @_noLocks
    get { -9003 }
  }
}
