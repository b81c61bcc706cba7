// SPDX-License-Identifier: Apache-2.0

import Devices
import Glibc
import ScratchFolder
import Synchronization
import Testing
import Units
import VirtualDevices

/// What passes between haprig and a program that behaves.
struct CommandTalkTests {
  @Test func `channels in any order and unit arrive by name in SI units`() throws {
    let rig = try CommandFixture(python: CommandFixture.echo).open()
    let take = try playTake(rig.drive, rig.sensors, frames: 1_000) { Double($0) / 1_000 - 0.5 }
    #expect(take.channels[0].count == 1_000)
    for frame in stride(from: 0, to: 1_000, by: 37) {
      let drive = Float(Double(frame) / 1_000 - 0.5)
      #expect(abs(take.channels[0][frame] - drive * 9.80665) < 1e-5, "frame \(frame)")
      #expect(abs(take.channels[1][frame] - drive) < 1e-6, "frame \(frame)")
    }
  }

  @Test func `each take starts the program anew in the description's folder`() throws {
    // It leaves a file for every start in the folder it was started in.
    let text = "import os\nopen('start-%d' % os.getpid(), 'w').close()\n" + CommandFixture.echo
    let bench = try CommandFixture(python: text)
    let rig = try bench.open()
    for _ in 0..<2 {
      let take = try playTake(rig.drive, rig.sensors, frames: 100) { _ in 0.25 }
      #expect(take.channels[1] == [Float](repeating: 0.25, count: 100))
    }
    #expect(bench.scratch.names.count { $0.hasPrefix("start-") } == 2)
  }

  @Test func `large blocks pass whole`() throws {
    var bench = try CommandFixture(python: CommandFixture.echo)
    // 512 KiB in either direction, eight times what a pipe holds.
    bench.period = 65_536
    let rig = try bench.open()
    let take = try playTake(rig.drive, rig.sensors, frames: 70_000) { Double($0 % 5) / 5 }
    #expect(take.channels[1].count == 70_000)
    #expect(take.channels[1][69_999] == Float(4.0 / 5))
  }

  @Test func `a flood on the standard error holds nothing up`() throws {
    let text =
      "import sys\nsys.stderr.write(('x' * 99 + chr(10)) * 10486)\n"
      + CommandFixture.echo + "\nsys.stderr.write('last words')\n"
    let lines = Mutex(0)
    let rig = try CommandFixture(python: text).open { _ in lines.withLock { $0 += 1 } }
    let take = try playTake(rig.drive, rig.sensors, frames: 256) { _ in 0.5 }
    #expect(take.channels[1] == [Float](repeating: 0.5, count: 256))
    #expect(lines.withLock { $0 } == 10_487)
    #expect(rig.log.hasSuffix("last words"))
    #expect(rig.log.utf8.count <= 65_536)
  }

  @Test func `drive beyond full scale arrives clipped`() throws {
    let rig = try CommandFixture(python: CommandFixture.echo).open()
    let take = try playTake(rig.drive, rig.sensors, frames: 128) { $0 == 50 ? -7 : 0 }
    #expect(take.channels[1][50] == -1)
    #expect(
      Set(take.driveEvents)
        == Set(
          ["haptic", "reference"].map {
            StreamEvent(kind: .overload, frame: 50, length: 1, channel: $0)
          }))
  }

  @Test func `silence takes back what has not filled a block`() throws {
    let rig = try CommandFixture(python: CommandFixture.echo).open()
    try rig.drive.start()
    try rig.sensors.start()
    try send(rig.drive, 0..<100) { _ in 0.5 }
    rig.drive.silence()
    try rig.drive.stop()
    var heard: [Float] = []
    while heard.count < 200 { heard += try read(rig.sensors, frames: 100) }
    #expect(stride(from: 1, to: 128, by: 2).allSatisfy { heard[$0] == 0.5 })
    #expect(heard[128...].allSatisfy { $0 == 0 })
  }

  @Test func `a program that goes on after its input's end is ended`() throws {
    var bench = try CommandFixture(
      shell: "head -c 512 > /dev/null\nhead -c 512 /dev/zero\nexec sleep 100\n")
    bench.timeout = 1
    let rig = try bench.open()
    let take = try playTake(rig.drive, rig.sensors, frames: 64) { _ in 0 }
    #expect(take.channels[0].count == 64)
    #expect(rig.log.contains("was ended by signal 15"))
  }

  @Test func `programs inherit no descriptor but their three`() throws {
    // Descriptors of other programs' pipes would keep those open.
    let first = try CommandFixture(python: CommandFixture.echo).open()
    try first.drive.start()
    let second = try CommandFixture(shell: "ls /proc/self/fd >&2\nexec cat > /dev/null\n").open()
    try second.drive.start()
    try second.drive.stop()
    let numbers = second.log.split(separator: "\n").compactMap { Int($0) }
    // Three is the folder that is listed.
    #expect(Set(numbers) == [0, 1, 2, 3], "\(numbers)")
    try first.drive.stop()
  }

  @Test func `nothing is left of a rig that is let go in the middle of a take`() throws {
    let bench = try CommandFixture(shell: "echo $$ > number\nhead -c 512 /dev/zero\nsleep 100\n")
    do {
      let rig = try bench.open()
      try rig.drive.start()
      try send(rig.drive, 0..<64) { _ in 0 }
    }
    let answer = try #require(ScratchFolder.text(bench.scratch.file("number")))
    let number = try #require(answer.split(separator: "\n").first.flatMap { Int32($0) })
    // Killed and reaped: neither a process nor a zombie has that number.
    #expect(kill(number, 0) == -1 && errno == ESRCH)
  }
}
