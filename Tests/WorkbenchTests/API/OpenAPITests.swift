// SPDX-License-Identifier: Apache-2.0

import ScratchFolder
import Testing

@testable import Workbench

struct OpenAPITests {
  /// The routes that docs/api/openapi.yaml describes, as `METHOD /path`.
  private static func described() throws -> Set<String> {
    let folder = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let text = try #require(ScratchFolder.text("/\(folder)/docs/api/openapi.yaml"))
    var found: Set<String> = []
    var path = ""
    for line in text.split(separator: "\n") {
      if line.hasPrefix("  /") { path = String(line.dropFirst(2).dropLast()) }
      for method in ["get", "post", "put", "delete", "patch"] where line == "    \(method):" {
        found.insert("\(method.uppercased()) \(path)")
      }
    }
    return found
  }

  @Test func `every route of the API is described, and nothing else is`() throws {
    let fixture = try ServerFixture()
    let routes = fixture.server.routes.filter { $0.pattern.hasPrefix("/api/") }
      .map { route in
        let path = route.pattern.replacing("*}", with: "}").replacing("/}", with: "}")
        return "\(route.method.rawValue) \(path)"
      }
    #expect(routes.count == Set(routes).count)
    #expect(try Self.described() == Set(routes))
  }

  @Test func `every route of the API but the session needs the key`() throws {
    let fixture = try ServerFixture()
    for route in fixture.server.routes where route.pattern.hasPrefix("/api/") {
      let path = route.pattern.replacing("{id}", with: "a").replacing("{name*}", with: "b")
        .replacing("{name/}", with: "c")
      let answer = RawClient.ask(
        fixture.port,
        """
        \(route.method.rawValue) \(path) HTTP/1.1\r
        Host: 127.0.0.1:\(fixture.port)\r
        Origin: http://127.0.0.1:\(fixture.port)\r
        Content-Length: 0\r
        \r

        """)
      let isOpen = path == "/api/v1/session" && route.method == .post
      #expect(answer.status == (isOpen ? 415 : 401), "\(path)")
    }
  }

  @Test func `every file of the pages is built in under its name`() throws {
    let folder = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let names = ScratchFolder.names(in: "/\(folder)/Sources/Workbench/Pages")
      .filter { !$0.hasPrefix(".") && $0 != "types.d.ts" }
    #expect(Set(names) == Set(Assets.embedded.keys))
    for name in names {
      // Told by its name alone: its bytes would fill the screen.
      let isSame =
        Assets.embedded[name] == ScratchFolder.bytes("/\(folder)/Sources/Workbench/Pages/\(name)")
      #expect(isSame, "\(name)")
    }
  }
}
