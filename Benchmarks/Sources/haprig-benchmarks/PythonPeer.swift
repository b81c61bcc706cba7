// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A script of this package that python3 runs on numbers: what a benchmark is timed beside.
struct PythonPeer {
  let corpus: Corpus
  /// The script's name in `Benchmarks`.
  let script: String

  /// What the script prints; `nil` without python3, NumPy and SciPy.
  ///
  /// The numbers are in a file, which is its one argument. On one thread, as what it is held against.
  func output(for numbers: Data) -> String? {
    let file = FileManager.default.temporaryDirectory.appending(
      path: "haprig-\(script)-\(ProcessInfo.processInfo.processIdentifier)")
    guard (try? numbers.write(to: file)) != nil else { return nil }
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "python3", corpus.root.appending(path: "Benchmarks/\(script)").path(), file.path(),
    ]
    let pipe = Pipe()
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"]) { $1 }
    process.standardOutput = pipe
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil,
      let text = (try? pipe.fileHandleForReading.readToEnd()).flatMap({
        String(data: $0, encoding: .utf8)
      })
    else { return nil }
    process.waitUntilExit()
    return process.terminationStatus == 0 ? text : nil
  }
}

/// The least processor time of several rounds, in seconds.
///
/// Not time on the wall: what else runs on the machine would count more than what is compared.
func leastWork(of rounds: Int, _ body: () -> Void) -> Double {
  func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + 1e-9 * Double(time.tv_nsec)
  }
  return (0..<rounds).map { _ in
    let began = now()
    body()
    return now() - began
  }.min() ?? 0
}
