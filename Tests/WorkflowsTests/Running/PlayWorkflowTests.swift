// SPDX-License-Identifier: Apache-2.0

import Bench
import Devices
import LiveRuns
import Synchronization
import Testing

@testable import Workflows

struct PlayWorkflowTests {
  private static let rigs =
    #filePath.split(separator: "/").dropLast(4).map { "/" + $0 }.joined() + "/rigs/"

  private final class Log: Sendable {
    let events = Mutex<[LiveEvent]>([])

    func add(_ event: LiveEvent) { events.withLock { $0.append(event) } }
  }

  @Test func `whoever plays tells which pattern of how many, and how far all of it is`()
    async throws
  {
    let log = Log()
    let user = RigOperator(version: "9.9-test", listener: log.add)
    let rig = try RigChoice(file: Self.rigs + "simulated-lra.yaml").readToPlay()
    let files = ["swell", "steps"].map { Self.rigs + "patterns/\($0).ahap" }
    let (_, patterns) = try RunRequest.read(files, rig: rig, reading: PatternReading())
    let builder = TakeBuilder(rig: rig, hasProbe: false)
    var played: [String] = []
    try await PlayWorkflow(patterns, on: rig, by: builder, for: user).execute { pattern, seconds in
      #expect(seconds > 0.1)
      played.append(pattern.name)
    }
    #expect(played == ["swell", "steps"])
    let events = log.events.withLock { $0 }
    let takes = events.compactMap { event -> LiveEvent.Take? in
      if case .take(let take) = event { take } else { nil }
    }
    #expect(takes.map(\.pattern) == played && takes.map(\.number) == [1, 2])
    #expect(takes.allSatisfy { $0.total == 2 && $0.take == 1 && $0.seconds > 0 })
    let progress = events.compactMap { event -> LiveEvent.Progress? in
      if case .progress(let progress) = event { progress } else { nil }
    }
    // It rises through both, and a pattern's part of it is its part of the time.
    #expect(zip(progress, progress.dropFirst()).allSatisfy { $0.overall <= $1.overall })
    #expect(progress.allSatisfy { (0...1).contains($0.overall) && (0...1).contains($0.share) })
    #expect(abs((progress.last?.overall ?? 0) - 1) < 0.2)
    let first = takes[0].seconds / (takes[0].seconds + takes[1].seconds)
    #expect(progress.contains { abs($0.overall - first * $0.share) < 1e-9 })
    #expect(progress.contains { abs($0.overall - first - (1 - first) * $0.share) < 1e-9 })
  }
}
