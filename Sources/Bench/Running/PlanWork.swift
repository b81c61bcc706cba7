import Acceptance
import Devices
import Units

struct PlayedTake: Sendable {
  let take: TakeDrive
  let recording: Recording
  let pattern: Int
  let number: Int
  /// The place among all takes, from 1.
  let place: Int
  /// The opening of the devices, from 1.
  let opening: Int
}

struct MeasuredTake: Sendable {
  let pattern: Int
  let account: RunRecord.Take
  var readings: [Reading]
  let figure: TakeFigure?
  var actuator: SetupFinding?
}

/// A run while it goes on: what was played, what was measured of it.
struct PlanWork {
  private let run: PlanRun
  private let progress: @Sendable (PlanRun.Progress) -> Void
  /// What came of the run so far, readings and patterns not yet in order.
  var outcome = PlanRun.Outcome()
  private var accounts: [Int: RunRecord.Pattern] = [:]
  private var takes: [MeasuredTake] = []
  private var controlReadings: [Reading] = []
  private var drives = RepeatedDrive()
  private var place = 0
  private let totalFrames: Int
  private var playedFrames = 0
  private let controlRate: SampleRate?

  init(
    _ run: PlanRun, control: ControlRun?,
    _ progress: @escaping @Sendable (PlanRun.Progress) -> Void
  ) {
    self.run = run
    controlRate = control?.rate
    self.progress = progress
    totalFrames = run.frameCount
  }

  /// The share of the run that was played, by the length of its takes.
  var share: Double { Double(playedFrames) / Double(max(1, totalFrames)) }

  mutating func play(
    _ index: Int, number: Int, opening: Int, on session: Session
  ) async -> PlayedTake {
    let pattern = run.patterns[index]
    if accounts[index] == nil { accounts[index] = run.account(of: pattern) }
    progress(
      .began(pattern: pattern.name, take: number, done: place, total: run.schedule.takeCount))
    let take = drives.drive(of: index, in: run.patterns, by: run.builder)
    let (played, length, total) = (playedFrames, run.takeLengths[index], max(1, totalFrames))
    let recording = await session.play(take) { [progress] share in
      let overall = (Double(played) + share * Double(length)) / Double(total)
      progress(.playing(pattern: pattern.name, share: share, overall: overall))
    }
    place += 1
    playedFrames += length
    if let fault = recording.fault { outcome.fault = fault }
    return PlayedTake(
      take: take, recording: recording, pattern: index, number: number, place: place,
      opening: opening)
  }

  mutating func keep(_ take: MeasuredTake) {
    var take = take
    if let actuator = take.actuator, !actuator.holds {
      // Its levels would be another device's.
      take.readings = []
      if outcome.fault == nil {
        outcome.stray = actuator
        outcome.fault = actuator.refusal(of: run.builder.rig)
      }
    }
    takes.append(take)
    progress(
      .measured(pattern: run.patterns[take.pattern].name, take: take.account.number))
  }

  mutating func add(_ round: ControlRun.Round) {
    controlReadings += round.readings
    for pattern in round.patterns {
      if let known = outcome.controlPatterns.firstIndex(where: { $0.name == pattern.name }) {
        outcome.controlPatterns[known].takes += pattern.takes
      } else {
        outcome.controlPatterns.append(pattern)
      }
    }
    if let fault = round.fault { outcome.fault = fault }
  }

  /// Puts everything into the order of patterns and takes, and adds what only the whole run tells.
  consuming func finish() -> PlanRun.Outcome {
    takes.sort { ($0.pattern, $0.account.number) < ($1.pattern, $1.account.number) }
    outcome.patterns = accounts.sorted { $0.key < $1.key }.map { index, account in
      var account = account
      account.takes = takes.filter { $0.pattern == index }.map(\.account)
      return account
    }
    outcome.readings = RunScore.whole(
      outcome.patterns, takes.flatMap(\.readings), rate: run.builder.rig.drive.rate)
    outcome.figures = takes.compactMap(\.figure)
    if let controlRate {
      outcome.readings += RunScore.control(
        outcome.controlPatterns, controlReadings, rate: controlRate)
    }
    return outcome
  }
}

extension Reading {
  var ofControl: Reading {
    var reading = self
    reading.name = ReadingName(name.kind, isControl: true)
    return reading
  }
}
