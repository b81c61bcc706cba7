// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Bench
import Devices
import JSONText
import LiveRuns
import RunArchive
import ScratchFolder
import Synchronization
import Testing
import Units

@testable import Workflows

/// Workflows without a program around them.
struct RunWorkflowTests {
  private static let rigs =
    #filePath.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/rigs/"

  private static func order(in folder: String) -> RunOrder {
    var order = RunOrder(
      [rigs + "patterns/taps-and-clicks.ahap"], on: RigChoice(file: rigs + "simulated-lra.yaml"),
      folder: folder)
    order.repeats = 2
    return order
  }

  /// What an operator was told.
  private final class Log: Sendable {
    let events = Mutex<[LiveEvent]>([])

    func add(_ event: LiveEvent) { events.withLock { $0.append(event) } }

    /// The takes that began and were measured, in their order.
    var takes: [String] {
      events.withLock { events in
        events.compactMap { event in
          switch event {
          case .take(let take): "take \(take.take) began, \(take.number) of \(take.total)"
          case .measured(let measured): "take \(measured.take ?? 0) measured"
          case .idle: "idle"
          default: nil
          }
        }
      }
    }
  }

  @Test func `a run tells its operator of each take, and leaves a record that scores the same`()
    async throws
  {
    let scratch = try ScratchFolder()
    let folder = scratch.path
    let log = Log()
    let user = RigOperator(version: "9.9-test", listener: log.add)
    let request = try RunRequest(Self.order(in: folder), by: user)
    let outcome = try await RunWorkflow(request, by: user).execute()
    #expect(outcome.fault == nil)
    #expect(outcome.record.run.software == "haprig 9.9-test")
    // The next take plays while one is measured.
    #expect(
      log.takes.filter { $0.contains("began") } == [
        "take 1 began, 1 of 2", "take 2 began, 2 of 2",
      ])
    #expect(
      log.takes.filter { $0.contains("measured") } == ["take 1 measured", "take 2 measured"])
    #expect(log.takes.last == "idle" && log.takes.count == 5)
    let score = try ScoreWorkflow.execute(folder: outcome.folder, by: user)
    #expect(score.isSame, "\(score.differences())")
    #expect(try Archive(opening: ArchiveLocation(folder)).runs().count == 1)
  }

  /// The simulated rig with a thermometer, which is a file that a program prints.
  private func order(in folder: String, thermometer: String) throws -> RunOrder {
    let file = Self.rigs + "simulated-lra.yaml"
    let text = try RegularFile(path: file).bytes(limit: 1 << 20)
    let rig = folder + "/rig.yaml"
    try AtomicFile.write(
      String(decoding: text, as: UTF8.self) + "\ntemperature: \(thermometer)\n", to: rig)
    var order = Self.order(in: folder + "/runs")
    order.rig = RigChoice(file: rig)
    return order
  }

  @Test func `a rig's thermometer is read beside the takes, and scores the same`() async throws {
    let scratch = try ScratchFolder()
    try AtomicFile.write("23.5\n", to: scratch.file("degrees"))
    let user = RigOperator(version: "9.9-test")
    let order = try order(
      in: scratch.path,
      thermometer: "{command: [cat, \(scratch.file("degrees"))], uncertainty: 0.5 degC}")
    let outcome = try await RunWorkflow(RunRequest(order, by: user), by: user).execute()
    let reading = try #require(
      outcome.record.readings.first { $0.name == ReadingName(.temperature) })
    #expect(reading.value == 23.5 && reading.uncertainty == 0.5 && reading.pattern == nil)
    #expect(reading.unit == .celsius && reading.note == "23.5 to 23.5 degC")
    #expect(outcome.record.header.environment["temperature"] == "23.5 degC")
    for take in outcome.record.patterns.flatMap(\.takes) {
      let temperature = try #require(take.temperature)
      #expect(temperature.mean == 23.5 && temperature.fault == nil)
      // From before the take to after it.
      #expect(try #require(temperature.times.first) <= 0 && temperature.times.count >= 2)
    }
    let score = try ScoreWorkflow.execute(folder: outcome.folder, by: user)
    #expect(score.isSame, "\(score.differences())")
  }

  @Test func `a thermometer that fails spoils nothing`() async throws {
    let scratch = try ScratchFolder()
    let log = Log()
    let user = RigOperator(version: "9.9-test", listener: log.add)
    let broken = try order(in: scratch.path, thermometer: "{file: /dev/shm/haprig-none}")
    let outcome = try await RunWorkflow(RunRequest(broken, by: user), by: user).execute()
    let sound = try await RunWorkflow(
      RunRequest(Self.order(in: scratch.path + "/sound"), by: user), by: user
    ).execute()
    let reading = try #require(
      outcome.record.readings.first { $0.name == ReadingName(.temperature) })
    #expect(reading.value == nil && reading.verdict == .notMeasured)
    #expect(reading.note == "/dev/shm/haprig-none cannot be read: No such file or directory")
    #expect(outcome.record.verdict == sound.record.verdict)
    // What the rig file states is what there is.
    #expect(outcome.record.header.environment["temperature"] == "23 degC")
    #expect(
      outcome.record.readings.filter { $0.name != ReadingName(.temperature) }
        == sound.record.readings)
    #expect(
      log.events.withLock { events in
        events.contains { event in
          if case .notice(.warning, let text) = event {
            text.hasPrefix("the temperature is not known: /dev/shm/haprig-none")
          } else {
            false
          }
        }
      })
  }

  @Test func `a run that is stopped before it plays leaves nothing behind`() async throws {
    let scratch = try ScratchFolder()
    let folder = scratch.path
    let user = RigOperator(version: "9.9-test")
    let request = try RunRequest(Self.order(in: folder), by: user)
    user.stop.request(2)
    do {
      _ = try await RunWorkflow(request, by: user).execute()
      Issue.record("it ran")
    } catch let error as WorkflowError {
      #expect("\(error)" == "stopped by signal 2 before anything played")
    }
    #expect(scratch.names.isEmpty)
  }

  @Test func `a run that is stopped while it plays ends with its record`() async throws {
    let scratch = try ScratchFolder()
    let folder = scratch.path
    let stop = StopSignal()
    let user = RigOperator(version: "9.9-test", stop: stop) { event in
      if case .progress(let progress) = event, progress.share > 0.3 { stop.request(15) }
    }
    let request = try RunRequest(Self.order(in: folder), by: user)
    let outcome = try await RunWorkflow(request, by: user).execute()
    #expect(outcome.fault?.code == .interrupted)
    #expect(outcome.record.run.status == .interrupted)
    #expect(ScratchFolder.names(in: outcome.folder).contains("record.json"))
  }

  @Test func `a sensor that nobody lays is not calibrated`() async throws {
    let asked = Mutex(0)
    let user = RigOperator(
      version: "9.9-test",
      hands: { _ in
        asked.withLock { $0 += 1 }
        return nil
      })
    let flip = try FlipWorkflow(
      rig: RigFolder(file: Self.rigs + "simulated-lra.yaml"), channels: [], sensor: nil,
      gravity: nil, by: user)
    await #expect(throws: InputError.self) { try await flip.measure() }
    #expect(asked.withLock { $0 } == 1)
  }

  @Test func `strictly read patterns are scored strictly`() async throws {
    let scratch = try ScratchFolder()
    let folder = scratch.path
    var order = Self.order(in: folder)
    order.repeats = 1
    order.reading.isStrict = true
    order.laws.mixing = .sum
    let user = RigOperator(version: "9.9-test")
    let outcome = try await RunWorkflow(RunRequest(order, by: user), by: user).execute()
    #expect(outcome.record.inputs?.options["strict"]?.bool == true)
    #expect(try ScoreWorkflow.execute(folder: outcome.folder, by: user).isSame)
  }
}
