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
    /// A take is being played.
    case playing(pattern: String, share: Double)
    /// A take was measured.
    case measured(pattern: String, take: Int)
  }

  /// What came of a run, not yet judged.
  public struct Outcome: Sendable {
    /// The patterns in the order they were played.
    public var patterns: [RunRecord.Pattern] = []
    /// Every reading in the order of patterns and takes.
    public var readings: [Reading] = []
    /// One picture a take.
    public var figures: [TakeFigure] = []
    /// What ended the run early.
    public var fault: DeviceError?
  }

  let plan: Plan
  let patterns: [LoadedPattern]
  let builder: TakeBuilder
  let analysis: TakeAnalysis
  let folder: String?
  let stems: [String]

  /// Prepares a run.
  ///
  /// - Parameters:
  ///   - plan: Repeats and limits.
  ///   - patterns: What is played, in this order.
  ///   - builder: How patterns become takes on the rig.
  ///   - target: The law that levels are judged by.
  ///   - folder: Where recordings are kept; `nil` keeps none.
  public init(
    plan: Plan, patterns: [LoadedPattern], builder: TakeBuilder, target: IntensityTarget,
    folder: String?
  ) {
    self.plan = plan
    self.patterns = patterns
    self.builder = builder
    analysis = TakeAnalysis(rig: builder.rig, target: target)
    self.folder = folder
    stems = Self.fileStems(patterns.map(\.name))
  }

  /// Plays and measures.
  ///
  /// - Parameters:
  ///   - session: The open rig.
  ///   - progress: Called from the run's task.
  /// - Returns: What was measured, up to a fault where one ended the run.
  /// - Throws: `SoundFileError` where a recording cannot be written.
  public func execute(
    _ session: Session, progress: @escaping @Sendable (Progress) -> Void = { _ in }
  ) async throws -> Outcome {
    var outcome = Outcome()
    let total = patterns.count * plan.repeats
    try await withThrowingTaskGroup(of: MeasuredTake.self) { group in
      var done = 0
      takes: for pattern in patterns {
        outcome.patterns.append(account(of: pattern))
        for number in 1...plan.repeats {
          progress(.began(pattern: pattern.name, take: number, done: done, total: total))
          let take = builder.build(pattern)
          let recording = await session.play(take) {
            progress(.playing(pattern: pattern.name, share: $0))
          }
          // One take at a time is measured: recordings of a long run never pile up.
          if let earlier = try await group.next() { keep(earlier, &outcome, progress) }
          let (place, name) = (outcome.patterns.count - 1, pattern.name)
          group.addTask {
            try measure(take, recording, place: place, name: name, number: number)
          }
          done += 1
          if let fault = recording.fault {
            outcome.fault = fault
            break takes
          }
        }
      }
      while let last = try await group.next() { keep(last, &outcome, progress) }
    }
    outcome.readings.append(jitter(outcome.readings))
    return outcome
  }

  private func keep(
    _ take: MeasuredTake, _ outcome: inout Outcome, _ progress: (Progress) -> Void
  ) {
    outcome.patterns[take.place].takes.append(take.account)
    outcome.readings += take.readings
    if let figure = take.figure { outcome.figures.append(figure) }
    progress(.measured(pattern: outcome.patterns[take.place].name, take: take.account.number))
  }

  private func account(of pattern: LoadedPattern) -> RunRecord.Pattern {
    let timeline = builder.timeline(of: pattern)
    return RunRecord.Pattern(
      name: pattern.name, file: pattern.file, duration: timeline.duration,
      events: timeline.events.count, diagnostics: pattern.findings, takes: [])
  }

  /// The spread of the electrical delay from start to start.
  private func jitter(_ readings: [Reading]) -> Reading {
    let delays = readings.filter { $0.name.kind == .latencyElectrical }.compactMap(\.value)
    guard delays.count >= 3 else {
      return Reading(
        notMeasured: .latencyJitter,
        because: "\(delays.count) takes have an electrical delay, and a spread needs three")
    }
    let mean = delays.reduce(0, +) / Double(delays.count)
    let squares = delays.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    let deviation = (squares / Double(delays.count - 1)).squareRoot()
    return Reading(
      .latencyJitter, value: deviation,
      uncertainty: deviation / Double(2 * (delays.count - 1)).squareRoot(), count: delays.count)
  }
}

/// One take after its measurement.
struct MeasuredTake: Sendable {
  let place: Int
  let account: RunRecord.Take
  let readings: [Reading]
  let figure: TakeFigure?
}
