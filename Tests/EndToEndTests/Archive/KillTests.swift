import Foundation
import Glibc
import JSONText
import SeededRandom
import Testing

/// Processes that are killed while they write to an archive.
struct KillTests {
  /// How many are killed: `HAPRIG_KILLS`, or as many as a quick test bears.
  private static let kills =
    ProcessInfo.processInfo.environment["HAPRIG_KILLS"].flatMap { Int($0) } ?? 20

  /// What is killed: most of all runs, then what changes the whole archive.
  private static let work = [
    ["run", "plan.yaml", "--rig", "rig.yaml", "--out", "out", "--quiet"],
    ["run", "plan.yaml", "--rig", "rig.yaml", "--out", "out", "--quiet"],
    ["archive", "rebuild", "--archive", "out", "--quiet"],
    ["archive", "prune", "--archive", "out", "--keep-recordings", "0"],
  ]

  @Test func `killing at any moment loses at most the run in progress`() throws {
    var generator = SeededRandom(seed: 0x6b69_6c6c)
    let bench = try Workbench()
    try bench.simulatedRig()
    try bench.write(Patterns.tap, to: "tap.ahap")
    try bench.write(Plans.quick(), to: "plan.yaml")
    let lengths = try Self.work.map { work in
      let began = ContinuousClock.now
      let ending = try bench.haprig(work)
      try #require(ending.code == 0, "\(work): \(ending.errors)")
      let length = ContinuousClock.now - began
      return Double(length.components.seconds) + Double(length.components.attoseconds) * 1e-18
    }
    var whole = try runs(in: bench)
    var killed = 0
    for number in 1...Self.kills {
      let choice = generator.integer(0...Self.work.count - 1)
      let pause = generator.uniform(0...lengths[choice] * 1.05)
      let program = try bench.start(haprig: Self.work[choice])
      // A second process now and then: two may write at once.
      let other = generator.chance(0.3) ? try bench.start(haprig: Self.work[0]) : nil
      usleep(useconds_t(pause * 1e6))
      program.send(SIGKILL)
      if try program.end().code == 128 + SIGKILL { killed += 1 }
      if let other { #expect(try other.end().code == 0, "\(generator), kill \(number)") }
      let now = try runs(in: bench)
      #expect(whole.subtracting(now).isEmpty, "\(generator), kill \(number): \(Self.work[choice])")
      whole = now
      if number % 10 == 0 || number == Self.kills {
        try expectSound(bench, holding: whole, "\(generator), kill \(number)")
      }
    }
    // A schedule that kills nobody would prove nothing.
    #expect(killed > Self.kills / 4, "\(killed) of \(Self.kills) were killed")
  }

  /// The names of the runs that are whole: each has a record that can be read.
  private func runs(in bench: Workbench) throws -> Set<String> {
    let names = bench.names(in: "out").filter { !$0.hasPrefix(".") }
    for name in names { _ = try Record(bench.file("out/\(name)")) }
    return Set(names)
  }

  private func expectSound(_ bench: Workbench, holding runs: Set<String>, _ when: String) throws {
    let verified = try bench.haprig("archive", "verify", "--archive", "out")
    #expect(verified.code == 0, "\(when): \(verified.output)\(verified.errors)")
    // Nothing had to be healed: no kill damages an index.
    #expect(verified.errors == "", "\(when)")
    let listed = try bench.haprig(
      "archive", "list", "--archive", "out", "--json", "--limit", "9999")
    let list = try #require(try JSONValue(parsing: Array(listed.output.utf8)).elements)
    let names = list.compactMap { $0["id"]?.string }
    #expect(Set(names) == runs && names.count == runs.count, "\(when)")
  }
}
