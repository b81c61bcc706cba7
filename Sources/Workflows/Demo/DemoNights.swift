// SPDX-License-Identifier: Apache-2.0

import Acceptance
import Bench
import ChangeDetection
import Devices
private import Glibc
import LiveRuns
import Paths
package import Reporting
import RunArchive
import Units

/// An archive of simulated nights in which three things happen, and the page of its history.
///
/// Every night is a run of a short plan on the supplied simulated rig, whose file is written anew for it: what
/// happens is in the rig's `simulation`, and nothing is written into results. Only the dates are made up.
package struct DemoNights: Sendable {
  /// How many nights there can be: with fewer than these not all is found.
  package static let counts = 24...366
  /// The day of the first night, the same whenever it is asked for: equal demos are equal.
  private static let firstDay = CalendarDay("2026-01-05")
  /// The hour at which a night begins, UTC.
  private static let hour = 2
  /// In a run's environment: of which demo it is.
  private static let mark = "demo"

  package struct Outcome: Sendable {
    package let report: HistoryReport
    package let page: String
    /// How many nights were played now: the others were there.
    package let played: Int
  }

  private let count: Int
  private let seed: UInt64
  private let rigs: String
  private let folder: String
  private let user: RigOperator

  /// Makes `count` nights from the rigs, plans and patterns in the folder `rigs`, in an archive of their own.
  package init(_ count: Int, seed: UInt64, rigs: String, in folder: String, by user: RigOperator) {
    precondition(Self.counts.contains(count), "\(count) nights are not in \(Self.counts)")
    self.count = count
    self.seed = seed
    self.rigs = rigs
    self.folder = folder
    self.user = user
  }

  /// Plays the nights that the folder does not have yet, and writes the page: what was stopped goes on.
  ///
  /// A folder with other runs is refused before anything is written.
  package func execute() async throws -> Outcome {
    let location = try ArchiveLocation(folder)
    let done = try nightsDone(in: location)
    let supplied = try String(
      decoding: RegularFile(path: FilePath.join(rigs, Self.rigFile)).bytes(limit: 1 << 20),
      as: UTF8.self)
    let lock = try WorkLock.take("demo", in: folder) { holder in
      "\(folder): \(holder) is making the nights of a demo there already: wait for it, or stop it"
    }
    // A night takes less than a second: a stop waits for its end, so that none is half done.
    let player = RigOperator(version: user.version) { event in
      if case .notice(.warning, _) = event { user.tell(event) }
    }
    let file = FilePath.join(folder, Self.rigFile)
    var order = RunOrder(
      [FilePath.join(rigs, "plans/demo-nights.yaml")], on: RigChoice(file: file), folder: folder)
    order.environment[Self.mark] = description
    for night in 0..<count where !done.contains(day(of: night)) {
      try user.check(": \(night) of \(count) nights are there, and the same command goes on")
      user.tell(
        .step("making night \(night + 1) of \(count),", share: Double(night) / Double(count)))
      try AtomicFile.write(rig(supplied, night), to: file)
      order.began = Moment(seconds: day(of: night) * 86_400 + Self.hour * 3600)
      _ = try await RunWorkflow(RunRequest(order, by: player), by: player).execute()
    }
    user.tell(.idle)
    try AtomicFile.write(rig(supplied, count - 1), to: file)
    let request = try RunRequest(order, by: player)
    var question = HistoryQuestion(rig: request.rig.name, plan: request.plan.name)
    question.pageFolder = folder
    question.days = count
    let report = try HistoryReader(Archive(opening: location), question).report()
    let page = FilePath.join(folder, "history.html")
    try AtomicFile.write(HistoryPage(report).text, to: page)
    _ = consume lock
    return Outcome(report: report, page: page, played: count - done.count)
  }

  private static let rigFile = "simulated-lra.yaml"

  private var description: String { "\(count) simulated nights, seed \(seed)" }

  private func day(of night: Int) -> Int { (Self.firstDay?.number ?? 0) + night }

  /// The days that the folder has already; none where it is not there.
  private func nightsDone(in location: ArchiveLocation) throws -> Set<Int> {
    guard access(location.folder, F_OK) == 0 else { return [] }
    let archive = try Archive(opening: location)
    let runs = try archive.runs()
    let marks = try archive.environment(Self.mark, of: RunFilter())
    if let other = runs.first(where: { marks[$0.id] != description }) {
      let what = marks[other.id].map { "nights of another demo (\($0.printable))" } ?? "other runs"
      throw InputError(
        "\(folder): this folder has \(what): give these nights a folder of their own with --out")
    }
    return Set(runs.map(\.day.number))
  }
}

extension DemoNights {
  /// The share of the nights after which the sound comes later, and after which the capture does.
  private static let places = (step: 0.4, move: 0.75)

  /// The rig file of a night: the supplied one with the values that the rig has by then.
  ///
  /// - The actuator weakens: its force factor falls by 4 % over all nights.
  /// - From the first place on the sound comes 2 ms later.
  /// - From the second place on the capture is 0.9 ms later: that is the rig's, and the control shows it.
  /// - From night to night everything scatters a little, as temperature and mounts make it.
  private func rig(_ supplied: String, _ night: Int) throws -> String {
    var mixer = SplitMix(state: seed)
    var random = SplitMix(state: mixer.next() ^ UInt64(night))
    let share = Double(night) / Double(count)
    func text(_ value: Double) -> String { EngineeringFormat.fixed(value, 5) }
    let values = [
      ("seed: 1\n", "seed: \(random.next() >> 1)\n"),
      ("transport: 0.40 ms", "transport: \(text(0.4 + 0.004 * random.normal())) ms"),
      (
        "plant: coinZ-170\n",
        """
        plant: {from: coinZ-170, resonance: \(text(170 + 0.25 * random.normal())) Hz, \
        quality: \(text(9 + 0.036 * random.normal())), force-factor: \
        \(text(0.445 * (1 - 0.04 * share) * (1 + 0.006 * random.normal()))) N/A}

        """
      ),
      (
        "sound: {latency: 1.5 ms",
        "sound: {latency: "
          + text(1.5 + 0.05 * random.normal() + (share >= Self.places.step ? 2 : 0)) + " ms"
      ),
      (
        "capture: {latency: 3.1 ms",
        "capture: {latency: \(text(3.1 + (share >= Self.places.move ? 0.9 : 0))) ms"
      ),
    ]
    return try values.reduce(supplied) { rig, value in
      guard rig.ranges(of: value.0).count == 1 else {
        throw InputError(
          "\(FilePath.join(rigs, Self.rigFile)): the demo needs '\(value.0.printable)' in it once: "
            + "take the rigs that come with haprig")
      }
      return rig.replacing(value.0, with: value.1)
    }
  }
}

extension SplitMix {
  /// A number of standard deviation 1 about 0: twelve even ones together (Irwin and Hall), at most 6.
  fileprivate mutating func normal() -> Double {
    (0..<12).reduce(-6) { sum, _ in sum + Double(next() >> 11) * 0x1p-53 }
  }
}
