// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Foundation
import Glibc
import JSONText
import LiveRuns
import Testing

/// Work that others watch: early, late, and after its process was killed.
struct WatchCommandTests {
  /// A bench with a rig in real time, or as fast as it goes, and a plan of many short takes.
  private func bench(clock: String = "real", repeats: Int = 100) throws -> Workbench {
    let bench = try Workbench()
    try bench.simulatedRig(changing: ["clock: virtual": "clock: \(clock)"])
    try bench.write(Patterns.tap, to: "tap.ahap")
    try bench.write(
      Plans.quick(repeats: repeats, limits: ["{reading: dropouts, below: 0}"]), to: "plan.yaml")
    return bench
  }

  private let run = ["run", "plan.yaml", "--rig", "rig.yaml", "--archive", "out"]

  /// Polls until something holds, for at most a minute.
  private func wait(for condition: () throws -> Bool) rethrows {
    for _ in 0..<12_000 where try !condition() { usleep(5_000) }
  }

  private func events(_ text: String) throws -> [LiveLine] {
    try text.split(separator: "\n").map { try LiveLine(parsing: String($0)) }
  }

  /// The names in the live folder of a bench.
  private func live(_ bench: Workbench) -> [String] { bench.names(in: "../haprig/live") }

  @Test func `who comes late sees all from the beginning, and the run's end`() throws {
    let bench = try bench(repeats: 3)
    let run = try bench.start(haprig: run)
    wait { run.errorsSoFar.contains("measured tap, take 1") }
    let late = try bench.start(haprig: ["watch", "--json"])
    let seen = try bench.start(haprig: ["watch", "simulated-lra"])
    let ended = try run.end()
    #expect(ended.code == 0, "\(ended.errors)")
    let ending = try late.end()
    #expect(ending.code == 0, "\(ending.errors)")
    let lines = try events(ending.output)
    #expect(lines.map(\.number) == Array(lines.indices))
    #expect(zip(lines, lines.dropFirst()).allSatisfy { $0.seconds <= $1.seconds })
    let kinds = lines.map(\.event.kind)
    #expect(kinds.first == .start && kinds.last == .end)
    #expect(kinds.count { $0 == .take } == 3 && kinds.count { $0 == .measured } == 3)
    #expect(kinds.count { $0 == .work } == 1 && kinds.count { $0 == .channels } == 1)
    let takes = lines.compactMap { line -> LiveEvent.Take? in
      if case .take(let take) = line.event { take } else { nil }
    }
    let length = takes[1].frame
    #expect(length > 0 && takes.map(\.frame) == [0, length, 2 * length])
    #expect(abs(takes[0].seconds - Double(length) / 48_000) < 1e-9)
    // What was told take by take is what the record keeps, verdicts included.
    let told = lines.compactMap { line -> JSONValue? in
      if case .reading(let reading) = line.event { reading.json } else { nil }
    }
    let record = try bench.record()
    let kept = record.json["readings"]?.elements ?? []
    let texts = [told, kept].map { $0.map { $0.text(indent: nil, sortedKeys: true) } }
    #expect(Set(texts[0]) == Set(texts[1]) && told.count == kept.count)
    guard case .end(let end)? = lines.last?.event else { return }
    #expect(end.outcome == .done && end.status == 0)
    #expect(end.folder == record.folder.resolvingSymlinksInPath().path())
    #expect(end.verdicts["run"] == record.verdict)
    let shown = try seen.end()
    #expect(shown.code == 0, "\(shown.errors)")
    #expect(shown.errors.contains("measured tap, take 1") && shown.errors.contains("take 3"))
    #expect(shown.output.contains("simulated-lra: run quick"))
    #expect(shown.output.contains("folder: "))
    #expect(live(bench).isEmpty)
  }

