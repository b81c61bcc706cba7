public import Acceptance
public import Devices
import HapticRendering
public import Perception
import SoundFiles
import Units

/// A plan on a rig: plays every pattern as often as asked, keeps what was recorded, measures it.
///
/// While one take is measured the next is played. What was measured before a fault or an
/// interruption stays in the outcome.
public struct PlanRun: Sendable {
  /// What a person watches.
  public enum Progress: Sendable {
    /// A take begins.
    case began(pattern: String, take: Int, done: Int, total: Int)
    /// A take is being played; `overall` is the share of the whole run that was played.
    case playing(pattern: String, share: Double, overall: Double)
    /// A take was measured.
    case measured(pattern: String, take: Int)
  }

  /// What came of a run, not yet judged.
  public struct Outcome: Sendable {
    /// The patterns that were played, in the order of the plan.
    public var patterns: [RunRecord.Pattern] = []
    /// The patterns of the control, where one was played.
    public var controlPatterns: [RunRecord.Pattern] = []
    /// Every reading in the order of patterns and takes.
    public var readings: [Reading] = []
    /// One picture a take.
    public var figures: [TakeFigure] = []
    /// What ended the run early.
    public var fault: DeviceError?
    /// The setup check that did not hold in a take, and ended the run.
    public var stray: SetupFinding?

    /// Makes what comes of a run that has not begun.
    public init() {}
  }

  let plan: Plan
  let patterns: [LoadedPattern]
  let builder: TakeBuilder
  let analysis: TakeAnalysis
  let folder: String?
  let stems: [String]
  let schedule: PlanSchedule
  /// How many frames a take of each pattern has.
  let takeLengths: [Int]

  /// Prepares a run.
  ///
  /// - Parameters:
  ///   - plan: Repeats and limits.
  ///   - patterns: What is played, in this order.
  ///   - builder: How patterns become takes on the rig.
  ///   - target: The law that levels are judged by.
  ///   - folder: Where recordings are kept; `nil` keeps none.
  ///   - prefix: What the names of recordings begin with.
  public init(
    plan: Plan, patterns: [LoadedPattern], builder: TakeBuilder, target: IntensityTarget,
    folder: String?, prefix: String = ""
  ) {
    self.plan = plan
    self.patterns = patterns
    self.builder = builder
    analysis = TakeAnalysis(rig: builder.rig, target: target)
    self.folder = folder
    stems = Self.fileStems(patterns.map { prefix + $0.name })
    schedule = PlanSchedule(plan, patternCount: patterns.count)
    takeLengths = patterns.map { builder.frameCount(of: $0) }
  }

  /// Plays and measures on devices that stay open: restarts only start their streams anew.
  ///
  /// - Parameters:
  ///   - session: The open rig.
  ///   - progress: Called from the run's task.
  /// - Returns: What was measured, up to a fault where one ended the run.
  /// - Throws: `SoundFileError` where a recording cannot be written.
  public func execute(
    _ session: Session, progress: @escaping @Sendable (Progress) -> Void = { _ in }
  ) async throws -> Outcome {
    try await execute(opening: { _ in session }, control: nil, progress: progress)
  }

  /// Plays and measures.
  ///
  /// - Parameters:
  ///   - open: Closes what is open and opens the devices, for the first time (1), the second, and so on.
  ///     No session of an earlier call is used or held any more.
  ///   - control: What is measured between takes, where the plan asks for it.
  ///   - progress: Called from the run's task.
  /// - Returns: What was measured, up to a fault where one ended the run.
  /// - Throws: `SoundFileError` where a recording cannot be written, and whatever the first opening
  ///   throws; a later one that fails is a fault in the outcome.
  public func execute(
    opening open: (Int) async throws -> Session, control: ControlRun?,
    progress: @escaping @Sendable (Progress) -> Void = { _ in }
  ) async throws -> Outcome {
    var work = PlanWork(self, control: control, progress)
    var session: Session? = try await open(1)
    var opened = 1
    try await withThrowingTaskGroup(of: MeasuredTake.self) { group in
      for step in schedule.steps where work.outcome.fault == nil {
        switch step {
        case .control(let round):
          guard let control, let session else { continue }
          let overall = work.share
          work.add(
            try await control.measure(round, beside: session) { pattern, share in
              progress(.playing(pattern: "control: \(pattern)", share: share, overall: overall))
            })
        case .take(let pattern, let number, let opening):
          if opening != opened {
            session = nil
            opened = opening
            do {
              session = try await open(opening)
            } catch let fault as DeviceError {
              work.outcome.fault = fault
              continue
            }
          }
          guard let session else { continue }
          let played = await work.play(pattern, number: number, opening: opening, on: session)
          // One take at a time is measured: recordings of a long run never pile up.
          if let earlier = try await group.next() { work.keep(earlier) }
          group.addTask { try measure(played) }
        }
      }
      while let last = try await group.next() { work.keep(last) }
    }
    return work.finish()
  }

  func account(of pattern: LoadedPattern) -> RunRecord.Pattern {
    let timeline = builder.timeline(of: pattern)
    return RunRecord.Pattern(
      name: pattern.name, file: pattern.file, duration: timeline.duration,
      events: timeline.events.count, diagnostics: pattern.findings, takes: [],
      timeline: timeline.events.map { RunRecord.Event(kind: $0.kind.rawValue, start: $0.start) })
  }
}

extension PlanRun {
  /// How many takes the run plays, the control's not counted.
  public var takeCount: Int { schedule.takeCount }

  /// How many frames all its takes have.
  public var frameCount: Int {
    schedule.steps.reduce(0) { sum, step in
      if case .take(let pattern, _, _) = step { sum + takeLengths[pattern] } else { sum }
    }
  }
}
