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

  /// How many segments are usual from this one to the end, remounts apart, and the rig time in seconds
  /// that they take.
  ///
  /// A calibration plays what it needs: where it needs more or less, the sum changes, and no number is
  /// left out or given twice.
  var rest: (segments: Int, seconds: Double) {
    switch self {
    case .rest: (20, 51)
    case .wake, .otherChannel, .turning: (19, 49)
    case .sweep(let index): (max(10, 18 - index), 47 - 1.4 * Double(min(index, 8)))
    case .diagnosis, .amplifier: (10, 36)
    case .ceiling(let round): (9, round == 0 ? 34 : 31)
    case .taps(let round): (max(7, 8 - round), round == 0 ? 30 : 28)
    case .grid(let round): (6, round == 0 ? 26 : 18)
    case .verification: (5, 14)
    case .tapVerification(let round): (max(3, 4 - round), 7)
    case .pattern: (2, 5)
    case .closing: (1, 1.5)
    case .motorStart: (4, 49)
    case .motorSteps: (3, 20)
    case .motorVerification: (2, 14)
    case .motorClosing: (1, 1.5)
    case .remount: (0, 2)
    case .finished: (0, 0)
    }
  }
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
