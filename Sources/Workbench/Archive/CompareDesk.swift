// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Reporting
import RunArchive
import Workflows

/// Runs of the archive beside each other, as `haprig diff --json` has them.
///
/// Waves are asked for take by take (`runs/ID/waves`), so that readings are there at once.
struct CompareDesk: Sendable {
  let archive: ArchiveDesk
  /// Whoever compares asks about the same few runs again and again, and reading them is a third of the work.
  private let records = FileShelf<RunRecord>(most: 16)

  init(archive: ArchiveDesk) { self.archive = archive }

  func compare(_ request: Request) throws -> Response {
    let names = try request.values("run").filter { !$0.isEmpty }
    let usesBaseline = try request.integer("baseline", in: 0...1, or: 0) == 1
    guard (2...DiffWorkflow.mostSides).contains(names.count + (usesBaseline ? 1 : 0)) else {
      throw HTTPFault(
        400, "bad-value",
        "name two to \(DiffWorkflow.mostSides) runs: ?run=A&run=B, or one and baseline=1")
    }
    var question = DiffQuestion(try names.map(place), in: archive.location)
    question.usesBaseline = usesBaseline
    question.reading = try request.value("reading")
    question.pattern = try request.value("pattern")
    question.hasOverlays = false
    question.record = { [records] folder in
      try records.value(of: folder + "/" + RunFolder.recordFile) { _ in
        try RunFolder.comparedRecord(of: folder)
      }
    }
    let asked = question
    if usesBaseline {
      return Response(
        try archive.ask { archive in try DiffWorkflow(asked) { archive }.report().json })
    }
    return Response(
      try DiffWorkflow(asked) { try Archive(opening: archive.location) }.report().json)
  }

  /// The folder of `RUN`, `RUN:PATTERN` or `RUN:PATTERN:TAKE`, in the archive and nowhere else.
  private func place(_ text: String) throws(HTTPFault) -> String {
    let run = String(text.prefix { $0 != ":" })
    guard RunFiles.isName(run) else {
      throw HTTPFault(400, "bad-path", "a run's name has letters, digits, '.', '_' and '-'")
    }
    guard RunFiles(run, in: archive.location) != nil else {
      throw HTTPFault(404, "no-such-run", "the archive has no run '\(run)'")
    }
    return archive.location.folder + "/" + text
  }
}
