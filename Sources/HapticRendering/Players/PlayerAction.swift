// SPDX-License-Identifier: Apache-2.0

public import AHAP

/// What can be asked of a player at an instant.
public enum PlayerAction: Sendable, Equatable, BitwiseCopyable {
  /// Play from the beginning; from where `seek` led a player that is stopped.
  case start
  case stop
  case pause
  case resume
  /// Move to an offset in seconds of the pattern.
  case seek(Double)
  /// Whether the play turns back to the beginning at the loop's end.
  case loop(Bool)
  /// Where the loop begins anew, in seconds of the pattern.
  case loopStart(Double)
  /// The loop's end in seconds of the pattern; 0 for the pattern's own end.
  case loopEnd(Double)
  /// Seconds of the pattern in a second of the clock, above 0.
  case rate(Double)
  /// Whether nothing is felt and heard of the play, which goes on.
  case mute(Bool)
  /// End the play, and forget what was asked before for later.
  case cancel
  case control(ControlStep)
  /// Bring a dynamic parameter to a value along a straight line.
  case glide(ControlGlide)
  /// Begin a tap that is none of the pattern's; its strength is its own, and no parameter moves it.
  case tap(intensity: Float, sharpness: Float)
  /// Go on where the player of another slot is, which is stopped and let go; where that plays nothing, start.
  ///
  /// What both hold there goes on without a break: a vibration keeps its phase, and its level and sharpness
  /// move to the new ones in `StageConfiguration.exchange`.
  case takeOver(slot: Int)
}

/// A straight piece of a dynamic parameter, in force from the instant of its action on.
public struct ControlStep: Sendable, Equatable, BitwiseCopyable {
  /// The place of the parameter in `DynamicParameterID.allCases`.
  public let place: Int
  /// The value at the instant.
  public let value: Double
  /// How the value grows, a second of the clock.
  public let slope: Double
  /// How long before the instant the step or curve that the piece belongs to began, in seconds.
  public let age: Double

  /// Makes a piece of a step, or of a curve that began `age` seconds before.
  public init(_ id: DynamicParameterID, value: Double, slope: Double = 0, age: Double = 0) {
    place = id.place
    self.value = value
    self.slope = slope
    self.age = age
  }
}

/// A way of a dynamic parameter from its value at the instant of the action to another, which then stays.
public struct ControlGlide: Sendable, Equatable, BitwiseCopyable {
  /// The place of the parameter in `DynamicParameterID.allCases`.
  public let place: Int
  /// The value at the end.
  public let value: Double
  /// How long it takes, in seconds; above 0.
  public let seconds: Double

  /// Makes a way to a value.
  public init(_ id: DynamicParameterID, to value: Double, in seconds: Double) {
    precondition(seconds > 0, "a glide takes time, not \(seconds) s")
    place = id.place
    self.value = value
    self.seconds = seconds
  }

  @_noAllocation @_noLocks
  init(place: Int, value: Double, seconds: Double) {
    self.place = place
    self.value = value
    self.seconds = seconds
  }
}

extension DynamicParameterID {
  var place: Int {
    @_noAllocation @_noLocks get {
      switch self {
      case .hapticIntensity: 0
      case .hapticSharpness: 1
      case .hapticAttackTime: 2
      case .hapticDecayTime: 3
      case .hapticReleaseTime: 4
      case .audioVolume: 5
      case .audioPan: 6
      case .audioPitch: 7
      case .audioBrightness: 8
      case .audioAttackTime: 9
      case .audioDecayTime: 10
      case .audioReleaseTime: 11
      }
    }
  }

  static var count: Int {
    @_noAllocation @_noLocks get { 12 }
  }
}

/// Something that happened on a stage, for whoever tells the players' owners and keeps the record.
public struct StageNotice: Sendable, Equatable, BitwiseCopyable {
  /// What happened.
  public enum Kind: Sendable, Equatable, BitwiseCopyable {
    /// It plays from a place in seconds of the pattern.
    case entered(Double)
    case held
    case turned
    /// It was ended by an action.
    case stopped
    /// It came to its end.
    case finished
    /// It is gone, and its program may be.
    case removed
    /// An event began, or was taken up so many seconds after its beginning.
    case began(event: Int, age: Double)
    /// An event came to its release, or was cut.
    case left(event: Int)
    /// An event was left out: more were in force than there are voices.
    case dropped(event: Int)
    /// A dynamic parameter, by its place in `DynamicParameterID.allCases`, got a new course.
    case control(place: Int, value: Double, slope: Double)
    /// What was asked with a rank was done.
    case took(order: Int)
    /// What was asked with a rank was not done: too much waits already.
    case refused(order: Int)
  }

  /// Whose.
  public let slot: Int
  /// When, in seconds of the clock.
  public let time: Double
  /// What.
  public let kind: Kind

  @_noAllocation @_noLocks
  init(slot: Int, time: Double, kind: Kind) {
    self.slot = slot
    self.time = time
    self.kind = kind
  }
}
