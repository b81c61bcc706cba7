// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import JSONText
import Testing

/// Ctrl-C and SIGTERM: the drive goes to zero, the record is finished, the exit code says why.
struct SignalTests {
  /// Polls until something holds, for at most a minute.
  private func wait(for condition: () throws -> Bool) rethrows {
    for _ in 0..<12_000 where try !condition() { usleep(5_000) }
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143)] as [(Int32, Int32)])
  func `a signal finishes the record of a run in real time`(signal: Int32, code: Int32) throws {
    let bench = try Workbench()
    try bench.simulatedRig(changing: ["clock: virtual": "clock: real"])
    try bench.write(Patterns.tap, to: "tap.ahap")
    try bench.write(
      Plans.quick(repeats: 100, limits: ["{reading: dropouts, below: 0}"]), to: "plan.yaml")
    let run = try bench.start(haprig: ["run", "plan.yaml", "--rig", "rig.yaml", "--archive", "out"])
    wait { run.errorsSoFar.contains("measured tap, take 1") }
    run.send(signal)
    let sent = ContinuousClock.now
    let ending = try run.end()
    #expect(ContinuousClock.now - sent < .seconds(2))
    #expect(ending.code == code, "\(ending.errors)")
    #expect(ending.errors.contains("the run was stopped by signal \(signal); the drive is at zero"))
    let record = try bench.record()
    #expect(record.status == "interrupted")
    #expect(record.reason?.contains("signal \(signal)") == true)
    #expect(record.verdict == "not measured")
    #expect(record.takes.count < 100)
    #expect(record.readings("latency.electrical").contains { $0["repeat"]?.integer == 1 })
    for name in ["report.html", "junit.xml"] {
      let path = record.folder.appending(path: name).path()
      #expect(FileManager.default.fileExists(atPath: path), "\(name)")
    }
  }

  @Test(arguments: ["run", "play"])
  func `a signal leaves an outside plant without drive`(command: String) throws {
    let bench = try Workbench()
    // It tells how loud each block is, and takes its time.
    let log = """
      import time
      log = open("log.txt", "w", buffering=1)
      while True:
          data = sys.stdin.buffer.read(size)
          print(max(map(abs, struct.unpack("<%df" % (len(data) // 4), data)), default=0), file=log)
          if len(data) < size:
              print("end", file=log)
              break
          time.sleep(0.02)
          answer(data)

      """
    try bench.write(Plants.greeting + log, to: "slow.py")
    try bench.commandRig("slow.py")
    try bench.write(Patterns.tap, to: "tap.ahap")
    let out = command == "run" ? ["--archive", "out"] : []
    let run = try bench.start(haprig: [command, "tap.ahap", "--rig", "rig.yaml"] + out)
    wait {
      // The marker or the probe is being played.
      ((try? String(decoding: bench.bytes("log.txt"), as: UTF8.self)) ?? "").contains("0.2")
    }
    run.send(SIGTERM)
    let ending = try run.end()
    #expect(ending.code == 143, "\(ending.errors)")
    let lines = String(decoding: try bench.bytes("log.txt"), as: UTF8.self).split(separator: "\n")
    #expect(lines.suffix(2) == ["0", "end"], "\(lines.suffix(4))")
    #expect(lines.count < 360)
    if command == "run" { #expect(try bench.record().status == "interrupted") }
  }

  @Test func `a second signal ends the program at once and leaves no run`() throws {
    let bench = try Workbench()
    // It never answers, so the first signal has to wait for its time-out.
    try bench.write("import time\nopen('up', 'w').close()\ntime.sleep(60)\n", to: "mute.py")
    try bench.commandRig("mute.py")
    try bench.write(Patterns.tap, to: "tap.ahap")
    let run = try bench.start(haprig: ["run", "tap.ahap", "--rig", "rig.yaml", "--archive", "out"])
    wait { bench.names(in: ".").contains("up") }
    run.send(SIGINT)
    // Two signals at once would be one: the first is handled once it has no handler any more.
    wait { !run.handles(SIGINT) }
    run.send(SIGINT)
    let ending = try run.end(within: 30)
    #expect(ending.code == 130, "\(ending.errors)")
    #expect(bench.names(in: "out").allSatisfy { $0.hasPrefix(".") })
  }
}
