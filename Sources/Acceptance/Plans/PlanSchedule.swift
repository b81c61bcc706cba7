/// What a plan plays, take by take: the order, the restarts, the control between.
public struct PlanSchedule: Sendable, Equatable {
  /// One thing to do.
  public enum Step: Sendable, Equatable {
    /// A pattern by its place in the plan, its repeat from 1, and the opening of the devices, from 1.
    case take(pattern: Int, number: Int, opening: Int)
    /// The control, from 1.
    case control(round: Int)
  }

  /// What is done, in order.
  public let steps: [Step]

  /// Lays out a plan.
  ///
  /// The repeats are shared among `restarts` + 1 openings of the devices as evenly as can be, the
  /// earlier ones taking what is left over, and each opening plays every pattern. No opening stays
  /// without a take: a plan of fewer repeats restarts less often. A shuffled order is drawn for each
  /// opening, and repeats are numbered as they are played. Equal plans give equal steps.
  ///
  /// - Parameters:
  ///   - plan: Repeats, restarts, order, seed, control.
  ///   - patternCount: How many patterns are played.
  public init(_ plan: Plan, patternCount: Int) {
    var random = SplitMix(state: plan.seed)
    var played = [Int](repeating: 0, count: patternCount)
    let openings = min(plan.restarts, plan.repeats - 1) + 1
    var steps: [Step] = []
    var (takes, rounds) = (0, 0)
    for opening in 0..<openings {
      let repeats = plan.repeats / openings + (opening < plan.repeats % openings ? 1 : 0)
      var order = (0..<patternCount).flatMap { [Int](repeating: $0, count: repeats) }
      if plan.order == .shuffled { random.shuffle(&order) }
      for pattern in order {
        if let control = plan.control,
          takes == 0 || control.every.map({ takes.isMultiple(of: $0) }) == true
        {
          rounds += 1
          steps.append(.control(round: rounds))
        }
        played[pattern] += 1
        steps.append(.take(pattern: pattern, number: played[pattern], opening: opening + 1))
        takes += 1
      }
    }
    self.steps = steps
  }

  /// How many takes there are, the control's not counted.
  public var takeCount: Int {
    steps.count { if case .take = $0 { true } else { false } }
  }

  /// How often the control is measured.
  public var controlRounds: Int { steps.count - takeCount }
}

/// SplitMix64 (Steele, Lea and Flood 2014): the same draws from a seed with every version of Swift.
private struct SplitMix {
  var state: UInt64

  private mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  /// Fisher and Yates, from the end; a 64-bit draw's bias on places of an array is below 1e-14.
  mutating func shuffle(_ values: inout [Int]) {
    guard values.count > 1 else { return }
    for last in stride(from: values.count - 1, to: 0, by: -1) {
      values.swapAt(last, Int(next().multipliedFullWidth(by: UInt64(last + 1)).high))
    }
  }
}
