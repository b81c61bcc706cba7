// SPDX-License-Identifier: Apache-2.0

private import Glibc
import ScratchFolder
import Testing

@testable import Workbench

/// What is no run of the archive is compared with nothing, and nothing of it is accepted.
struct CompareTests {
  @Test(arguments: [
    ("", 400), ("run=a", 400), ("run=a&run=b&run=c&run=d&run=e&run=f&run=g", 400),
    ("run=a&run=b", 404), ("run=a&baseline=1", 404), ("run=a&baseline=2", 400),
    ("run=../secret&run=../secret", 400), ("run=/etc&run=/etc", 400),
    ("run=%2e%2e%2fsecret&run=a", 400), ("run=.hidden&run=a", 400), ("run=:tap:1&run=a", 400),
    ("run=link&run=link", 404), ("run=bare&run=bare", 404),
  ])
  func `names that lead nowhere are refused`(_ query: String, _ status: Int) throws {
    let folder = try ScratchFolder()
    _ = try folder.folder("secret")
    try folder.write("{}", to: "secret/record.json")
    let fixture = try ServerFixture(holding: folder)
    _ = try folder.folder("reports/bare")
    #expect(symlink(folder.file("secret"), folder.file("reports/link")) == 0)
    let answer = fixture.get("/api/v1/compare?\(query)")
    #expect(answer.status == status, "\(query): \(answer.status)")
  }

  @Test(arguments: [
    (#"{"rig": "none", "reading": "drift", "why": "w"}"#, 422),
    (#"{"rig": "none", "incident": {}, "reading": "drift", "why": "w"}"#, 400),
    (#"{"rig": "none", "reading": "", "why": "w"}"#, 400), (#"{"rig": "none", "why": "w"}"#, 400),
    (#"{"rig": "none", "reading": "drift", "why": " "}"#, 400), (#"[]"#, 400),
    (#"{"rig": 1, "reading": "drift", "why": "w"}"#, 400),
  ])
  func `nothing is accepted of what is not there`(_ body: String, _ status: Int) throws {
    let fixture = try ServerFixture()
    #expect(fixture.post("/api/v1/history/accept", body).status == status, "\(body)")
  }
}
