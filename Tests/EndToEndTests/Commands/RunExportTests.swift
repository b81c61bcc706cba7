// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Testing

/// `haprig export --format`: a run's recordings for other programs.
struct RunExportTests {
  @Test func `a run is written in every format, and read back as it was recorded`() throws {
    let bench = try Workbench()
    try bench.write(Patterns.tap, to: "tap.ahap")
    let rig = Workbench.rigs + "/simulated-lra.yaml"
    let run = try bench.haprig(
      "run", "tap.ahap", "--rig", rig, "--archive", "out", "--repeats", "2", "--quiet")
    #expect(run.code == 0, "\(run.errors)")
    let record = try bench.record()
    let recorded = try record.response("z", ofTake: record.takes[1])
    for (format, end) in [("wav", "wav"), ("mat", "mat"), ("uff58", "uff"), ("csv", "csv")] {
      let ending = try bench.haprig(
        "export", "--format", format, record.folder.path(), "--out", format)
      #expect(ending.code == 0, "\(ending.errors)")
      #expect(bench.names(in: format) == ["readings.csv", "tap-1.\(end)", "tap-2.\(end)"])
      #expect(
        ending.output == "\(format)/tap-1.\(end)\n\(format)/tap-2.\(end)\n\(format)/readings.csv\n")
    }
    let lines = String(decoding: try bench.bytes("csv/tap-2.csv"), as: UTF8.self)
      .components(separatedBy: "\r\n")
    let names = lines[0].split(separator: ",")
    let place = try #require(names.firstIndex(of: "z (m/s2)"))
    #expect(lines.count == recorded.count + 2)
    let origin = try #require(record.takes[1]["patternFrame"]?.number)
    let row = lines[Int(origin) + 1].split(separator: ",")
    #expect(row[0] == "0.0")
    #expect(Float(row[place]) == recorded[Int(origin)])
  }

  @Test func `a folder that holds no run, and a record that leads out of its folder, are refused`()
    throws
  {
    let bench = try Workbench()
    try bench.write("", to: "empty/note.txt")
    let none = try bench.haprig("export", "--format", "csv", "empty", "--out", "x")
    #expect(none.code == 2)
    expectSentence(none, saying: ["empty/record.json"])
    try bench.write(Patterns.tap, to: "tap.ahap")
    let rig = Workbench.rigs + "/simulated-lra.yaml"
    #expect(
      try bench.haprig("run", "tap.ahap", "--rig", rig, "--archive", "out", "--quiet").code == 0)
    let record = try bench.record()
    let moved = bench.file("tap-1-response.flac")
    try FileManager.default.moveItem(
      at: record.folder.appending(path: "tap-1-response.flac"), to: moved)
    let text = record.text.replacing("tap-1-response.flac", with: "../../tap-1-response.flac")
    try bench.write(text, to: "out/\(record.folder.lastPathComponent)/record.json")
    let outside = try bench.haprig("export", "--format", "csv", record.folder.path(), "--out", "y")
    #expect(outside.code == 2)
    expectSentence(outside, saying: ["below the run's folder"])
    let both = try bench.haprig("export", "--apple", "--format", "csv", "tap.ahap", "--out", "z")
    #expect(both.code == 64 || both.code == 2, "\(both.errors)")
    #expect(both.errors.contains("--apple for a pattern"))
  }
}
