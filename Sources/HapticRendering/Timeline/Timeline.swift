// SPDX-License-Identifier: Apache-2.0

/// A pattern in absolute seconds: events in the order of time, controls put together.
public struct Timeline: Sendable, Equatable {
  /// The events by rising start; of equal starts the earlier in the file first.
  public let events: [TimelineEvent]
  /// The dynamic parameters.
  public let controls: Controls
  /// The pattern's duration as Apple counts it, without release tails, in seconds.
  public let duration: Double

  /// Makes a timeline; events are put in order and numbered.
  public init(events: [TimelineEvent], controls: Controls, duration: Double) {
    let ordered = events.enumerated().sorted {
      $0.element.start != $1.element.start
        ? $0.element.start < $1.element.start : $0.offset < $1.offset
    }
    self.events = ordered.enumerated().map { index, entry in
      var event = entry.element
      event.index = index
      return event
    }
    self.controls = controls
    self.duration = duration
  }

  /// When nothing of it is left, in seconds: the last release tail included.
  public var end: Double { max(duration, events.map(\.end).max() ?? 0) }
}

/// One event with every default, range and law of time applied: nothing is left to look up.
public struct TimelineEvent: Sendable, Equatable {
  /// What the event does.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case transient = "HapticTransient"
    case continuous = "HapticContinuous"
    /// A synthesized tone.
    case tone = "AudioContinuous"
    case sound = "AudioCustom"

    /// Whether it is felt; otherwise it is heard.
    public var isHaptic: Bool { self == .transient || self == .continuous }
  }

  /// What only sounds have.
  public struct Sound: Sendable, Equatable {
    /// The sound file's path as written; `nil` for a synthesized tone.
    public var path: String?
    /// 0...1.
    public var volume = 1.0
    /// -1...1: an octave either way.
    public var pitch = 0.0
    /// From -1, left, to 1, right.
    public var pan = 0.0
    /// 0...1, 1 is bright.
    public var brightness = 1.0
    /// Whether the sound is ramped in and out.
    public var usesEnvelope = true
    /// Whether the file repeats for the event's duration.
    public var loops = false
  }

  /// The place in the order of time, from 0.
  public var index: Int
  /// What it does.
  public var kind: Kind
  /// When it begins, in seconds of the pattern.
  public var start: Double
  /// The gain over its life.
  ///
  /// A transient's duration is the length of its burst; the duration of a sound file that gives none
  /// is the file's, known once the file is.
  public var envelope: Envelope
  /// The intensity as written or by default, 0...1, before any control.
  public var intensity = 0.0
  /// The sharpness as written or by default, 0...1, before any control.
  public var sharpness = 0.0
  /// What only sounds have.
  public var sound: Sound?

  /// When nothing of it is left, in seconds of the pattern.
  public var end: Double { start + envelope.end }
}

/// The gain of one event over its life, in seconds from its start: straight lines throughout.
///
/// Sustained: up in `attack`, held to `duration`, down in `release`, which runs past the duration.
/// Not sustained: up in `attack`, down in `decay`, and over, without regard to the duration.
public struct Envelope: Sendable, Equatable {
  /// The rise in seconds.
  public let attack: Double
  /// The fall of an event that is not sustained, in seconds.
  public let decay: Double
  /// The fall after the duration of a sustained event, in seconds.
  public let release: Double
  /// Whether the event holds its level for its duration.
  public let isSustained: Bool
  /// The time to the start of the release, in seconds.
  public let duration: Double

  /// Makes an envelope; the times are not negative.
  public init(
    attack: Double, decay: Double, release: Double, isSustained: Bool, duration: Double
  ) {
    self.attack = attack
    self.decay = decay
    self.release = release
    self.isSustained = isSustained
    self.duration = duration
  }

  /// The time at which the gain is back to zero for good, in seconds.
  public var end: Double { isSustained ? duration + release : attack + decay }

  /// The gain 0...1 at a time in seconds.
  @_noAllocation @_noLocks
  public func gain(at time: Double) -> Double {
    if time < 0 || time >= end { return 0 }
    if !isSustained {
      return time < attack ? time / attack : Self.fall((time - attack) / decay)
    }
    if time >= duration {
      // A release that begins inside the attack starts from where the attack had got to.
      let level = duration < attack ? duration / attack : 1
      return level * Self.fall((time - duration) / release)
    }
    return time < attack ? time / attack : 1
  }

  /// What is left after a share of a fall; rounding may carry the share past 1.
  @_noAllocation @_noLocks
  private static func fall(_ share: Double) -> Double { share < 1 ? 1 - share : 0 }
}
