// SPDX-License-Identifier: Apache-2.0

import AHAP
import Authoring
import Bench
import HapticRendering
import JSONText
import Reporting

/// What could be designed better in a document, and what of it an actuator cannot follow.
struct AdviceDesk: Sendable {
  let documents: DocumentShelf
  let drawings: DrawingShelf
  let actuators: ActuatorShelf

  func advice(_ request: Request) throws -> Response {
    let played = try actuators.actuator(request)
    let document = try documents.read(request.parameter("name"), rate: played.rate)
    let gamut = played.reach?.gamut()
    return Response(
      .object(of: [
        "advice": findings(document), "limits": limits(document, played),
        "gamut": gamut.map { gamut in
          JSONValue.object(of: [
            "sharpness": gamut.map(\.sharpness),
            "intensity": gamut.map { ($0.intensity * 1e4).rounded() / 1e4 },
          ])
        },
      ]))
  }

  private func findings(_ document: ReadDocument) -> JSONValue {
    let found = Advice.findings(for: document.pattern.document)
    return document.text.json(
      found.map { Finding($0, entry: document.entry(at: $0.position.offset)) })
  }

  private func limits(_ document: ReadDocument, _ played: PlayedActuator) -> [JSONValue] {
    guard let builder = played.builder else { return [] }
    let timeline = document.pattern.timeline(under: played.configuration)
    let intent = Intent(timeline: timeline, configuration: played.configuration)
    let entries = document.entriesOfEvents
    var found: [(entry: Int, miss: ActuatorReach.Miss)] = []
    func note(_ event: Int, _ miss: ActuatorReach.Miss) {
      guard entries.indices.contains(event), let entry = entries[event] else { return }
      found.append((entry, miss))
    }
    let breaches = builder.breaches(of: document.pattern)
    for breach in breaches {
      note(breach.event, ActuatorReach.Miss(kind: .voltage, message: breach.sentence))
    }
    let refused = Set(breaches.map(\.event))
    let limited = drawings.drive(document, for: played).limited
    for event in timeline.events where event.kind.isHaptic {
      if !refused.contains(event.index), let miss = held(event, limited) { note(event.index, miss) }
      for miss in played.reach?.misses(of: event, in: intent) ?? [] { note(event.index, miss) }
    }
    return found.sorted { $0.entry < $1.entry }.map { found in
      .object(of: [
        "entry": found.entry, "kind": found.miss.kind.rawValue, "message": found.miss.message,
      ])
    }
  }

  /// What the actuator's limits take from an event, by the milliseconds in which they held the drive back.
  private func held(_ event: TimelineEvent, _ limited: [Int]) -> ActuatorReach.Miss? {
    let (first, last) = (Int(event.start * 1000), Int((event.end * 1000).rounded(.up)))
    let count = limited.count { $0 >= first && $0 < last }
    guard count > 0 else { return nil }
    return ActuatorReach.Miss(
      kind: .voltage,
      message: "the drive is held back by the actuator's limits for \(count) ms of it")
  }
}
