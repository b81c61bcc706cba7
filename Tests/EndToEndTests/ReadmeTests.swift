// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The README's lines to type do what they say, in a folder whose patterns and plans are made short.
struct ReadmeTests {
  /// What the README has a reader type after the demo.
  private func lines() throws -> [String] {
    let text = try String(
      contentsOf: Workbench.package.appending(path: "README.md"), encoding: .utf8)
    let block = try #require(text.firstMatch(of: /Type these lines in order[^`]*```sh\n([^`]*)```/))
    return block.output.1.split(separator: "\n").map(String.init)
  }

  private func bench() throws -> Workbench {
    let bench = try Workbench()
    let rigs = bench.file("rigs")
    try FileManager.default.copyItem(at: URL(filePath: Workbench.rigs), to: rigs)
    let kept = ["taps-isolated.ahap", "designed-offset.ahap", "swell.ahap"]
    for name in bench.names(in: "rigs/patterns")
    where name.hasSuffix(".ahap") && !kept.contains(name) {
      try FileManager.default.removeItem(at: rigs.appending(path: "patterns/\(name)"))
    }
    for (plan, repeats, restarts) in [("demo", 1, 0), ("nightly", 1, 0), ("latency", 3, 2)] {
      let file = rigs.appending(path: "plans/\(plan).yaml")
      let text = try String(contentsOf: file, encoding: .utf8)
      try text.replacing(/\nrepeats: \d+/, with: "\nrepeats: \(repeats)")
        .replacing(/\nrestarts: \d+/, with: "\nrestarts: \(restarts)")
        .replacing("taps-and-clicks, ", with: "").replacing("intensity-ladder, ", with: "")
        .replacing("texture-gravel, engine-rev, loop-rain", with: "swell")
        .write(to: file, atomically: true, encoding: .utf8)
    }
    let nights = rigs.appending(path: "plans/demo-nights.yaml")
    try String(contentsOf: nights, encoding: .utf8)
      .replacing(", ../patterns/taps-and-clicks.ahap", with: "")
      .write(to: nights, atomically: true, encoding: .utf8)
    return bench
  }

  @Test func `every line that the README has a reader type works after the demo`() throws {
    let bench = try bench()
    let lines = try lines()
    #expect(lines.count > 10)
    var script = "haprig demo --quiet; echo \"demo: $?\" >> codes\n"
    for (number, line) in lines.enumerated() {
      script +=
        "\(line.replacing("--nights 60", with: "--nights 24"))\necho \"\(number): $?\" >> codes\n"
    }
    try bench.write(script, to: "typed.sh")
    let folder = URL(filePath: Workbench.haprig).deletingLastPathComponent().path()
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let ending = try bench.start(
      ["bash", "typed.sh"], changing: ["PATH": "\(folder):\(path)"]
    ).end()
    let told = String(decoding: try bench.bytes("codes"), as: UTF8.self).split(separator: "\n")
    let codes = lines.indices.map { number in
      lines[number].firstMatch(of: /exit code (\d)/).map { "\(number): \($0.output.1)" }
        ?? "\(number): 0"
    }
    #expect(told.map(String.init) == ["demo: 0"] + codes, "\(lines)\n\(ending.errors)")
  }
}
