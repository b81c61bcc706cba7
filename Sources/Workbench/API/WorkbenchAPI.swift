// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Authoring
import Devices
import JSONText
import Reporting
import Workflows

/// All that the workbench can be asked, in one table.
struct WorkbenchAPI: Sendable {
  let keys: Keys
  let assets: Assets
  let runs: RunDesk
  let bench: BenchDesk
  let live: LiveDesk
  let jobs: JobDesk
  let compare: CompareDesk
  let history: HistoryDesk
  let calibrations: CalibrationDesk
  let documents: DocumentDesk
  let authoring: AuthoringDesk
  let fleet: FleetDesk

  var routes: [Route] {
    session + benchRoutes + liveRoutes + jobRoutes + runRoutes + archiveRoutes + patternRoutes
      + authoringRoutes + fleetRoutes + [
        Route(.get, "/") { _ in try assets.response([]) },
        Route(.get, "/{path*}") { request in
          try assets.response(request.parameter("path").split(separator: "/").map(String.init))
        },
      ]
  }

  private var session: [Route] {
    [
      Route(.post, "/api/v1/session", isOpen: true) { request in
        guard let key = try request.json()["key"]?.string else {
          throw HTTPFault(400, "bad-json", "the body is to be {\"key\": KEY}")
        }
        var response = Response(204)
        response.fields.append(
          keys.setCookie(
            try keys.cookie(for: key, now: MonotonicClock.seconds), for: request.head))
        return response
      },
      Route(.get, "/api/v1/session") { request in
        Response(["access": .string(request.access.rawValue)])
      },
      Route(.get, "/api/v1/words") { _ in
        let readings = ReadingKind.allCases.map { kind in
          JSONMember(
            kind.rawValue, .object(of: ["title": kind.title, "meaning": kind.explanation]))
        }
        return Response(["readings": .object(readings)])
      },
    ]
  }

  private var benchRoutes: [Route] {
    [
      Route(.get, "/api/v1/bench") { _ in Response(bench.json()) },
      Route(.get, "/api/v1/socket") { request in
        try SocketOpening.response(request.head) { socket in
          PageSocket(
            socket, bench: bench, live: live, jobs: jobs, documents: documents,
            stages: authoring.stages, access: request.access
          ).serve()
        }
      },
    ]
  }

  private var liveRoutes: [Route] {
    [
      Route(.get, "/api/v1/live") { _ in Response(.object(of: ["live": live.rows()])) },
      Route(.get, "/api/v1/live/{id}/events") { request in
        let first = try request.integer("from", in: 0...Int(Int32.max), or: 0)
        let limit = try request.integer("limit", in: 1...1000, or: 1000)
        guard let lines = live.events(request.parameter("id"), from: first, limit: limit) else {
          throw Self.noLive
        }
        let text =
          "{\"first\":\(first),\"next\":\(first + lines.count),\"events\":["
          + lines.joined(separator: ",") + "]}\n"
        return Response(200, Array(text.utf8))
      },
      Route(.get, "/api/v1/live/{id}/waves") { request in
        let columns = try request.integer("columns", in: 1...WaveBins.mostColumns, or: 1200)
        let from = try request.integer("from", in: 0...(1 << 40), or: 0)
        let to = try request.integer("to", in: 0...(1 << 40), or: 0)
        let channels = try request.value("channels").map { _ in
          try RecordingDesk.places(request, count: 64)
        }
        guard to == 0 || to > from else {
          throw HTTPFault(400, "bad-value", "'to' is a frame after 'from'")
        }
        guard
          let bins = live.waves(
            request.parameter("id"), range: to > 0 ? from..<to : nil, columns: columns,
            channels: channels)
        else { throw Self.noLive }
        return Response(200, bins.bytes(), type: "application/octet-stream")
      },
      Route(.post, "/api/v1/live/{id}/stop") { request in
        guard let process = live.process(request.parameter("id")) else { throw Self.noLive }
        Signals.interrupt(process)
        return Response(["stopping": .string(request.parameter("id"))], status: 202)
      },
    ]
  }

  private static let noLive = HTTPFault(
    404, "no-such-live", "nothing of that name works here")

  private var jobRoutes: [Route] {
    [
      Route(.get, "/api/v1/jobs") { _ in Response(.object(of: ["jobs": jobs.list()])) },
      Route(.post, "/api/v1/jobs") { request in
        let json = try request.json()
        if json["kind"]?.string == JobOrder.Kind.measure.rawValue {
          return Response(try authoring.measure.start(json), status: 202)
        }
        let order = try JobOrder(json, bench: bench)
        return Response(try jobs.start(order), status: 202)
      },
      Route(.get, "/api/v1/jobs/{id}") { Response(try jobs.job($0.parameter("id"))) },
      Route(.post, "/api/v1/jobs/{id}/stop") { request in
        try jobs.stop(request.parameter("id"))
        return Response(try jobs.job(request.parameter("id")), status: 202)
      },
    ]
  }

