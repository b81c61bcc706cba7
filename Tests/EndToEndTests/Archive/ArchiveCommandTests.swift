// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Testing

/// What `haprig archive` makes of runs, and what `haprig run` leaves for it.
struct ArchiveCommandTests {
  /// A bench with a simulated rig, a tap and a plan that takes half a second.
  private func bench(runs: Int) throws -> Workbench {
    let bench = try Workbench()
    try bench.simulatedRig()
    try bench.write(Patterns.tap, to: "tap.ahap")
    try bench.write(Plans.quick(), to: "plan.yaml")
    for _ in 0..<runs {
      let ending = try bench.haprig(bench.run)
      try #require(ending.code == 0, "\(ending.errors)")
      try #require(ending.errors == "", "\(ending.errors)")
    }
    return bench
  }

  private func list(_ bench: Workbench, _ more: String...) throws -> [JSONValue] {
    let ending = try bench.haprig(["archive", "list", "--archive", "out", "--json"] + more)
    #expect(ending.code == 0, "\(ending.errors)")
    return try #require(try JSONValue(parsing: Array(ending.output.utf8)).elements)
  }

  @Test func `a run that became a link is refused by name, and its target stays whole`() throws {
    let bench = try bench(runs: 2)
    let name = bench.names(in: "out")[0]
    let (inside, outside) = (bench.file("out/\(name)"), bench.file("elsewhere"))
    // A run of years ago, in the index before it becomes a link.
    let record = inside.appending(path: "record.json")
    let text = try String(contentsOf: record, encoding: .utf8)
    try text.replacing(/"date": "\d{4}/, with: "\"date\": \"2020")
      .write(to: record, atomically: true, encoding: .utf8)
    #expect(try bench.haprig(["archive", "rebuild", "--archive", "out"]).code == 0)
    try FileManager.default.moveItem(at: inside, to: outside)
    try FileManager.default.createSymbolicLink(at: inside, withDestinationURL: outside)
    let before = bench.names(in: "elsewhere")
    let commands: [(arguments: [String], code: Int32)] = [
      (["prune", "--keep-runs", "30"], 1), (["rebuild"], 0), (["verify"], 1),
    ]
    for (command, code) in commands {
      let ending = try bench.haprig(["archive"] + command + ["--archive", "out"])
      #expect(ending.code == code, "\(command)")
      #expect((ending.output + ending.errors).contains("this is a link"), "\(command)")
      #expect((ending.output + ending.errors).contains(name))
    }
    for end in ["", "/", "/."] {
      for command in [["score"], ["export", "--format", "csv", "--out", "exported"]] {
        let ending = try bench.haprig(command + ["out/\(name)\(end)"])
        #expect(ending.code == 2 && ending.errors.contains("out/\(name): this is a link"))
      }
    }
    #expect(bench.names(in: "elsewhere") == before && before.count > 4)
    #expect(try inside.resourceValues(forKeys: [.isSymbolicLinkKey]).isSymbolicLink == true)
  }

  @Test func `runs are listed as their records say, and verify`() throws {
    let bench = try bench(runs: 2)
    let listed = try list(bench)
    let names = bench.names(in: "out")
    #expect(listed.map { $0["id"]?.string } == names.reversed())
    for entry in listed {
      let id = try #require(entry["id"]?.string)
      let record = try Record(bench.file("out/\(id)"))
      #expect(entry["verdict"]?.string == record.verdict)
      #expect(entry["readings"]?.integer == record.json["readings"]?.elements?.count)
      #expect(entry["began"]?.string == record.json["header"]?["date"]?.string)
    }
    #expect(try list(bench, "--latest").count == 1)
    #expect(try list(bench, "--verdict", "fail").isEmpty)
    let table = try bench.haprig("archive", "list", "--archive", "out")
    #expect(names.allSatisfy { table.output.contains($0) })
    let verified = try bench.haprig("archive", "verify", "--archive", "out")
    #expect(verified.code == 0 && verified.output.hasSuffix(": sound\n"), "\(verified.output)")
  }

