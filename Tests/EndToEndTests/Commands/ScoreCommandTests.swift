// SPDX-License-Identifier: Apache-2.0

import ForeignPlant
import Foundation
import JSONText
import Testing

/// Measuring a run's recordings again, from its folder alone.
struct ScoreCommandTests {
  private static let views = ["record.json", "report.html", "junit.xml", "readings.csv"]
  /// What is there only where a take has something to draw.
  private static let picture = "picture.svg"

  /// Scores a run elsewhere, in another place of the world, and expects the same bytes of all views.
  private func expectSame(
    _ bench: Workbench, _ record: Record, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let folder = record.folder.path()
    let ending = try bench.haprig("score", folder)
    #expect(ending.code == 0, "\(ending.output)\(ending.errors)", sourceLocation: sourceLocation)
    #expect(ending.output.hasSuffix(": same\n"), "\(ending.output)", sourceLocation: sourceLocation)
    let again = try bench.haprig(
      "score", folder, "--out", bench.file("again").path(),
      changing: [
        "LANG": "de_DE.UTF-8", "LC_ALL": "de_DE.UTF-8", "TZ": "Asia/Tokyo", "HOME": "/nowhere",
        // The charts' library is the page's own.
        "HAPRIG_DYGRAPHS": "",
      ], in: FileManager.default.temporaryDirectory)
    #expect([0, 1].contains(again.code), "\(again.errors)", sourceLocation: sourceLocation)
    let isDrawn = bench.names(in: "again").contains(Self.picture)
    for name in Self.views + (isDrawn ? [Self.picture] : []) {
      let (old, new) = (
        try Data(contentsOf: record.folder.appending(path: name)), try bench.bytes("again/" + name)
      )
      #expect(old == new, "\(name)", sourceLocation: sourceLocation)
    }
  }

  @Test func `a simulated rig's run is scored to the same bytes, its inputs gone`() throws {
    let bench = try Workbench()
    try bench.write(Patterns.tapWithTone, to: "patterns/tap.ahap")
    try bench.write(Patterns.transient(at: 0, intensity: 0.5), to: "patterns/weak tap.ahap")
    try bench.write(Plans.quick(["patterns"], repeats: 3, probe: true), to: "plan.yaml")
    try bench.simulatedRig()
    let ending = try bench.haprig(
      "run", "plan.yaml", "--rig", "rig.yaml", "--archive", "out", "--envelope-times", "2.3-700",
      "--ducking", "0.7")
    #expect(ending.code == 0, "\(ending.errors)")
    for name in ["patterns", "plan.yaml", "rig.yaml"] {
      try FileManager.default.removeItem(at: bench.file(name))
    }
    let record = try bench.record()
    try expectSame(bench, record)
    #expect(bench.names(in: "again").contains(Self.picture))
    // In the words of the run itself, and with what they mean.
    let told = try bench.haprig("score", record.folder.path(), "--verbose").output
    let table = ending.output.prefix { $0 != "/" }.dropLast(3)
    #expect(told.hasPrefix(table) && told.hasSuffix(": same\n"), "\(told)")
    #expect(told.contains("what the numbers mean") && told.contains("\nreport: "), "\(told)")
    let inputs = try #require(record.json["inputs"])
    #expect(inputs["rig"]?.string == "inputs/rig/rig.yaml")
    #expect(inputs["plan"]?.string == "inputs/plan.yaml")
  }

  @Test func `recordings that are kept as floats are every sample as it came, and scored alike`()
    throws
  {
    let bench = try Workbench()
    try bench.write(Patterns.tapWithTone, to: "tap.ahap")
    try bench.write(Plans.quick() + "recordings: float\n", to: "plan.yaml")
    try bench.simulatedRig()
    let ending = try bench.haprig("run", "plan.yaml", "--rig", "rig.yaml", "--archive", "out")
    #expect(ending.code == 0, "\(ending.errors)")
    let record = try bench.record()
    #expect(record.json["plan"]?["recordings"]?.string == "float")
    let take = try #require(record.takes.first)
    #expect(take["response"]?["file"]?.string == "tap-1-response.wav")
    let scales = take["response"]?["channels"]?.elements?.map { $0["scale"]?.number }
    #expect(scales?.allSatisfy { $0 == nil } == true)
    try expectSame(bench, record)
  }

