import AHAP

/// One dynamic parameter of a player: the line that is in force, and what put it there.
///
/// The newest wins: a piece takes over unless the step or curve in force began after its own.
struct LiveControl {
  /// When the line begins, in seconds of the clock.
  private(set) var time: Double
  private(set) var value: Double
  /// A second of the clock.
  private(set) var slope: Double
  /// Whether the player's own pattern put it there.
  private(set) var isOwn: Bool
  private var sourceTime: Double
  private var sourceOrder: Int
  private let lowest: Double

  /// Neutral since ever.
  init(_ id: DynamicParameterID) {
    self.init(neutral: id.neutral, lowest: id.range.lowerBound)
  }

  @_noAllocation @_noLocks
  private init(neutral: Double, lowest: Double) {
    time = 0
    value = neutral
    slope = 0
    isOwn = true
    sourceTime = -.infinity
    sourceOrder = .min
    self.lowest = lowest
  }

  /// Takes a piece over, unless what is in force began later; says whether it did.
  @_noAllocation @_noLocks
  mutating func take(
    value: Double, slope: Double, at time: Double, sourceTime: Double, order: Int, isOwn: Bool
  ) -> Bool {
    guard
      sourceTime > self.sourceTime || (sourceTime == self.sourceTime && order >= sourceOrder)
    else { return false }
    self.time = time
    self.value = value
    self.slope = slope
    self.sourceTime = sourceTime
    sourceOrder = order
    self.isOwn = isOwn
    return true
  }

  /// Makes it neutral again; what neutral is follows from the range.
  @_noAllocation @_noLocks
  mutating func forget() { self = LiveControl(neutral: lowest < 0 ? 0 : 1, lowest: lowest) }

  /// The value at a time of the clock, inside the parameter's range.
  @_noAllocation @_noLocks @inline(__always)
  func value(at time: Double) -> Double {
    let sum = value + slope * (time - self.time)
    return sum > lowest ? (sum < 1 ? sum : 1) : lowest
  }

  /// Whether the value is 0 and stays there.
  @_noAllocation @_noLocks @inline(__always)
  func isZero() -> Bool { value == 0 && slope == 0 }
}

/// The dynamic parameters as a stage looks them up.
enum ControlPlace {
  case hapticIntensity, hapticSharpness, hapticAttack, hapticDecay, hapticRelease
  case audioVolume, audioPan, audioPitch, audioBrightness, audioAttack, audioDecay, audioRelease

  /// The place in `DynamicParameterID.allCases`.
  var index: Int {
    @_noAllocation @_noLocks get {
      switch self {
      case .hapticIntensity: 0
      case .hapticSharpness: 1
      case .hapticAttack: 2
      case .hapticDecay: 3
      case .hapticRelease: 4
      case .audioVolume: 5
      case .audioPan: 6
      case .audioPitch: 7
      case .audioBrightness: 8
      case .audioAttack: 9
      case .audioDecay: 10
      case .audioRelease: 11
      }
    }
  }
}