  @Test func `what is no archive is not found sound, and no index is put into a run`() throws {
    let bench = try bench(runs: 1)
    let run = "out/" + bench.names(in: "out").filter { $0.hasPrefix("2") }[0]
    let inside = try bench.haprig("archive", "verify", "--archive", run)
    #expect(inside.code == 2 && inside.errors.contains("this is a run's folder"), "\(inside)")
    #expect(bench.names(in: run).contains("index.sqlite") == false)
    try bench.write("nothing yet", to: "empty/README.md")
    let empty = try bench.haprig("archive", "verify", "--archive", "empty")
    #expect(empty.code == 2 && empty.errors.contains("holds no run"), "\(empty)")
  }

  @Test func `a run goes into the folder of its archive`() throws {
    let bench = try bench(runs: 0)
    let run = ["run", "plan.yaml", "--rig", "rig.yaml", "-q", "--archive", "nights"]
    let ending = try bench.haprig(run)
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.output.contains("report: nights/"), "\(ending.output)")
    #expect(try bench.haprig("archive", "verify", "--archive", "nights").code == 0)
    let elsewhere = try bench.haprig(run + ["--reports", "out"])
    #expect(elsewhere.code == 2)
    #expect(elsewhere.errors.contains("--reports goes with"), "\(elsewhere.errors)")
  }

  @Test func `a record names every file beside it, and what the run was made in`() throws {
    let bench = try bench(runs: 0)
    let ending = try bench.haprig(
      bench.run + ["--environment", "firmware=1.4", "--environment", "kernel=mine=so"],
      changing: ["HAPRIG_REVISION": "0123abc"])
    #expect(ending.code == 0, "\(ending.errors)")
    let record = try bench.record()
    let header = try #require(record.json["header"])
    #expect(
      header["files"]?.elements?.compactMap { $0["name"]?.string } == [
        "inputs/patterns/tap.ahap", "inputs/plan.yaml", "inputs/rig/rig.yaml", "junit.xml",
        "picture.svg", "readings.csv", "report.html", "tap-1-drive.flac", "tap-1-response.flac",
      ])
    #expect(header["environment"]?["revision"]?.string == "0123abc")
    #expect(header["environment"]?["firmware"]?.string == "1.4")
    #expect(header["environment"]?["kernel"]?.string == "mine=so")
    #expect(header["environment"]?["haprig"]?.string?.isEmpty == false)
    // No frame went through a sound card.
    #expect(header["environment"]?["alsa-lib"] == nil)
    // An outside program agrees with the hashes.
    for file in header["files"]?.elements ?? [] {
      let name = try #require(file["name"]?.string)
      let sum = try bench.tool("sha256sum", record.folder.appending(path: name).path())
      #expect(sum.hasPrefix(try #require(file["sha256"]?.string) + " "))
    }
  }

  @Test func `what was tampered with is listed, with exit code 1`() throws {
    let bench = try bench(runs: 1)
    let name = try #require(bench.names(in: "out").first)
    var wave = try bench.bytes("out/\(name)/tap-1-response.flac")
    wave[wave.count / 2] ^= 1
    try bench.write(wave, to: "out/\(name)/tap-1-response.flac")
    try bench.write("x", to: "out/\(name)/extra.txt")
    try FileManager.default.removeItem(at: bench.file("out/\(name)/junit.xml"))
    let ending = try bench.haprig("archive", "verify", "--archive", "out")
    #expect(ending.code == 1)
    #expect(ending.output.contains("missing: \(name)/junit.xml: "))
    #expect(ending.output.contains("changed: \(name)/tap-1-response.flac: its SHA-256"))
    #expect(ending.output.contains("extra: \(name)/extra.txt: "))
    let json = try bench.haprig("archive", "verify", "--archive", "out", "--json")
    #expect(json.code == 1)
    let findings = try JSONValue(parsing: Array(json.output.utf8))["findings"]?.elements ?? []
    #expect(Set(findings.compactMap { $0["kind"]?.string }) == ["missing", "changed", "extra"])
  }

  @Test func `an index that is gone or damaged comes back, with one sentence`() throws {
    let bench = try bench(runs: 2)
    let before = try list(bench)
    try FileManager.default.removeItem(at: bench.file("out/index.sqlite"))
    #expect(try list(bench) == before)
    try bench.write(String(repeating: "not an index ", count: 500), to: "out/index.sqlite")
    let ending = try bench.haprig("archive", "list", "--archive", "out", "--json")
    #expect(try JSONValue(parsing: Array(ending.output.utf8)).elements == before)
    #expect(ending.errors.split(separator: "\n").count == 1)
    #expect(ending.errors.contains("out/index.sqlite: the index is damaged"))
    let rebuilt = try bench.haprig("archive", "rebuild", "--archive", "out")
    #expect(rebuilt.code == 0 && rebuilt.output == "out: 2 runs indexed\n")
    #expect(try list(bench) == before)
  }

  @Test func `a run whose index cannot be written is a run all the same`() throws {
    let bench = try bench(runs: 0)
    try bench.write("", to: "out/index.sqlite/in-the-way")
    let ending = try bench.haprig(bench.run)
    #expect(ending.code == 0)
    #expect(ending.errors.contains("the run is kept, but not indexed yet: out/index.sqlite: "))
    #expect(try bench.record().status == "complete")
  }

  @Test func `runs of several processes at once are all in the index`() throws {
    let bench = try bench(runs: 0)
    let runs = try (0..<4).map { _ in try bench.start(haprig: bench.run) }
    for run in runs {
      let ending = try run.end()
      #expect(ending.code == 0 && ending.errors == "", "\(ending.errors)")
    }
    #expect(try list(bench).count == 4)
    #expect(try bench.haprig("archive", "verify", "--archive", "out").code == 0)
  }

  @Test func `old recordings and old runs go as they are told to`() throws {
    let bench = try bench(runs: 2)
    let names = bench.names(in: "out")
    try backdate(names[0], in: bench)
    _ = try bench.haprig("archive", "rebuild", "--archive", "out")
    let prune = ["archive", "prune", "--archive", "out"]
    let told = try bench.haprig(prune + ["--keep-recordings", "30", "--dry-run"])
    #expect(told.code == 0 && told.output.contains("recordings of \(names[0]): 2 files"))
    #expect(told.output.contains("would free"))
    #expect(bench.names(in: "out/\(names[0])").contains("tap-1-drive.flac"))
    let done = try bench.haprig(prune + ["--keep-recordings", "30"])
    #expect(done.output == told.output.replacing("would free", with: "freed"))
    #expect(!bench.names(in: "out/\(names[0])").contains("tap-1-drive.flac"))
    #expect(bench.names(in: "out/\(names[1])").contains("tap-1-drive.flac"))
    #expect(try bench.haprig("archive", "verify", "--archive", "out").code == 0)
    let rest = try bench.haprig(prune + ["--keep-recordings", "30", "--keep-runs", "60"])
    #expect(rest.output.contains("run \(names[0]): "))
    #expect(bench.names(in: "out") == [names[1]])
    #expect(try list(bench).count == 1)
  }

  /// Makes a run a hundred days older.
  private func backdate(_ name: String, in bench: Workbench) throws {
    let record = try Record(bench.file("out/\(name)"))
    let date = try #require(record.json["header"]?["date"]?.string)
    let then = Date.now.addingTimeInterval(-100 * 86_400).formatted(.iso8601)
    try bench.write(record.text.replacing(date, with: then), to: "out/\(name)/record.json")
  }

  @Test(
    arguments: [
      (["prune"], "say what is old"),
      (["prune", "--keep-recordings", "30", "--keep-runs", "10"], "recordings go first"),
      (["prune", "--keep-runs", "many"], "keep-runs"),
      (["list", "--verdict", "good"], "--verdict takes pass"),
      (["list", "--limit", "0"], "--limit"),
      (["list", "--archive", "nowhere"], "there is no such folder"),
      (["verify", "--archive", "."], "holds no run"),
      (["rebuild", "--archive", "postgres://rig:secret@127.0.0.1:1/x"], "cannot be reached"),
      (["list", "--reports", "elsewhere"], "--reports goes with"),
    ])
  func `wrong usage is one sentence and exit code 2`(arguments: [String], words: String) throws {
    let bench = try Workbench()
    try bench.write("", to: "reports/README.md")
    let ending = try bench.haprig(["archive"] + arguments)
    #expect(ending.code == 2, "\(ending.errors)")
    #expect(ending.errors.contains(words), "\(ending.errors)")
    #expect(!ending.errors.contains("secret"))
  }
}

extension Workbench {
  /// The quick plan on the rig of the bench, into `out`.
  fileprivate var run: [String] {
    ["run", "plan.yaml", "--rig", "rig.yaml", "--archive", "out", "--quiet"]
  }
}
