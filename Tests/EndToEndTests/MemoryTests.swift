// SPDX-License-Identifier: Apache-2.0

import Testing

/// What a take costs in memory as it gets longer.
struct MemoryTests {
  /// A quarter of an hour is to stay under 300 MB, of which the program itself takes some 50.
  private static let mostKilobytesPerSecond = 280.0

  @Test func `memory hardly grows with the length of a take, played or scored`() throws {
    let bench = try Workbench()
    func peaks(_ seconds: Int) throws -> (run: Int, score: Int) {
      let pattern = try bench.write(Patterns.taps(seconds: seconds), to: "taps-\(seconds).ahap")
      let played = try bench.haprig(
        "run", pattern, "--rig", Workbench.rigs + "/simulated-lra.yaml", "--repeats", "1",
        "--archive",
        "runs-\(seconds)", "--quiet")
      try #require(played.code == 0, "\(played.errors)")
      let run = try #require(bench.names(in: "runs-\(seconds)").first { $0.hasPrefix("2") })
      let scored = try bench.haprig("score", "runs-\(seconds)/\(run)")
      try #require(scored.code == 0, "\(scored.errors)")
      return (played.peakKilobytes, scored.peakKilobytes)
    }
    let (short, long) = (try peaks(60), try peaks(240))
    for (name, first, last) in [("run", short.run, long.run), ("score", short.score, long.score)] {
      let growth = Double(last - first) / 180
      #expect(
        growth < Self.mostKilobytesPerSecond,
        "\(name): \(first) kB at 60 s, \(last) kB at 240 s: \(growth) kB a second")
    }
    #expect(short.run > 0)
  }
}
