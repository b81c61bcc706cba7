// SPDX-License-Identifier: Apache-2.0

import Devices
import ScratchFolder
import Testing
import Units
import VirtualDevices

/// What a program can do wrong, each a clear sentence.
struct CommandFaultTests {
  /// Plays until a fault comes, and gives it.
  private func fault(_ bench: CommandFixture, frames: Int = 256) throws -> DeviceError {
    let rig = try bench.open()
    let error = #expect(throws: DeviceError.self) {
      _ = try playTake(rig.drive, rig.sensors, frames: frames) { _ in 0.5 }
    }
    let found = try #require(error)
    #expect(found.device == "outside")
    // The fault stands until the next start, and ending the take brings no other.
    if (try? rig.drive.stop()) == nil { Issue.record("stop after a fault throws") }
    return found
  }

  private func expect(_ error: DeviceError, _ code: DeviceError.Code, _ parts: String...) {
    #expect(error.code == code, "\(error)")
    for part in parts { #expect(error.message.contains(part), "no '\(part)' in: \(error)") }
  }

  @Test func `a program that dies is named with its exit code and last line`() throws {
    let error = try fault(
      CommandFixture(shell: "head -c 512 /dev/zero\necho first >&2\necho motor burnt >&2\nexit 3\n")
    )
    expect(error, .ended, "exit code 3", "motor burnt", "block 1, capture frame 64")
  }

  @Test func `a block that was answered counts though its drive was never heard`() throws {
    let bench = try CommandFixture(shell: "")
    // Its input is closed before it says anything, so no block of the drive ever reaches it.
    try bench.scratch.write(
      "read greeting\nexec <&-\necho '\(CommandFixture.header)'\nhead -c 512 /dev/zero\nexit 3\n",
      to: "plant.sh")
    expect(try fault(bench), .ended, "exit code 3", "block 1, capture frame 64")
  }

  @Test func `a last line without a line feed is heard too`() throws {
    let error = try fault(CommandFixture(shell: "printf 'no motor' >&2\nexit 1\n"))
    expect(error, .ended, "exit code 1", "no motor")
  }

  @Test func `the last line of the take before is not this take's`() throws {
    let bench = try CommandFixture(
      shell: "[ -e second ] && exit 4\ntouch second\necho of the first >&2\nexit 3\n")
    let rig = try bench.open()
    for (code, words) in [(3, "of the first"), (4, "nothing to its standard error")] {
      let error = #expect(throws: DeviceError.self) {
        _ = try playTake(rig.drive, rig.sensors, frames: 256) { _ in 0 }
      }
      expect(try #require(error), .ended, "exit code \(code)", words)
    }
  }

  @Test func `a program killed by a signal is named with its number`() throws {
    expect(try fault(CommandFixture(shell: "kill -9 $$\n")), .ended, "signal 9")
  }

  @Test func `a program that closes its output and lives on did not end by itself`() throws {
    let error = try fault(CommandFixture(shell: "exec >&-\nexec sleep 100\n"))
    expect(error, .ended, "closed its standard output")
  }

  @Test func `a program that stalls is a fault after the timeout`() throws {
    var silent = try CommandFixture(shell: "")
    silent.arguments = ["sleep", "100"]
    silent.timeout = 0.3
    expect(try fault(silent), .stalled, "0.3 s", "before its first line")
    var later = try CommandFixture(shell: "head -c 512 /dev/zero\nsleep 100\n")
    later.timeout = 2
    expect(try fault(later), .stalled, "2.0 s", "block 1")
  }

  @Test func `a first line that is not JSON is quoted by its place`() throws {
    let error = try fault(CommandFixture(answer: "hello", shell: "cat >/dev/null\n"))
    expect(error, .garbled, "not JSON", "column 1", #""name":"z""#)
  }

  @Test func `a first line without an end is not read for ever`() throws {
    let bench = try CommandFixture(answer: "", shell: "")
    try bench.scratch.write("cat /dev/zero | tr '\\0' x\n", to: "plant.sh")
    expect(try fault(bench), .garbled, "not JSON")
  }

  @Test func `another version of the conversation is refused`() throws {
    let answer = #"{"haprig":2,"channels":[]}"#
    expect(
      try fault(CommandFixture(answer: answer, shell: "cat >/dev/null\n")), .garbled,
      #""haprig":1"#)
  }

  @Test(
    arguments: [
      (#"{"haprig":1}"#, "no array"),
      (#"{"haprig":1,"channels":[{"name":"z"}]}"#, "no unit"),
      (#"{"haprig":1,"channels":[{"name":"z","unit":"m/s2"}]}"#, "lack 'reference'"),
      (#"{"haprig":1,"channels":[{"name":"y","unit":"m/s2"}]}"#, "'y' that the rig file"),
      (#"{"haprig":1,"channels":[{"name":"z","unit":"furlong"}]}"#, "one of m/s2, g"),
      (#"{"haprig":1,"channels":[{"name":"z","unit":"V"}]}"#, "one of m/s2, g"),
      (
        #"{"haprig":1,"channels":[{"name":"z","unit":"g"},{"name":"z","unit":"g"}]}"#, "twice"
      ),
    ])
  func `a first line that does not fit the rig says why`(answer: String, words: String) throws {
    expect(
      try fault(CommandFixture(answer: answer, shell: "cat >/dev/null\n")), .garbled, words)
  }

  @Test func `a sample that is no number is named by channel and frame`() throws {
    // 65 frames of eight bytes, then a z of zero and a reference that is NaN.
    let error = try fault(
      CommandFixture(
        shell: "head -c 524 /dev/zero\nprintf '\\000\\000\\300\\177'\nexec cat /dev/zero\n"))
    expect(error, .garbled, "'reference'", "frame 65")
  }

  @Test func `a block that breaks off names how much of it came`() throws {
    let error = try fault(CommandFixture(shell: "head -c 100 /dev/zero\n"))
    expect(error, .ended, "after 100 bytes", "block 0", "of 512 bytes", "exit code 0")
  }

  @Test func `a program that says without end and never listens is stopped`() throws {
    let error = try fault(CommandFixture(shell: "exec cat /dev/zero\n"), frames: 200_000)
    expect(error, .garbled, "more than it was asked for")
  }

  @Test func `a program that is not there is told with where it was looked for`() throws {
    var bench = try CommandFixture(shell: "")
    bench.arguments = ["no-such-plant-program"]
    expect(try fault(bench), .notFound, "no-such-plant-program", "PATH")
    bench.arguments = ["./plant.sh"]
    expect(try fault(bench), .denied, "executable")
  }

  @Test func `a folder that is not there is told as such`() throws {
    let bench = try CommandFixture(shell: "")
    var description = bench.description
    description.drive.device = .command(
      CommandDescription(arguments: ["true"], folder: bench.scratch.path + "/gone"))
    let rig = try CommandRig(description)
    let error = #expect(throws: DeviceError.self) { try rig.drive.start() }
    expect(try #require(error), .notFound, "the folder", "gone")
    // The other half of the take fails alike, and the next start tries again.
    #expect(throws: DeviceError.self) { try rig.sensors.start() }
    #expect(throws: DeviceError.self) { try rig.drive.start() }
  }

  @Test func `a capture cannot start after the drive`() throws {
    let rig = try CommandFixture(python: CommandFixture.echo).open()
    try rig.drive.start()
    try send(rig.drive, 0..<10) { _ in 0 }
    let error = #expect(throws: DeviceError.self) { try rig.sensors.start() }
    expect(try #require(error), .refused, "after 10")
    try rig.drive.stop()
  }

  @Test func `a rig without a program is refused`() throws {
    var bench = try CommandFixture(shell: "")
    bench.arguments = []
    let error = #expect(throws: DeviceError.self) { _ = try bench.open() }
    expect(try #require(error), .refused, "run:")
  }
}
