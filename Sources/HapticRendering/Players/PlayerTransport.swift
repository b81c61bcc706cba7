// SPDX-License-Identifier: Apache-2.0

/// Where a player is in its pattern: a state machine on a clock that is given.
///
/// A value without a clock of its own: every call says when it happens, in seconds that never run back.
/// What the play does by itself (its end, the turn of a loop) happens at `edge`; whoever owns the value
/// passes every edge that is due before it applies an action of the same instant or later.
///
/// | phase | start | stop, cancel | pause | resume | seek |
/// | --- | --- | --- | --- | --- | --- |
/// | stopped | plays from where a seek led, else 0 | - | - | - | the next start begins there |
/// | playing | plays from 0 | stopped | paused | - | plays from there |
/// | paused | plays from 0 | stopped | - | plays on | is held there |
public struct PlayerTransport: Sendable, Equatable {
  /// What a player does.
  public enum Phase: Sendable, Equatable {
    case stopped
    case playing
    case paused
  }

  /// What an action or an edge did to the play.
  public enum Change: Sendable, Equatable {
    /// Nothing that is felt at once.
    case none
    /// It plays from `position` on, wherever it was before.
    case entered
    case held
    case turned
    /// It was ended by an action.
    case stopped
    /// It came to its end.
    case finished
  }

  /// No loop is shorter, in seconds: a pattern of no length would turn for ever in no time.
  public static var shortestLoop: Double {
    @_noAllocation @_noLocks get { 1e-3 }
  }

  /// The length of the pattern in seconds: where the play ends, and a loop turns unless told otherwise.
  public private(set) var length: Double
  /// What it does.
  public private(set) var phase = Phase.stopped
  /// Whether it turns back at the loop's end.
  public private(set) var isLooping = false
  /// Where a loop begins anew, in seconds of the pattern.
  public private(set) var loopStart = 0.0
  /// The loop's end as it was set: 0 for the pattern's own.
  public private(set) var loopEnd = 0.0
  /// Seconds of the pattern in a second of the clock.
  public private(set) var rate = 1.0
  /// Whether nothing is felt and heard of it.
  public private(set) var isMuted = false

  private var anchorTime = 0.0
  private var anchorPosition = 0.0

  /// Makes a player of a pattern that lasts `length` seconds, stopped.
  @_noAllocation @_noLocks
  public init(length: Double) { self.length = length > 0 ? length : 0 }

  /// Whether it plays.
  public var isPlaying: Bool {
    @_noAllocation @_noLocks get { if case .playing = phase { true } else { false } }
  }

  private var isStopped: Bool { if case .stopped = phase { true } else { false } }

  /// Where a loop turns, in seconds of the pattern.
  public var turn: Double {
    @_noAllocation @_noLocks get {
      let wanted = loopEnd > 0 ? loopEnd : length
      let shortest = loopStart + Self.shortestLoop
      return wanted > shortest ? wanted : shortest
    }
  }

  /// The place in the pattern at a time of the clock, in seconds.
  ///
  /// Of a player that is stopped: where the next start begins.
  @_noAllocation @_noLocks
  public func position(at time: Double) -> Double {
    isPlaying ? anchorPosition + (time - anchorTime) * rate : anchorPosition
  }

  /// When the play comes to a place of the pattern, in seconds of the clock; infinite unless it plays.
  @_noAllocation @_noLocks
  public func time(of position: Double) -> Double {
    isPlaying ? anchorTime + (position - anchorPosition) / rate : .infinity
  }

  /// When the play ends or turns by itself, in seconds of the clock; infinite unless it plays.
  public var edge: Double {
    @_noAllocation @_noLocks get { time(of: isLooping ? turn : length) }
  }

  /// The same play without an end: what rings out after it still goes by the pattern's own curves.
  @_noAllocation @_noLocks
  func withoutEnd() -> PlayerTransport {
    var endless = self
    endless.length = .infinity
    return endless
  }

  /// Ends or turns the play, at `edge`.
  @_noAllocation @_noLocks
  public mutating func passEdge() -> Change {
    let time = edge
    guard isPlaying else { return .none }
    if isLooping {
      move(to: loopStart, at: time)
      return .turned
    }
    end()
    return .finished
  }

  /// Does what is asked at a time of the clock, in seconds, and says what became of the play.
  ///
  /// A rate that is not above 0, a negative offset and a negative end of a loop change nothing.
  /// `takeOver`, `glide` and `tap` are a stage's: they change nothing here.
  @_noAllocation @_noLocks
  public mutating func apply(_ action: PlayerAction, at time: Double) -> Change {
    switch action {
    case .start:
      let from = isStopped && !(isLooping && anchorPosition >= turn) ? anchorPosition : 0
      phase = .playing
      move(to: from, at: time)
      return .entered
    case .stop, .cancel:
      let wasStopped = isStopped
      end()
      return wasStopped ? .none : .stopped
    case .pause:
      guard isPlaying else { return .none }
      move(to: position(at: time), at: time)
      phase = .paused
      return .held
    case .resume:
      guard !isPlaying, !isStopped else { return .none }
      phase = .playing
      move(to: anchorPosition, at: time)
      return .entered
    case .seek(let offset): return seek(offset, at: time)
    case .loop(let isOn):
      isLooping = isOn
      return turnBack(at: time)
    case .loopStart(let start):
      guard start >= 0 else { return .none }
      loopStart = start
      return turnBack(at: time)
    case .loopEnd(let end):
      guard end >= 0 else { return .none }
      loopEnd = end
      return turnBack(at: time)
    case .rate(let rate):
      guard rate > 0, rate < .infinity else { return .none }
      move(to: position(at: time), at: time)
      self.rate = rate
      return .none
    case .mute(let isOn):
      isMuted = isOn
      return .none
    case .control, .glide, .tap, .takeOver: return .none
    }
  }

  private mutating func seek(_ offset: Double, at time: Double) -> Change {
    guard offset >= 0 else { return .none }
    var target = offset
    if isLooping {
      if target >= turn { target = loopStart }
    } else if target >= length {
      let wasStopped = isStopped
      end()
      return wasStopped ? .none : .stopped
    }
    move(to: target, at: time)
    return isPlaying ? .entered : .none
  }

  /// Begins the loop again where the play is beyond an end that has just been set.
  private mutating func turnBack(at time: Double) -> Change {
    guard isLooping, !isStopped, position(at: time) >= turn else { return .none }
    move(to: loopStart, at: time)
    return isPlaying ? .entered : .none
  }

  private mutating func move(to position: Double, at time: Double) {
    anchorTime = time
    anchorPosition = position
  }

  private mutating func end() {
    phase = .stopped
    anchorPosition = 0
  }
}