  private var runRoutes: [Route] {
    let recordings = RecordingDesk(runs: runs)
    return [
      Route(.get, "/api/v1/runs") { try runs.list($0) },
      Route(.get, "/api/v1/runs/{id}") { try runs.record($0) },
      Route(.get, "/api/v1/runs/{id}/files") { try runs.fileList($0) },
      Route(.get, "/api/v1/runs/{id}/files/{name*}") { try runs.file($0) },
      Route(.get, "/api/v1/runs/{id}/report") { try runs.report($0) },
      Route(.get, "/api/v1/runs/{id}/report/{page}") { try runs.report($0) },
      Route(.get, "/api/v1/runs/{id}/takes") { try recordings.takes($0) },
      Route(.get, "/api/v1/runs/{id}/waves") { try recordings.waves($0) },
      Route(.get, "/api/v1/runs/{id}/sound") { try recordings.sound($0) },
    ]
  }

  private var patternRoutes: [Route] {
    let longest = PatternText.longestEditable + (1 << 20)
    return [
      Route(.get, "/api/v1/patterns") { _ in try documents.list() },
      Route(.post, "/api/v1/patterns", largestBody: longest) { try documents.make($0) },
      Route(.get, "/api/v1/patterns/{name}") { try documents.show($0) },
      Route(.post, "/api/v1/patterns/{name}/edits", largestBody: longest) {
        try documents.edit($0)
      },
      Route(.post, "/api/v1/patterns/{name}/undo") { try documents.undo($0) },
      Route(.post, "/api/v1/patterns/{name}/redo") { try documents.redo($0) },
      Route(.post, "/api/v1/patterns/{name}/save") { try documents.save($0) },
      Route(.post, "/api/v1/patterns/{name}/resolve") { try documents.resolve($0) },
      Route(.put, "/api/v1/sounds/{name}", receiving: { try documents.receiveSound($0) }),
    ]
  }

  private var archiveRoutes: [Route] {
    [
      Route(.get, "/api/v1/compare") { try compare.compare($0) },
      Route(.get, "/api/v1/history") { try history.history($0) },
      Route(.post, "/api/v1/history/accept") { try history.accept($0) },
      Route(.get, "/api/v1/calibrations") { _ in calibrations.list() },
      Route(.get, "/api/v1/calibrations/{id}") { try calibrations.profile($0.parameter("id")) },
      Route(.get, "/api/v1/calibrations/{id}/certificate") {
        try calibrations.certificate($0.parameter("id"))
      },
      Route(.get, "/api/v1/verify", acts: true) { _ in Response(try jobs.verification()) },
    ]
  }

  private var fleetRoutes: [Route] {
    [
      Route(.get, "/api/v1/fleet") { _ in try fleet.status() },
      Route(.get, "/api/v1/fleet/file") { _ in try fleet.description() },
      Route(.post, "/api/v1/fleet/run") { try fleet.run($0.json()) },
      Route(.post, "/api/v1/fleet/cancel") { try fleet.cancel($0.json()) },
      Route(.post, "/api/v1/fleet/reserve") { try fleet.reserve($0.json()) },
      Route(.post, "/api/v1/fleet/release") { try fleet.release($0.json()) },
      Route(.post, "/api/v1/fleet/drain") { try fleet.drain($0.json()) },
      Route(.post, "/api/v1/fleet/undrain") { try fleet.undrain($0.json()) },
    ]
  }

  private var authoringRoutes: [Route] {
    let (waves, advice) = (authoring.waves, authoring.advice)
    return [
      Route(.get, "/api/v1/patterns/{name}/waves") { try waves.waves($0) },
      Route(.get, "/api/v1/patterns/{name}/sound") { try waves.sound($0) },
      Route(.get, "/api/v1/patterns/{name}/audio") { try waves.audio($0) },
      Route(.get, "/api/v1/patterns/{name}/advice") { try advice.advice($0) },
      Route(.get, "/api/v1/patterns/{name}/export") { try authoring.export.export($0) },
      Route(.get, "/api/v1/patterns/{name}/measurements") { try authoring.measure.list($0) },
      Route(.get, "/api/v1/compose/methods") { _ in Response(ComposeTable.json) },
      Route(.post, "/api/v1/patterns/{name}/compose") { try authoring.compose.compose($0) },
      Route(.get, "/api/v1/inputs") { _ in Response(authoring.inputs.json()) },
      Route(.post, "/api/v1/stages") { try authoring.stages.open(try $0.json()) },
      Route(.get, "/api/v1/qr") { try QRCodePicture.response($0) },
    ]
  }
}
