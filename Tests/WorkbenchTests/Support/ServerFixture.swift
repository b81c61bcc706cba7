// SPDX-License-Identifier: Apache-2.0

import RunArchive
import ScratchFolder

@testable import Workbench

/// A workbench over an empty archive, at a port of its own.
final class ServerFixture: Sendable {
  let folder: ScratchFolder
  let server: WorkbenchServer
  let port: Int

  init(
    holding folder: ScratchFolder? = nil, _ change: (inout WorkbenchOptions) -> Void = { _ in }
  ) throws {
    let folder = try folder ?? ScratchFolder()
    self.folder = folder
    // A folder that another workbench has used before has them.
    let archive = (try? folder.folder("reports")) ?? folder.file("reports")
    var options = WorkbenchOptions(
      version: "test", program: "/bin/false", archive: try ArchiveLocation(archive))
    options.port = 0
    // What else works on this machine, or died on it, is nothing to a test.
    options.live = folder.file("own-live")
    options.jobs = (try? folder.folder("own-jobs")) ?? folder.file("own-jobs")
    change(&options)
    server = try WorkbenchServer(options)
    port = server.port ?? 0
    server.start()
  }

  deinit { server.stop() }

  var archive: String { folder.file("reports") }

  /// The first lines of a request that is let in, by the key for everything where no other is given.
  func head(_ line: String, _ more: String..., key: String? = nil) -> String {
    let key = key ?? server.key
    return
      ([line + " HTTP/1.1", "Host: 127.0.0.1:\(port)", "Authorization: Bearer \(key)"]
      + more + ["", ""]).joined(separator: "\r\n")
  }

  func get(_ path: String) -> Answer { RawClient.ask(port, head("GET \(path)")) }

  func post(_ path: String, _ body: String) -> Answer {
    RawClient.ask(
      port,
      head("POST \(path)", "Content-Type: application/json", "Content-Length: \(body.utf8.count)")
        + body)
  }
}
