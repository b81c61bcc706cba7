private import Glibc
import ScratchFolder
import Testing

@testable import Workbench

/// What is no run of the archive is compared with nothing.
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
}
