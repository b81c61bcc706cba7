// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ChangeDetection
import JSONText
import Reporting
import RunArchive

/// What is asked about runs: lists, records, files, reports.
struct RunDesk: Sendable {
  let archive: ArchiveDesk

  static let mostRows = 500

  func list(_ request: Request) throws -> Response {
    let query = try Self.query(request)
    let page = try archive.ask { try $0.page(query) }
    return Response(
      .object(of: [
        "total": page.total, "offset": query.offset, "runs": page.rows.map(row),
        "facets": JSONValue.object(of: [
          "rig": Self.facet(page.rigs), "plan": Self.facet(page.plans),
          "actuator": Self.facet(page.actuators), "verdict": Self.facet(page.verdicts),
        ]),
      ]))
  }

  /// The latest run of a rig as a row, of those whose environment has a mark where one is asked for; `nil` where it has
  /// none.
  func latest(of rig: String, marked mark: String? = nil) throws -> JSONValue? {
    let rows = try archive.ask { archive in
      var query = RunQuery()
      query.rigs = [rig]
      query.mark = mark
      query.limit = 1
      return try archive.rows(query)
    }
    return rows.first.map(row)
  }

  func record(_ request: Request) throws -> Response {
    try file(RunFolder.recordFile, of: try files(request), type: "application/json")
  }

  func fileList(_ request: Request) throws -> Response {
    let list = try files(request).list()
    return Response(
      .object(of: [
        "files": list.map { JSONValue.object(of: ["name": $0.name, "bytes": $0.bytes]) }
      ]))
  }

  func file(_ request: Request) throws -> Response {
    let name = request.parameter("name")
    let short = name.split(separator: "/").last.map(String.init) ?? name
    let plain = String(
      short.map { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) ? $0 : "_" })
    return try file(name, of: try files(request), type: FileType.ofArchive(name))
      .with("Content-Disposition", "inline; filename=\"\(plain)\"")
  }

  /// The run's page, or of a large run the page of a pattern.
  func report(_ request: Request) throws -> Response {
    let page = request.parameter("page")
    guard page.isEmpty || page.hasSuffix(".html") else {
      throw HTTPFault(404, "no-such-file", "the report has no such page")
    }
    let run = try files(request)
    let type = "text/html; charset=utf-8"
    var response = try file(
      page.isEmpty ? "report.html" : HTMLReport.folder + "/" + page, of: run, type: type)
    // From the sandbox of a report no script can be asked for: it goes with the page.
    if !page.isEmpty, case .file(let file) = response.body, file.size <= Self.largestPage,
      let (descriptor, size) = run.open(HTMLReport.chartsFile), size <= ChartLibrary.sizeLimit
    {
      let script = OpenedFile(descriptor: descriptor, size: size).bytes(from: 0, count: size)
      if let charts = ChartLibrary(String(decoding: script, as: UTF8.self)) {
        let bytes = file.bytes(from: 0, count: file.size)
        response = Response(200, HTMLReport.page(bytes, holding: charts), type: type)
      }
    }
    response.framing = .report
    return response
  }

  /// The most bytes of a pattern's page that is held in memory.
  private static let largestPage = 64 << 20

  func files(_ request: Request) throws(HTTPFault) -> RunFiles {
    let id = request.parameter("id")
    guard RunFiles.isName(id) else {
      throw HTTPFault(400, "bad-path", "a run's name has letters, digits, '.', '_' and '-'")
    }
    guard let files = RunFiles(id, in: archive.location) else {
      throw HTTPFault(404, "no-such-run", "the archive has no run '\(id)'")
    }
    return files
  }

  private func file(
    _ name: String, of run: RunFiles, type: String
  ) throws(HTTPFault) -> Response {
    guard let (descriptor, size) = run.open(name) else {
      throw HTTPFault(404, "no-such-file", "the run '\(run.id)' has no such file")
    }
    return Response(file: OpenedFile(descriptor: descriptor, size: size), type: type)
  }

  private func row(_ row: RunRow) -> JSONValue {
    let hasRecordings = row.recording.map { name in
      guard row.run.place.isEmpty || archive.location.server != nil,
        let open = RunFiles(row.run.id, in: archive.location)?.open(name)
      else { return false }
      _ = OpenedFile(descriptor: open.descriptor, size: open.bytes)
      return true
    }
    let verdicts = zip(Aspect.allCases, row.aspects).map { aspect, verdict in
      JSONMember(aspect.rawValue, verdict.map { .string($0.rawValue) } ?? .null)
    }
    return .object(of: [
      "id": row.run.id, "started": row.run.started.description, "rig": row.run.rig,
      "plan": row.run.plan, "actuators": [row.run.actuator], "outcome": row.run.status.rawValue,
      "verdict": row.run.verdict.rawValue, "verdicts": JSONValue.object(verdicts),
      "takes": row.takes, "seconds": row.seconds, "note": row.note, "job": row.job,
      "hasRecordings": hasRecordings ?? false,
    ])
  }

  private static func facet(_ facets: [RunPage.Facet]) -> [JSONValue] {
    facets.map { .object(of: ["value": $0.value, "count": $0.count]) }
  }

  private static func query(_ request: Request) throws(HTTPFault) -> RunQuery {
    var query = RunQuery()
    query.rigs = try filled(request, "rig")
    query.plans = try filled(request, "plan")
    query.actuators = try filled(request, "actuator")
    for word in try filled(request, "verdict") {
      guard let verdict = Verdict(rawValue: word) else {
        let words = Verdict.allCases.map(\.rawValue).joined(separator: ", ")
        throw HTTPFault(400, "bad-value", "'verdict' takes \(words), not '\(word.prefix(40))'")
      }
      query.verdicts.append(verdict)
    }
    query.jobs = try filled(request, "job")
    query.from = try day(request, "from")
    query.to = try day(request, "to")
    query.text = try request.value("text")
    if let word = try request.value("sort") {
      guard let sort = RunQuery.Sort(rawValue: word) else {
        let words = RunQuery.Sort.allCases.map(\.rawValue).joined(separator: ", ")
        throw HTTPFault(400, "bad-value", "'sort' takes \(words), not '\(word.prefix(40))'")
      }
      query.sort = sort
    }
    switch try request.value("order") {
    case nil, "desc": query.isDescending = true
    case "asc": query.isDescending = false
    default: throw HTTPFault(400, "bad-value", "'order' takes asc or desc")
    }
    query.offset = try request.integer("offset", in: 0...100_000_000, or: 0)
    query.limit = try request.integer("limit", in: 1...mostRows, or: 50)
    return query
  }

  /// At most 50 values that are not empty: each is one place in a statement.
  private static func filled(_ request: Request, _ name: String) throws(HTTPFault) -> [String] {
    let values = try request.values(name).filter { !$0.isEmpty }
    guard values.count <= 50 else {
      throw HTTPFault(400, "bad-value", "'\(name)' stands there more than 50 times")
    }
    return values
  }

  private static func day(_ request: Request, _ name: String) throws(HTTPFault) -> CalendarDay? {
    guard let text = try request.value(name) else { return nil }
    guard let day = CalendarDay(text.prefix(10)) else {
      throw HTTPFault(
        400, "bad-value", "'\(name)' takes a day such as 2026-11-21, not '\(text.prefix(40))'")
    }
    return day
  }
}
