// SPDX-License-Identifier: Apache-2.0

import ChangeDetection
import JSONText
import Reporting
import RunArchive
import Workflows

/// What is asked about nights and their baselines.
struct HistoryDesk: Sendable {
  let archive: ArchiveDesk

  func history(_ request: Request) throws -> Response {
    guard let rig = try request.value("rig") else {
      throw HTTPFault(400, "bad-value", "name a rig: ?rig=NAME")
    }
    let plan = try request.value("plan")
    let days = try request.integer("days", in: 1...36_500, or: HistoryQuestion.standardDays)
    let text = try archive.ask { archive in
      var question = HistoryQuestion(rig: rig, plan: try RigPlans(archive, rig: rig).plan(plan))
      question.days = days
      return try HistoryReader(archive, question).report().jsonText
    }
    return Response(200, Array(text.utf8))
  }

  /// Accepts what changed: all of a day's incidents, or all up to now of one reading.
  func accept(_ request: Request) throws -> Response {
    let json = try request.json()
    guard let rig = try Request.text("rig", in: json), let why = try Request.text("why", in: json),
      why.contains(where: { !$0.isWhitespace })
    else {
      throw HTTPFault(400, "bad-value", "an acceptance has 'rig', 'plan', 'incident' and 'why'")
    }
    let plan = try Request.text("plan", in: json)
    let reading = try Request.text("reading", in: json)
    var day: CalendarDay?
    if let text = try Request.text("incident", in: json) {
      guard let found = CalendarDay(text) else {
        throw HTTPFault(400, "bad-value", "'incident' is a day such as 2026-11-21")
      }
      day = found
    }
    guard day != nil || reading != nil else {
      throw HTTPFault(400, "bad-value", "say what is accepted: 'incident' (a day) or 'reading'")
    }
    let decision = BaselineOrder(why: why, about: SeriesSelection(reading: reading))
    let incident = day
    let kept = try archive.ask { archive in
      if let incident {
        let question = HistoryQuestion(rig: rig, plan: try RigPlans(archive, rig: rig).plan(plan))
        let report = try HistoryReader(archive, question).report()
        return try decision.accept(incident, in: report, archive)
      }
      return try decision.accept(until: nil, rig: rig, archive)
    }
    guard !kept.kept.isEmpty else {
      throw HTTPFault(
        422, "archive", "there is nothing to accept: the archive has no run of the rig '\(rig)'")
    }
    return Response(
      .object(of: [
        "accepted": kept.kept.map {
          JSONValue.object(of: ["file": $0.file, "summary": $0.summary])
        }
      ]))
  }
}
