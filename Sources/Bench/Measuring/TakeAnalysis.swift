package import Acceptance
package import Devices
package import Perception

/// Measures one take: its chain, its events, its pattern, its sound.
///
/// Pure: recording and drive in, readings and pictures out; the same inputs give the same bytes.
package struct TakeAnalysis: Sendable {
  package struct Result: Sendable {
    package var readings: [Reading]
    package var figure: TakeFigure
    package var rejected: [RunRecord.Rejection]
    /// Whether the take's probe found the actuator of the profile; `nil` without a profile, or without a fit.
    package var actuator: SetupFinding?
  }

  let rig: RigDescription
  let target: IntensityTarget

  package init(rig: RigDescription, target: IntensityTarget) {
    self.rig = rig
    self.target = target
  }

  package func measure(
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
