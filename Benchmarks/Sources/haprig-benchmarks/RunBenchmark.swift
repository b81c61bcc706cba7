import Foundation

/// Time and memory of a whole run: read, render, play, record, align, measure, report.
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
    var shortest = Double.infinity
    var memory = 0
    for _ in 0..<3 {
      guard let measured = run(program, out: folder) else {
        print("  not measured: the run failed")
        return
      }
      shortest = min(shortest, measured.seconds)
      memory = max(memory, measured.kilobytes)
    }
    row("time", "\((shortest * 100).rounded() / 100) s", "aim 1.5 s")
    row("peak memory", "\(memory / 1024) MiB", "aim 150 MB")
    print()
  }

  private func run(_ program: URL, out: URL) -> (seconds: Double, kilobytes: Int)? {
    let process = Process()
    process.executableURL = program
    process.arguments = [
      "run", corpus.eight.path(), "--rig",
      corpus.root.appending(path: "rigs/simulated-lra.yaml").path(), "--out", out.path(), "--quiet",
    ]
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
    guard process.terminationStatus == 0 else { return nil }
    return (taken.inSeconds, peak)
  }

  private static func peakKilobytes(of process: Int32) -> Int {
    let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = status?.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
    return line.flatMap { Int($0.filter(\.isNumber)) } ?? 0
  }
}
