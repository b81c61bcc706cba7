public import Acceptance
public import Devices
public import Perception

/// Measures one take: its chain, its events, its pattern, its sound.
///
/// Pure: recording and drive in, readings and pictures out; the same inputs give the same bytes.
public struct TakeAnalysis: Sendable {
  /// What a take told.
  public struct Result: Sendable {
    /// The readings, not yet judged.
    public var readings: [Reading]
    /// What a report draws.
    public var figure: TakeFigure
    /// Events that were not measured, each with the reason.
    public var rejected: [RunRecord.Rejection]
    /// Whether the take's probe found the actuator of the profile; `nil` without a profile, or without a fit.
    public var actuator: SetupFinding?
  }

  let rig: RigDescription
  let target: IntensityTarget

  /// Makes an analysis for a rig, judging levels by a law.
  public init(rig: RigDescription, target: IntensityTarget) {
    self.rig = rig
    self.target = target
  }

  /// Measures a take of a pattern.
  public func measure(
    _ take: TakeDrive, _ recording: Recording, pattern: String, number: Int
  ) -> Result {
    let source = CapturedTake(
      rig: rig, target: target, drive: take, recording: recording, pattern: pattern,
      number: number)
    let events = EventMeasurement(source: source).events()
    let sync = SyncMeasurer(source: source).readings()
    let measured: [[Reading]] = [
      StreamMeasurer(source: source).readings(),
      ChainMeasurer(source: source).readings(),
      events.flatMap(\.readings),
      ScoredMeasurer(source: source, events: events).readings(),
      StrayMeasurer(source: source).readings(),
      EnvelopeMeasurer(source: source).readings(),
      QuantisationMeasurer(source: source).readings(),
      sync,
    ]
    let readings = measured.flatMap(\.self)
    let harmony = HarmonyMeasurer(source: source, of: readings).readings()
    return Result(
      readings: readings + harmony,
      figure: FigureDrawing(source: source, events: events).figure(),
      rejected: events.compactMap { event in
        event.rejection.map { RunRecord.Rejection(event: event.index, reason: $0) }
      }
        + sync.compactMap { reading in
          guard let event = reading.event, let reason = reading.note, reading.value == nil else {
            return nil
          }
          return RunRecord.Rejection(event: event, reason: reason)
        },
      actuator: MountedActuator.finding(of: source))
  }
}
