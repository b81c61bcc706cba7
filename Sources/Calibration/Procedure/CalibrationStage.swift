import Profiles

/// The steps of a calibration in their order; the numbers count segments of a kind.
enum CalibrationStage: Sendable, Equatable {
  case rest
  case wake(Int)
  case otherChannel(Int)
  case sweep(Int)
  case diagnosis(String)
  case turning(CalibrationRefusal)
  case amplifier
  case ceiling(Int)
  case taps(Int)
  case grid(Int)
  case verification
  case tapVerification(Int)
  case pattern
  case closing
  case remount(Int)
  case motorStart
  case motorSteps
  case motorVerification
  case motorClosing
  case finished

  /// The step's name as a person reads it.
  var name: String {
    switch self {
    case .rest: "listening at rest"
    case .wake, .motorStart: "looking for the actuator"
    case .otherChannel: "trying the other channels"
    case .sweep: "sweeping its resonance"
    case .diagnosis: "looking again at a small signal"
    case .turning: "looking what kind it is"
    case .amplifier: "trying the amplifier"
    case .ceiling: "finding its ceiling"
    case .taps: "shaping taps"
    case .grid: "refining the grid"
    case .verification, .tapVerification, .pattern, .motorVerification: "verifying"
    case .closing, .motorClosing: "making sure that it is the same"
    case .remount: "mounted again"
    case .motorSteps: "running up the motor"
    case .finished: "done"
    }
  }

  /// Where the step stands among all, and the rig time in seconds from it to the end.
  var place: (number: Int, remaining: Double) {
    switch self {
    case .rest: (1, 51)
    case .wake, .motorStart: (2, 49)
    case .otherChannel: (2, 49)
    case .sweep(let index): (3 + min(index, 8), 47 - 1.4 * Double(min(index, 8)))
    case .diagnosis, .amplifier: (11, 36)
    case .turning: (2, 49)
    case .ceiling(let round): (12 + min(round, 1), round == 0 ? 34 : 31)
    case .taps(let round): (14 + min(round, 1), round == 0 ? 30 : 28)
    case .grid(let round): (16 + min(round, 2), round == 0 ? 26 : 18)
    case .motorSteps: (10, 20)
    case .verification, .motorVerification: (19, 14)
    case .tapVerification: (20, 7)
    case .pattern: (20, 5)
    case .remount: (21, 2)
    case .closing, .motorClosing: (21, 1.5)
    case .finished: (21, 0)
    }
  }

  /// How many steps there are.
  static let count = 21
}

/// How a segment is read.
enum SegmentPlan: Sendable, Equatable {
  case silence
  case sweep(SweepPlan)
  case tones(TonePlan)
  case taps(TapPlan)
  case pattern(PatternPlan)
  case motor(MotorPlan)
}