  @Test func `sounds are copied, and scored with`() throws {
    let bench = try Workbench()
    try bench.write(Sounds.tone(seconds: 0.1), to: "sounds/beep.wav")
    try bench.write(Patterns.sound("sounds/beep.wav"), to: "beep.ahap")
    try bench.simulatedRig()
    let ending = try bench.haprig("run", "beep.ahap", "--rig", "rig.yaml", "--archive", "out")
    #expect([0, 1].contains(ending.code), "\(ending.errors)")
    try FileManager.default.removeItem(at: bench.file("sounds"))
    let record = try bench.record()
    try expectSame(bench, record)
    let sounds = record.patterns.first?["input"]?["sounds"]
    #expect(sounds?["sounds/beep.wav"]?.string == "inputs/sounds/beep.wav")
  }

  @Test(arguments: [
    "{kind: drop, at: 1.3 s, for: 5 ms}", "{kind: xrun, at: 1.25 s, for: 20 ms}",
    "{kind: overload, at: 1.3 s, for: 5 ms}", "{kind: stuck, at: 0 s}",
    "{kind: unplug, at: 0.7 s}",
  ])
  func `a run with faults is scored to the same bytes`(fault: String) throws {
    let bench = try Workbench()
    try bench.simulatedRig(faults: fault)
    try bench.write(Patterns.tapWithTone, to: "tap.ahap")
    _ = try bench.haprig("run", "tap.ahap", "--rig", "rig.yaml", "--archive", "out")
    try expectSame(bench, try bench.record())
  }

  @Test(.disabled(if: ForeignPlant.obstacle != nil, Comment(rawValue: ForeignPlant.obstacle ?? "")))
  func `a drifting program's run is scored to the same bytes`() throws {
    let bench = try Workbench()
    let plant = ForeignPlant("linX-170", "drift=61.7", "jitter=0.03", "capture-delay=3.217")
    try bench.write(try plant.rigFile(), to: "rig.yaml")
    try bench.write(Patterns.tapWithTone, to: "tap.ahap")
    let ending = try bench.haprig(
      "run", "tap.ahap", "--rig", "rig.yaml", "--repeats", "3", "--archive", "out")
    #expect(ending.code == 0, "\(ending.errors)")
    let record = try bench.record()
    #expect(abs(try record.values("drift")[0] - 61.7) < 1)
    try expectSame(bench, record)
  }

  @Test func `a changed or missing file is named, and nothing is scored`() throws {
    let bench = try Workbench()
    try bench.write(Patterns.tap, to: "tap.ahap")
    try bench.write(Plans.quick(), to: "plan.yaml")
    try bench.simulatedRig()
    #expect(try bench.haprig("run", "plan.yaml", "--rig", "rig.yaml", "--archive", "out").code == 0)
    let record = try bench.record()
    let response = record.folder.appending(path: "tap-1-response.flac")
    var bytes = try Data(contentsOf: response)
    bytes[bytes.count / 2] ^= 1
    try bytes.write(to: response)
    let changed = try bench.haprig("score", record.folder.path(), "--write")
    #expect(changed.code == 2)
    #expect(changed.errors.contains("tap-1-response.flac: the file was changed since the run"))
    #expect(try Record(record.folder).text == record.text)
    try FileManager.default.removeItem(at: response)
    let missing = try bench.haprig("score", record.folder.path())
    #expect(missing.code == 2)
    #expect(missing.errors.contains("tap-1-response.flac: the file is missing"))
  }

  @Test func `numbers that differ are named, and written anew on demand`() throws {
    let bench = try Workbench()
    try bench.write(Patterns.tap, to: "tap.ahap")
    try bench.write(Plans.quick(), to: "plan.yaml")
    try bench.simulatedRig()
    #expect(try bench.haprig("run", "plan.yaml", "--rig", "rig.yaml", "--archive", "out").code == 0)
    let record = try bench.record()
    let value = try record.value("noise.floor")
    let file = record.folder.appending(path: "record.json")
    try Data(record.text.replacing("\(value)", with: "0.125").utf8).write(to: file)
    let compared = try bench.haprig("score", record.folder.path())
    #expect(compared.code == 1)
    #expect(compared.output.contains("noise.floor, tap, take 1: 0.125"), "\(compared.output)")
    let written = try bench.haprig("score", record.folder.path(), "--write")
    #expect(written.code == 0, "\(written.errors)")
    #expect(try Record(record.folder).text == record.text)
  }

