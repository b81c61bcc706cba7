import Profiles

/// The steps of a calibration in their order; the numbers count segments of a kind.
enum CalibrationStage: Sendable, Equatable {
  case rest
  case wake(Int)
  case otherChannel(Int)
  case sweep(Int)
  case diagnosis(String)
  case ceiling(Int)
  case taps(Int)
  case grid(Int)
  case verification
  case tapVerification
  case closing
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
    case .ceiling: "finding its ceiling"
    case .taps: "shaping taps"
    case .grid: "refining the grid"
    case .verification, .tapVerification, .motorVerification: "verifying"
    case .closing, .motorClosing: "making sure that it is the same"
    case .motorSteps: "running up the motor"
    case .finished: "done"
    }
  }

  /// Where the step stands among all, and the rig time in seconds from it to the end.
  var place: (number: Int, remaining: Double) {
    switch self {
    case .rest: (1, 48)
    case .wake, .motorStart: (2, 46)
    case .otherChannel: (2, 46)
    case .sweep(let index): (3 + min(index, 8), 44 - 1.4 * Double(min(index, 8)))
    case .diagnosis: (11, 33)
    case .ceiling(let round): (12 + min(round, 1), round == 0 ? 31 : 28)
    case .taps(let round): (14 + min(round, 1), round == 0 ? 27 : 25)
    case .grid(let round): (16 + min(round, 2), round == 0 ? 23 : 15)
    case .motorSteps: (10, 20)
    case .verification, .motorVerification: (19, 10)
    case .tapVerification: (20, 3)
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
  case motor(MotorPlan)
}
