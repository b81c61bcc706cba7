// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Authoring
import Bench
private import Glibc
import JSONText
import Paths
import Reporting
import RunArchive
import Workflows

/// Documents as runs measure them: each measurement is a run of the plan `authoring`, with the text of that moment.
struct MeasureDesk: Sendable {
  let bench: BenchDesk
  let jobs: JobDesk
  let documents: DocumentShelf
  let actuators: ActuatorShelf

  static let plan = "authoring"
  private static let mostRuns = 100

  /// Starts a measurement: `{"kind": "measure", "rig", "actuator"?, "pattern"}`.
  func start(_ json: JSONValue) throws -> JSONValue {
    let known = ["kind", "rig", "actuator", "pattern"]
    if let unknown = json.members?.first(where: { !known.contains($0.key) }) {
      throw HTTPFault(400, "bad-value", "a measurement has no '\(unknown.key.prefix(40))'")
    }
    guard let name = try Request.text("rig", in: json),
      let pattern = try Request.text("pattern", in: json)
    else {
      throw HTTPFault(400, "bad-value", "'rig' and 'pattern' are names of the bench")
    }
    let actuator = try JobOrder.actuator(json)
    let played = try actuators.actuator(rig: name, try Request.text("actuator", in: json))
    guard let file = bench.rig(name) else {
      throw HTTPFault(404, "no-such-rig", "the bench has no such rig")
    }
    let document = try documents.read(pattern, rate: played.rate)
    let scratch = try jobs.scratch()
    do {
      let bundle = FilePath.folder(of: document.pattern.file)
      var words = ["run", try Self.write(document, to: scratch), "--rig", file, "--quiet"]
      words += ["--archive"] + JobOrder.archive(bench.runs.archive.location) + actuator
      // Sounds stay where they are; a copy would take longer than the pattern.
      words += ["--bundle", bundle, "--allow-path", bundle]
      words += ["--environment", "note=\(pattern)"]
      words += JobOrder.profile(played.profile?.path)
      return try jobs.start(JobOrder(.measure, on: name, words)) { JobFolder.remove(scratch) }
    } catch {
      JobFolder.remove(scratch)
      throw error
    }
  }

  /// Writes the plan and the pattern's text, and gives the plan's path.
  private static func write(_ document: ReadDocument, to scratch: String) throws -> String {
    let file = DocumentShelf.shortName(of: document.name) + ".ahap"
    try AtomicFile.write(document.pattern.source, to: scratch + "/" + file)
    // What the reader finds by its last component beside the pattern is to be found beside the copy.
    let folder = FilePath.folder(of: document.pattern.file)
    for (path, sound) in document.pattern.soundFiles where sound != folder + "/" + path {
      symlink(sound, scratch + "/" + FilePath.name(of: path))
    }
    let plan = scratch + "/\(plan).yaml"
    // A string of JSON is one of YAML.
    let text = "name: \(Self.plan)\npatterns: [\(JSONValue.string(file).text())]\nrepeats: 1\n"
    try AtomicFile.write(text, to: plan)
    return plan
  }

  /// The measurements of a document, the newest first, and whether they are of its text as it is now.
  func list(_ request: Request) throws -> Response {
    let name = request.parameter("name")
    let bytes = try documents.texts.text(of: name).text.bytes
    let page = try bench.runs.archive.ask { archive in
      var query = RunQuery()
      query.plans = [Self.plan]
      query.text = name
      query.limit = Self.mostRuns
      return try archive.page(query)
    }
    let copy = PlanRun.fileStems([DocumentShelf.shortName(of: name)])[0]
    let location = bench.runs.archive.location
    let rows = page.rows.filter { $0.note == name }.map { row -> JSONValue in
      let isNow = Self.isText(bytes, "inputs/patterns/\(copy).ahap", of: row.run.id, in: location)
      return .object(of: [
        "run": row.run.id, "started": row.run.started.description,
        "textIs": isNow ? "now" : "other",
        "outcome": row.run.status == .complete
          ? row.run.verdict.rawValue : row.run.status.rawValue,
      ])
    }
    return Response(.object(of: ["measurements": rows]))
  }

  /// Whether a run's copy of the pattern has these bytes.
  private static func isText(
    _ bytes: [UInt8], _ copy: String, of run: String, in location: ArchiveLocation
  ) -> Bool {
    guard let (descriptor, size) = RunFiles(run, in: location)?.open(copy) else { return false }
    let file = OpenedFile(descriptor: descriptor, size: size)
    return size == bytes.count && file.bytes(from: 0, count: size) == bytes
  }
}
