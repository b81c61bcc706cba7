// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What the two sides of a card share, at the start of its state file.
///
/// Plain numbers only, since two processes may map it. All of it is read and written under `lock`,
/// which outlives the death of its holder: whatever a crash leaves behind are counters that the
/// next call goes on from.
struct CardMemory {
  /// Says that the file is a card's state, and of which layout.
  static let mark: UInt64 = 0x6861_7072_6967_0001

  var mark: UInt64
  /// The rig file's fingerprint and the clock: both sides must mean the same card.
  var fingerprint: UInt64
  var lock: pthread_mutex_t

  var frame: Int
  /// Frames of silence that come before the oldest drive frame of the ring.
  var missing: Int
  /// The position after the newest drive frame, counted since the card was made.
  var head: Int
  /// The position of the oldest drive frame that was not taken yet.
  var tail: Int
  /// How many frames the ring holds now; a power of two.
  var ringFrames: Int
  /// The moment of card frame 0 on the real clock, in nanoseconds of `CLOCK_MONOTONIC`; 0 before
  /// the first start.
  var origin: Int64
  /// How many faults of the script have struck.
  var faultsPassed: Int
  /// Other than 0 once the script has pulled the plug.
  var unplugged: Int32

  var playback: SideState
  var capture: SideState

  var isUnplugged: Bool { unplugged != 0 }
}

struct SideState {
  enum Phase: Int32 {
    case closed
    /// A program has it, and has not prepared it yet.
    case opened
    /// It will start.
    case prepared
    case running
    /// Frames move until none is left.
    case draining
    case idle
    /// It stopped by itself, and waits to be prepared again.
    case xrun
  }

  private var code: Int32
  var process: Int32
  /// Other than 0 once a program has opened it.
  var seen: Int32
  /// Other than 0 where an xrun stops the stream, as is usual.
  var stops: Int32
  /// Playback: the ring position of the stream's first frame.
  var start: Int
  /// The card frame of the stream's first frame.
  var startFrame: Int
  var moved: Int
  var bufferFrames: Int
  var wakeFrames: Int

  var phase: Phase {
    get { Phase(rawValue: code) ?? .closed }
    set { code = newValue.rawValue }
  }

  /// True where virtual time has to wait for this side.
  var isAwaited: Bool { phase == .opened || phase == .prepared || phase == .xrun }

  /// How many frames virtual time keeps from filling or emptying the buffer to its end.
  ///
  /// A full capture or an empty playback buffer looks like an xrun to many programs.
  var slack: Int { wakeFrames >= bufferFrames ? 0 : 1 }
}

enum CardDirection: Int, Sendable, CustomStringConvertible {
  case playback
  case capture

  var other: CardDirection { self == .playback ? .capture : .playback }

  var description: String { self == .playback ? "playback" : "capture" }
}

extension CardMemory {
  subscript(direction: CardDirection) -> SideState {
    get { direction == .playback ? playback : capture }
    set { if direction == .playback { playback = newValue } else { capture = newValue } }
  }
}
