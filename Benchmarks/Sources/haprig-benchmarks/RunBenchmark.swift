// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Time and memory of a whole run: read, render, play, record, align, tell events apart, measure, report.
struct RunBenchmark {
  let corpus: Corpus

  func report() {
    print("a whole run of eight patterns on the simulated rig, virtual clock")
    let program = corpus.root.appending(path: ".build/release/haprig")
    guard FileManager.default.isExecutableFile(atPath: program.path()) else {
      print("  not measured: build first with 'swift build -c release --product haprig'")
      return
    }
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "haprig-bench-\(ProcessInfo.processInfo.processIdentifier)")
    defer { try? FileManager.default.removeItem(at: folder) }
    if let eight = best(program, corpus.eight.path(), out: folder) {
      row("time of eight patterns", eight.time, "aim 1.5 s")
      row("peak memory", "\(eight.kilobytes / 1024) MiB", "aim 150 MB")
    } else {
      print("  not measured: the run failed")
    }
    reportDense(program, folder)
    reportLong(program, folder)
    print()
  }

  /// What a long take costs in memory: a tap every half second for one, four and fifteen minutes.
  private func reportLong(_ program: URL, _ folder: URL) {
    let path = folder.deletingLastPathComponent().appending(
      path: folder.lastPathComponent + "-long.ahap")
    defer { try? FileManager.default.removeItem(at: path) }
    for minutes in [1, 4, 15] {
      guard (try? Corpus.taps(count: 120 * minutes, step: 0.5).write(to: path)) != nil,
        let cost = best(program, path.path(), rounds: 1, out: folder)
      else {
        row("a take of \(minutes) min", "not measured", "the run failed")
        continue
      }
      row(
        "a take of \(minutes) min, peak memory", "\(cost.kilobytes / 1024) MiB",
        "aim 300 MB at 15 min; \(cost.time)")
    }
  }

  /// What each event of a dense pattern costs: thousands of taps, and the same beginning of it at a quarter and a
  /// sixteenth of the length, each beside the same pattern played and recorded, with nothing measured.
  private func reportDense(_ program: URL, _ folder: URL) {
    let work = folder.deletingLastPathComponent().appending(
      path: folder.lastPathComponent + "-dense")
    defer { try? FileManager.default.removeItem(at: work) }
    try? FileManager.default.createDirectory(at: work, withIntermediateDirectories: true)
    let path = work.appending(path: "dense.ahap")
    for (name, share) in [("a sixteenth", 16), ("a quarter", 4), ("all", 1)] {
      guard let pattern = corpus.beginning(of: share),
        (try? pattern.data.write(to: path)) != nil,
        let fitted = best(program, path.path(), rounds: 1, out: folder),
        let played = best(program, path.path(), rounds: 1)
      else {
        row("a dense pattern, \(name)", "not measured", "the run failed")
        continue
      }
      let own = (fitted.seconds - played.seconds) / Double(pattern.events) * 1e3
      row(
        "a dense pattern, \(name): \(pattern.events) events", fitted.time,
        "only played \(played.time); measured at \((own * 100).rounded() / 100) ms an event")
      row("peak memory", "\(fitted.kilobytes / 1024) MiB", name == "all" ? "aim 10 s, 600 MB" : "")
    }
  }

  private struct Cost {
    var seconds: Double
    var kilobytes: Int
    var time: String { "\((seconds * 100).rounded() / 100) s" }
  }

  private func best(
    _ program: URL, _ input: String, rounds: Int = 3, out: URL? = nil
  ) -> Cost? {
    var cost: Cost?
    for _ in 0..<rounds {
      guard let measured = run(program, input, out: out) else { return nil }
      cost = Cost(
        seconds: min(cost?.seconds ?? .infinity, measured.seconds),
        kilobytes: max(cost?.kilobytes ?? 0, measured.kilobytes))
    }
    return cost
  }

  /// Runs an input, or where there is no folder for it only plays it.
  private func run(
    _ program: URL, _ input: String, out: URL?
  ) -> (seconds: Double, kilobytes: Int)? {
    let process = Process()
    process.executableURL = program
    process.arguments =
      [
        out == nil ? "play" : "run", input, "--rig",
        corpus.root.appending(path: "rigs/simulated-lra.yaml").path(), "--quiet",
      ] + (out.map { ["--archive", $0.path()] } ?? [])
    process.standardOutput = FileHandle.nullDevice
    let clock = ContinuousClock()
    let began = clock.now
    guard (try? process.run()) != nil else { return nil }
    // The child's own peak, looked at while it lives: what the system keeps of ended children holds
    // the compilers that this process's forebears waited for.
    var peak = 0
    while process.isRunning {
      peak = max(peak, Self.peakKilobytes(of: process.processIdentifier))
      usleep(2_000)
    }
    let taken = clock.now - began
    // 1 is a verdict on the actuator, and no failed run.
    guard process.terminationStatus <= 1 else { return nil }
    return (taken.inSeconds, peak)
  }

  private static func peakKilobytes(of process: Int32) -> Int {
    let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }
}
