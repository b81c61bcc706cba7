// SPDX-License-Identifier: Apache-2.0

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
      rig: rig, target: target, take: take, recording: recording, pattern: pattern, number: number)
    let events = source.measuredEvents()
    var list = ReadingList(source)
    source.addStream(to: &list)
    source.addChain(to: &list)
    list.readings += events.flatMap(\.readings)
    source.addScored(to: &list, events: events)
    source.addStrays(to: &list)
    source.addInapplicable(to: &list)
    source.addEnvelope(to: &list)
    source.addQuantisation(to: &list)
    source.addSync(to: &list)
    source.addHarmony(of: list.readings, to: &list)
    return Result(
      readings: list.readings,
      figure: source.figure(of: events),
      rejected: events.compactMap { event in
        event.rejection.map { RunRecord.Rejection(event: event.index, reason: $0) }
      }
        + list.readings.compactMap { reading in
          guard reading.name.kind == .syncAudioHaptic, reading.value == nil,
            let event = reading.event, let reason = reading.note
          else { return nil }
          return RunRecord.Rejection(event: event, reason: reason)
        },
      actuator: MountedActuator.finding(of: source))
  }
}