  @Test func `who is killed is dead within a second`() throws {
    let bench = try bench()
    let run = try bench.start(haprig: run)
    wait { run.errorsSoFar.contains("measured tap, take 1") }
    let watch = try bench.start(haprig: ["watch", "--json"])
    // It has to have found what works before that dies.
    wait { watch.outputSoFar.contains("\n") }
    let list = try bench.haprig("watch", "--list", "--json")
    let before = try JSONValue(parsing: Array(list.output.utf8)).elements ?? []
    #expect(before.count == 1 && before[0]["state"]?.string == "working")
    #expect(before[0]["rig"]?.string == "simulated-lra" && before[0]["command"]?.string == "run")
    let id = try #require(before[0]["id"]?.string)
    run.send(SIGKILL)
    let killed = ContinuousClock.now
    let ending = try watch.end()
    #expect(ContinuousClock.now - killed < .seconds(1))
    #expect(ending.code == 3)
    #expect(ending.errors.contains("its process is dead"))
    _ = try run.end()
    #expect(try events(ending.output).first?.event.kind == .start)
    let after = try bench.haprig("watch", "--list")
    #expect(after.output.contains(id) && after.output.contains("dead"))
    // It is found by its name and by its rig, and is none of those that work.
    for name in [id, "simulated-lra"] { #expect(try bench.haprig("watch", name).code == 3) }
    let none = try bench.haprig("watch")
    #expect(none.code == 1 && none.errors == "haprig: nothing works\n")
  }

  @Test func `a run that is stopped tells so, and a watcher that is stopped stops nothing`() throws
  {
    let bench = try bench()
    let run = try bench.start(haprig: run)
    wait { run.errorsSoFar.contains("measured tap, take 1") }
    let watch = try bench.start(haprig: ["watch", "--json"])
    let other = try bench.start(haprig: ["watch"])
    wait { other.handles(SIGINT) && other.errorsSoFar.contains("measured tap, take 1") }
    other.send(SIGINT)
    #expect(try other.end().code == 130)
    run.send(SIGTERM)
    #expect(try run.end().code == 143)
    let ending = try watch.end()
    #expect(ending.code == 1)
    guard case .end(let end)? = try events(ending.output).last?.event else {
      Issue.record("it told no end")
      return
    }
    #expect(end.outcome == .interrupted && end.status == 143)
    #expect(end.sentence?.contains("stopped by signal 15") == true)
    #expect(live(bench).isEmpty)
  }

  @Test func `work that ends by an error tells the error`() throws {
    let bench = try bench(clock: "virtual")
    // It ends in the middle of a take.
    try bench.write(
      Plants.greeting + "import time\nfor _ in range(9): answer(sys.stdin.buffer.read(size))\n"
        + "time.sleep(2)\nsys.exit(7)\n", to: "mortal.py")
    try bench.commandRig("mortal.py")
    let run = try bench.start(haprig: ["play", "tap.ahap", "--rig", "rig.yaml"])
    wait { !live(bench).isEmpty }
    let watch = try bench.start(haprig: ["watch", "--json"])
    let failed = try run.end()
    #expect(failed.code == 3, "\(failed.errors)")
    let ending = try watch.end()
    #expect(ending.code == 1, "\(ending.errors)")
    guard case .end(let end)? = try events(ending.output).last?.event else {
      Issue.record("it told no end")
      return
    }
    #expect(end.outcome == .failed && end.status == 3)
    #expect("haprig: \(end.sentence ?? "")\n" == failed.errors)
  }

  @Test func `a run's files are the same whether somebody watches or nobody can`() throws {
    let bench = try bench(clock: "virtual", repeats: 4)
    func record(_ out: String, changing environment: [String: String] = [:]) throws -> Record {
      let ending = try bench.haprig(
        "run", "plan.yaml", "--rig", "rig.yaml", "--archive", out, changing: environment)
      #expect(ending.code == 0, "\(ending.errors)")
      return try bench.record(in: out)
    }
    let alone = try record("alone")
    // Watchers look again and again, from before the run to its end.
    let script = "while :; do \(Workbench.haprig) watch --json >> seen 2>/dev/null; done"
    let watchers = try (0..<2).map { _ in try bench.start(["sh", "-c", script]) }
    let watched = try record("watched")
    for watcher in watchers { watcher.send(SIGKILL) }
    for watcher in watchers { _ = try watcher.end() }
    try bench.write("no folder", to: "file")
    let unwatchable = try record(
      "unwatchable", changing: ["XDG_RUNTIME_DIR": bench.file("file").path()])
    for other in [watched, unwatchable] {
      #expect(other.withoutHeader == alone.withoutHeader)
      for name in ["tap-1-drive.flac", "tap-4-response.flac"] {
        let (one, two) = (
          try Data(contentsOf: alone.folder.appending(path: name)),
          try Data(contentsOf: other.folder.appending(path: name))
        )
        #expect(one == two, "\(name)")
      }
    }
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
  func `what does not listen to a signal is told to have ended by it`(_ signal: Int32) throws {
    let bench = try bench(clock: "virtual", repeats: 30)
    try #require(try bench.haprig(run).code == 0)
    let folder = try bench.record().folder.path()
    // Scored again and again: it does not end by itself.
    let score = try bench.start(
      haprig: ["score"] + Array(repeating: folder, count: 200))
    wait { !live(bench).isEmpty && score.handles(signal) }
    let watch = try bench.start(haprig: ["watch", "--json"])
    // The watcher is there once it has said something.
    wait { !watch.outputSoFar.isEmpty }
    score.send(signal)
    #expect(try score.end().code == 128 + signal)
    let ending = try watch.end()
    #expect(ending.code == 1, "\(ending.errors)")
    guard case .end(let end)? = try events(ending.output).last?.event else {
      Issue.record("it told no end: \(ending.output.suffix(300))")
      return
    }
    #expect(end.outcome == .interrupted && end.status == 128 + Int(signal))
    #expect(end.sentence == "stopped by signal \(signal)")
    #expect(live(bench).isEmpty)
  }

  @Test func `where nobody can watch one notice says so`() throws {
    let bench = try bench(clock: "virtual", repeats: 1)
    try bench.write("no folder", to: "file")
    let ending = try bench.haprig(run, changing: ["XDG_RUNTIME_DIR": bench.file("file").path()])
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.errors.split(separator: "\n").count { $0.contains("nobody can watch") } == 1)
  }

  @Test func `where the runtime folder is full the run goes on`() throws {
    let bench = try bench(clock: "virtual", repeats: 1)
    let script = """
      mkdir -m 700 rt && mount -t tmpfs -o size=200k,mode=700 tmpfs rt || exit 99
      XDG_RUNTIME_DIR=$PWD/rt "$@"
      """
    let ending = try bench.start(
      ["unshare", "--mount", "--map-root-user", "sh", "-c", script, "sh", Workbench.haprig] + run
    ).end()
    if ending.code == 99 { try Test.cancel("no disk can be mounted here: \(ending.errors)") }
    #expect(ending.code == 0, "\(ending.errors)")
    let notices = ending.errors.split(separator: "\n").filter { $0.contains("nobody can") }
    #expect(notices.count == 1 && notices[0].contains("No space left on device"))
    #expect(try bench.record().status == "complete")
  }

  @Test func `a live folder of others is neither used nor believed`() throws {
    let bench = try bench(clock: "virtual", repeats: 1)
    let folder = bench.file("runtime/haprig/live")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (path, mode) in [
      ("runtime", 0o700), ("runtime/haprig", 0o700), ("runtime/haprig/live", 0o777),
    ] {
      chmod(bench.file(path).path(), mode_t(mode))
    }
    let environment = ["XDG_RUNTIME_DIR": bench.file("runtime").path()]
    let ending = try bench.haprig(run, changing: environment)
    #expect(ending.code == 0 && ending.errors.contains("not this user's alone"))
    let watch = try bench.haprig("watch", "--list", changing: environment)
    #expect(watch.code == 2 && watch.errors.contains("not this user's alone"))
  }

  @Test func `several are told apart by name or rig`() throws {
    let bench = try bench()
    try bench.write(
      String(decoding: try bench.bytes("rig.yaml"), as: UTF8.self)
        .replacing("name: simulated-lra", with: "name: other"), to: "other.yaml")
    let runs = try ["rig.yaml", "other.yaml"].map {
      try bench.start(haprig: ["run", "plan.yaml", "--rig", $0, "--archive", "out"])
    }
    wait { live(bench).count == 2 }
    let asked = try bench.haprig("watch")
    #expect(asked.code == 2 && asked.errors.contains("2 are at work"))
    let watch = try bench.start(haprig: ["watch", "other", "--json"])
    wait { runs.allSatisfy { $0.errorsSoFar.contains("measured tap, take 1") } }
    for run in runs { run.send(SIGTERM) }
    for run in runs { #expect(try run.end().code == 143) }
    let works = try events(try watch.end().output).compactMap { line -> String? in
      if case .work(let work) = line.event { work.rig } else { nil }
    }
    #expect(works == ["other"])
    #expect(try bench.haprig("watch", "nobody").code == 1)
  }

  @Test func `what has no takes is work as well`() throws {
    let bench = try bench(clock: "virtual", repeats: 1)
    // Asks again until something works, and then follows it to its end.
    let watch = try bench.start(
      ["sh", "-c", "while ! \(Workbench.haprig) watch --json 2>/dev/null; do :; done"])
    let ending = try bench.haprig(
      "latency", "--rig", "rig.yaml", "--restarts", "3", "--seconds", "60", "--quiet")
    #expect(ending.code == 0, "\(ending.errors)")
    let lines = try events(try watch.end().output)
    #expect(lines.contains { $0.event.kind == .step } && lines.last?.event.kind == .end)
  }

  @Test func `secrets among the arguments are not told`() throws {
    let bench = try bench()
    let archive = "postgres://tester:hush@localhost:1/none?password=hush"
    let run = try bench.start(
      haprig: [
        "observe", "--rig", "rig.yaml", "--no-score", "--", "sh", "-c", "sleep 1", "--token",
        "hush", archive,
      ])
    wait { !live(bench).isEmpty }
    let watch = try bench.haprig("watch", "--json")
    _ = try run.end()
    #expect(watch.output.contains("tester:***@localhost") && !watch.output.contains("hush"))
  }
}
