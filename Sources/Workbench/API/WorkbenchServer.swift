// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Paths
import Synchronization

/// The workbench: listens, guards, answers.
package final class WorkbenchServer: Sendable {
  private let listener: Listener
  private let router: Router
  private let archive: ArchiveDesk
  private let documents: DocumentDesk
  private let fleet: FleetDesk
  let authoring: AuthoringDesk
  private let connections = Places(Places.connections)
  private let sockets = Places(Places.sockets)
  private let streams = StreamList()
  private let isStopped = Atomic(false)

  /// The port that it listens at; `nil` on a UNIX socket.
  package var port: Int? { listener.port }
  package var key: String { router.keys.key.text }
  /// The key of who may only look.
  package var lookingKey: String { router.keys.lookingKey.text }
  /// The table of all routes.
  package var routes: [Route] { router.routes }

  /// Takes the port; nothing is answered before `start`.
  package init(_ options: WorkbenchOptions) throws {
    listener = try Listener(options.address, port: options.port)
    let keys = Keys()
    archive = ArchiveDesk(options.archive)
    let runs = RunDesk(archive: archive)
    let profiles = ProfileShelf()
    let live = options.live.map { LiveDesk(folder: $0) } ?? LiveDesk()
    let bench = BenchDesk(
      version: options.version, rigs: options.rigs, plans: options.plans,
      calibration: options.calibration, fleet: options.fleet, runs: runs, profiles: profiles,
      live: live)
    let jobs = JobDesk(
      program: options.program, bench: bench, live: live,
      folder: options.jobs.map { JobFolder(path: $0) } ?? JobFolder.standard())
    live.ask { [weak jobs] in jobs?.id(of: $0) }
    documents = DocumentDesk(
      folder: options.patterns ?? bench.patternFolder,
      drafts: options.drafts ?? StateFolder.drafts())
    authoring = AuthoringDesk(
      texts: documents, folder: documents.folder, bench: bench, jobs: jobs)
    documents.listen { [stages = authoring.stages] in stages.documentChanged($0) }
    fleet = FleetDesk(file: options.fleet)
    let api = WorkbenchAPI(
      keys: keys, assets: Assets(folder: options.assets), runs: runs, bench: bench, live: live,
      jobs: jobs, compare: CompareDesk(archive: archive), history: HistoryDesk(archive: archive),
      calibrations: CalibrationDesk(
        folder: options.calibration, archive: archive, shelf: profiles),
      documents: documents, authoring: authoring, fleet: fleet)
    router = Router(
      routes: api.routes, keys: keys, hosts: Hosts(names: options.hosts))
  }

  /// The address with a key, for whoever may use it.
  package func address(of options: WorkbenchOptions, key: String) -> String {
    guard let port else {
      let name = options.hosts.first ?? "localhost"
      return "http://\(name)/#key=\(key)"
    }
    let host = options.address == .loopback("::1") ? "[::1]" : "127.0.0.1"
    return "http://\(host):\(port)/#key=\(key)"
  }

  /// Answers from now on, on threads of its own.
  package func start() {
    Thread.start { [self] in
      while let stream = listener.accept() { take(stream) }
    }
    Thread.start { [self] in
      while !isStopped.load(ordering: .acquiring) {
        usleep(250_000)
        archive.rest()
        documents.rest()
        fleet.rest()
      }
    }
  }

  /// Takes no more connections and ends those that are open.
  package func stop() {
    isStopped.store(true, ordering: .releasing)
    listener.stop()
    streams.cut()
  }

  private func take(_ stream: SocketStream) {
    guard connections.take() else { return refuse(stream) }
    streams.add(stream)
    let isStarted = Thread.start { [self] in
      Connection(stream: stream, router: router, places: sockets).serve()
      streams.remove(stream)
      connections.giveBack()
    }
    guard !isStarted else { return }
    streams.remove(stream)
    connections.giveBack()
    refuse(stream)
  }

  /// Answers at once and leaves: whoever is one too many costs nothing but this.
  private func refuse(_ stream: SocketStream) {
    let response = Response(
      HTTPFault(
        503, "connections", "all \(Places.connections) connections are in use: try again later"
      )
      .with("Retry-After", "1"))
    guard case .bytes(let body) = response.body else { return }
    _ = stream.write(response.head + body, until: stream.now)
    shutdown(stream.descriptor, Int32(SHUT_WR))
  }
}
