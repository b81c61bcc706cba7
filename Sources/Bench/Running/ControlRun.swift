// SPDX-License-Identifier: Apache-2.0

import Acceptance
package import Devices
import SignalAnalysis
import Units

/// The A/A control of a run: other patterns on another rig, or the electrical loop of the same.
package struct ControlRun: Sendable {
  private enum Subject: Sendable {
    case rig(PlanRun, Session)
    case loop(RigDescription, LatencyPlan)
  }

  struct Round: Sendable {
    var readings: [Reading] = []
    var patterns: [RunRecord.Pattern] = []
    var fault: DeviceError?
  }

  private let subject: Subject

  package init(_ run: PlanRun, on session: Session) { subject = .rig(run, session) }

  /// Makes a control of a rig's own electrical loop: one stream of sweeps each time.
  package init(loopOf rig: RigDescription) {
    subject = .loop(rig, LatencyPlan(restarts: 1, duration: 3))
  }

  var rate: SampleRate {
    switch subject {
    case .rig(let run, _): run.builder.rig.drive.rate
    case .loop(let rig, _): rig.drive.rate
    }
  }

  /// Measures it once more; `round` counts from 1 and becomes the take of its readings.
  func measure(
    _ round: Int, beside session: Session,
    progress: @escaping @Sendable (String, Double) -> Void
  ) async throws -> Round {
    switch subject {
    case .rig(let run, let own): try await takes(run, on: own, round: round, progress)
    case .loop(let rig, let plan):
      try await loop(rig, plan, on: session, round: round) { progress("loop", $0) }
    }
  }

  private func takes(
    _ run: PlanRun, on session: Session, round number: Int,
    _ progress: @escaping @Sendable (String, Double) -> Void
  ) async throws -> Round {
    var round = Round()
    for (index, pattern) in run.patterns.enumerated() {
      let take = run.builder.build(pattern)
      let recording = await session.play(take) { progress(pattern.name, $0) }
      let measured = try run.measure(
        PlayedTake(
          take: take, recording: recording, pattern: index, number: number,
          place: (number - 1) * run.patterns.count + index + 1, opening: 1))
      var record = run.record(of: pattern)
      record.takes = [measured.record]
      round.patterns.append(record)
      round.readings += measured.readings.map(\.ofControl)
      if let fault = recording.fault {
        round.fault = fault
        break
      }
    }
    return round
  }

  private func loop(
    _ rig: RigDescription, _ plan: LatencyPlan, on session: Session, round: Int,
    _ progress: @escaping @Sendable (Double) -> Void
  ) async throws -> Round {
    let channel = rig.capture.channel(.reference)?.name
    do {
      let measured = try await LatencyMeasurement.measure(
        plan, on: rig, session: session, progress: progress)
      let count = measured.streams.reduce(0) { $0 + $1.sweepCount }
      let rate = measured.rate.hertz
      return Round(
        readings: [
          Reading(
            .latencyElectrical, take: round, channel: channel, value: measured.delay.value / rate,
            uncertainty: measured.delay.uncertainty / rate, count: count),
          Reading(
            .drift, take: round, channel: channel, value: measured.drift.value,
            uncertainty: measured.drift.uncertainty, count: count),
        ].map(\.ofControl))
    } catch let refusal as LatencyRefusal {
      return Round(
        readings: [ReadingKind.latencyElectrical, .drift].map {
          Reading(notMeasured: $0, take: round, channel: channel, because: "\(refusal)").ofControl
        })
    } catch let fault as DeviceError {
      return Round(fault: fault)
    }
  }
}