  @Test func `a record that leads out of its folder is refused`() throws {
    let bench = try Workbench()
    try bench.write(Patterns.tap, to: "tap.ahap")
    try bench.write(Plans.quick(), to: "plan.yaml")
    try bench.simulatedRig()
    #expect(try bench.haprig("run", "plan.yaml", "--rig", "rig.yaml", "--archive", "out").code == 0)
    let record = try bench.record()
    let file = record.folder.appending(path: "record.json")
    for (name, words) in [
      ("../../../../../etc/hostname", "below the run's folder"),
      ("/etc/hostname", "below the run's"),
    ] {
      try Data(record.text.replacing("inputs/rig/rig.yaml", with: name).utf8).write(to: file)
      let ending = try bench.haprig("score", record.folder.path())
      #expect(ending.code == 2)
      #expect(ending.errors.contains(words), "\(ending.errors)")
    }
    // By a link, with the hash of what it leads to.
    try Data(record.text.utf8).write(to: file)
    let rig = record.folder.appending(path: "inputs/rig/rig.yaml")
    try FileManager.default.moveItem(at: rig, to: bench.file("elsewhere.yaml"))
    try FileManager.default.createSymbolicLink(
      at: rig, withDestinationURL: bench.file("elsewhere.yaml"))
    #expect(try bench.haprig("score", record.folder.path()).code == 2)
  }

  @Test func `of several paths the runs are scored, whatever the others are`() throws {
    let bench = try Workbench()
    try bench.write(Patterns.tap, to: "tap.ahap")
    try bench.write(Plans.quick(), to: "plan.yaml")
    try bench.simulatedRig()
    for _ in 0..<3 {
      #expect(
        try bench.haprig("run", "plan.yaml", "--rig", "rig.yaml", "--archive", "out").code == 0)
    }
    try bench.write("all runs", to: "out/README.md")
    let names = bench.names(in: "out").filter { $0.hasPrefix("2") }
    try #require(names.count == 3)
    try FileManager.default.removeItem(at: bench.file("out/\(names[0])/inputs/plan.yaml"))
    let record = bench.file("out/\(names[1])/record.json")
    let text = String(decoding: try Data(contentsOf: record), as: UTF8.self)
    try Data(text.replacing("\"drive\"", with: "\"driven\"").utf8).write(to: record)
    let paths = (["README.md", "none"] + names).map { "out/\($0)" }
    let ending = try bench.haprig(["score"] + paths)
    #expect(ending.code == 2)
    let errors = ending.errors.split(separator: "\n")
    #expect(errors.count == 4, "\(ending.errors)")
    for (error, path) in zip(errors, paths) {
      #expect(error.hasPrefix("haprig: \(path)"), "\(error)")
    }
    #expect(ending.output == "out/\(names[2]): same\n")
    let none = try bench.haprig("score", "out/README.md", "rig.yaml")
    #expect(none.code == 2 && none.errors.contains("none of these is a run's folder"))
  }

  @Test func `a run without recordings cannot be scored, and says why`() throws {
    let bench = try Workbench()
    try bench.write(Patterns.tap, to: "tap.ahap")
    try bench.write(Plans.quick() + "recordings: false\n", to: "plan.yaml")
    try bench.simulatedRig()
    #expect(try bench.haprig("run", "plan.yaml", "--rig", "rig.yaml", "--archive", "out").code == 0)
    let ending = try bench.haprig("score", try bench.record().folder.path())
    #expect(ending.code == 2)
    let folder = try bench.record().folder.path()
    #expect(ending.errors.contains("no recordings were kept"))
    #expect(ending.errors.hasPrefix("haprig: \(folder.dropLast(folder.hasSuffix("/") ? 1 : 0)): "))
  }

  @Test func `the environment of a run is in its header`() throws {
    let bench = try Workbench()
    try bench.write(Patterns.tap, to: "tap.ahap")
    try bench.write(Plans.quick(), to: "plan.yaml")
    try bench.simulatedRig()
    let ending = try bench.haprig(
      "run", "plan.yaml", "--rig", "rig.yaml", "--archive", "out",
      changing: ["HAPRIG_REVISION": "a1b2c3"], in: bench.folder)
    #expect(ending.code == 0, "\(ending.errors)")
    let environment = try bench.record().json["header"]?["environment"]
    #expect(environment?["revision"]?.string == "a1b2c3")
    #expect(environment?["kernel"]?.string?.isEmpty == false)
    #expect(environment?["alsa-lib"] == nil)
    #expect(environment?["haprig"]?.string?.isEmpty == false)
  }
}
