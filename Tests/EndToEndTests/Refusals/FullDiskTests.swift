// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// A disk or a quota that ends while something is written: nothing that looks whole is left.
struct FullDiskTests {
  private func bench() throws -> Workbench {
    let bench = try Workbench()
    try bench.write(Plants.mirror, to: "mirror.py")
    try bench.commandRig("mirror.py")
    try bench.write(Patterns.tap, to: "tap.ahap")
    try bench.write(Plans.quick(), to: "plan.yaml")
    return bench
  }

  @Test(arguments: [
    ["run", "plan.yaml", "--rig", "rig.yaml", "--archive", "out"],
    ["run", "plan.yaml", "--rig", "rig.yaml", "--stimulus", "x.wav"],
    ["render", "tap.ahap", "--out", "x.wav"],
  ])
  func `a file that may not grow is not left half written`(command: [String]) throws {
    let bench = try bench()
    // Two blocks are less than the smallest of these files.
    let ending = try bench.start(
      ["sh", "-c", "ulimit -f 2; exec \"$@\"", "sh", Workbench.haprig] + command
    ).end()
    let isRun = command.contains("out")
    expectRefusal(ending, code: 3, saying: isRun ? "-drive.flac: " : ".wav: ", in: bench)
    #expect(!bench.names(in: ".").contains { $0.contains("x.wav") })
  }

  @Test func `a full disk leaves no run behind`() throws {
    let bench = try bench()
    #expect(try bench.haprig("run", "plan.yaml", "--rig", "rig.yaml", "--archive", "out").code == 0)
    let whole = try bench.record().folder
    let sounds = try ["tap-1-drive.flac", "tap-1-response.flac"].map { name in
      try Data(contentsOf: whole.appending(path: name)).count / 1024 + 4
    }
    // Room for no recording, for one, and for both but not for the report.
    for kilobytes in [100, sounds[0] + 100, sounds[0] + sounds[1] + 12] {
      let (ending, left) = try run(in: bench, onDiskOf: kilobytes)
      #expect(ending.code == 3, "\(kilobytes) KiB: \(ending.errors)")
      expectSentence(ending, saying: ["disk/"])
      #expect(
        ending.errors.contains("No space left on device")
          || ending.errors.contains("the disk is full"), "\(ending.errors)")
      #expect(left == "", "\(kilobytes) KiB")
    }
  }

  /// Runs on a small disk, and lists what is left on it.
  ///
  /// The disk exists in a namespace of its own and goes with it.
  private func run(in bench: Workbench, onDiskOf kilobytes: Int) throws -> (Ending, String) {
    let script = """
      mkdir -p disk && mount -t tmpfs -o size=\(kilobytes)k tmpfs disk || exit 99
      "$@"; code=$?
      find disk -mindepth 1 > left.txt
      exit $code
      """
    let ending = try bench.start(
      ["unshare", "--mount", "--map-root-user", "sh", "-c", script, "sh", Workbench.haprig]
        + ["run", "plan.yaml", "--rig", "rig.yaml", "--archive", "disk"]
    ).end()
    guard let left = try? bench.bytes("left.txt") else {
      try Test.cancel("no disk can be mounted here: \(ending.errors)")
    }
    return (ending, String(decoding: left, as: UTF8.self))
  }
}
