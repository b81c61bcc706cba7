// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Testing

/// Outside programs that fail: exit code 3, a clear sentence, a record that says so.
struct CommandFaultTests {
  struct Plant: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let source: String
    let words: [String]
  }

  private static func blocks(then end: String) -> String {
    Plants.greeting + "for block in range(10):\n    answer(sys.stdin.buffer.read(size))\n" + end
  }

  static let plants: [Plant] = [
    Plant(
      testDescription: "dies before its first line",
      source: "import sys\nprint('the amplifier is off', file=sys.stderr)\nsys.exit(7)\n",
      words: ["ended with exit code 7 before its first line", "the amplifier is off"]),
    Plant(
      testDescription: "dies in the middle", source: blocks(then: "sys.exit(5)\n"),
      words: ["ended with exit code 5 at block 10, capture frame 2560"]),
    Plant(
      testDescription: "crashes", source: blocks(then: "1 / 0\n"),
      words: ["ended with exit code 1 at block 10", "ZeroDivisionError"]),
    Plant(
      testDescription: "kills itself",
      source: blocks(then: "import os\nos.kill(os.getpid(), 9)\n"),
      words: ["was ended by signal 9 at block 10"]),
    Plant(
      testDescription: "says nothing", source: "import time\ntime.sleep(60)\n",
      words: ["gave no whole answer for 4.0 s before its first line", "raise the timeout"]),
    Plant(
      testDescription: "stalls in the middle",
      source: blocks(then: "import time\ntime.sleep(60)\n"),
      words: ["gave no whole answer for 4.0 s at block 10"]),
    Plant(
      testDescription: "answers half a block",
      source: blocks(then: "answer(bytes(100))\nimport time\ntime.sleep(60)\n"),
      words: ["gave no whole answer for 4.0 s at block 10"]),
    Plant(
      testDescription: "answers garbage",
      source: blocks(then: "answer(b'\\xff' * size)\nsys.stdin.buffer.read()\n"),
      words: ["the channel 'z' is ", "every sample has to be a finite number"]),
    Plant(
      testDescription: "answers no JSON",
      source: "print('hello', flush=True)\nimport sys\nsys.stdin.buffer.read()\n",
      words: ["its first line is not JSON", "{\"haprig\":1,\"channels\":[{\"name\":\"z\""]),
    Plant(
      testDescription: "lacks a channel",
      source: Plants.greeting.replacing("hello[\"capture\"]]", with: "hello[\"capture\"][1:]]"),
      words: ["its channels lack 'z'", "add {\"name\":\"z\",\"unit\":\"m/s2\"}"]),
    Plant(
      testDescription: "has a wrong unit", source: Plants.greeting.replacing("m/s2", with: "kg"),
      words: ["the channel 'z' comes in 'kg'", "one of m/s2, g"]),
    Plant(
      testDescription: "speaks another version",
      source: Plants.greeting.replacing("\"haprig\": 1", with: "\"haprig\": 2"),
      words: ["does not say \"haprig\":1"]),
  ]

  @Test(arguments: plants) func `a program that fails ends the run`(plant: Plant) throws {
    let bench = try Workbench()
    try bench.write(plant.source, to: "plant.py")
    // Only what is said to stall has to be waited for; a busy machine must not make others stall.
    let stalls = plant.words[0].contains(" 4.0 s ")
    try bench.commandRig("plant.py", timeout: stalls ? "4 s" : "30 s")
    try expectFault(bench, saying: ["outside-plant: the program 'python3 plant.py'"] + plant.words)
  }

  @Test func `a program that is not there ends the run`() throws {
    let bench = try Workbench()
    try bench.commandRig("", run: "[no-such-program-of-haprig]")
    try expectFault(bench, saying: ["the program 'no-such-program-of-haprig' is not there"])
    try FileManager.default.removeItem(at: bench.file("out"))
    try bench.commandRig("", run: "[./rig.yaml]")
    try expectFault(bench, saying: ["the program './rig.yaml' cannot be started", "executable"])
  }

  private func expectFault(_ bench: Workbench, saying words: [String]) throws {
    try bench.write(Patterns.tap, to: "tap.ahap")
    let ending = try bench.haprig("run", "tap.ahap", "--rig", "rig.yaml", "--archive", "out", "-q")
    #expect(ending.code == 3, "\(ending.errors)")
    expectSentence(ending, saying: words)
    let record = try bench.record()
    #expect(record.status == "fault")
    #expect(record.verdict == "not measured")
    let reason = try #require(record.reason)
    #expect(words.allSatisfy { reason.contains($0) }, "\(reason)")
    #expect(record.readings("latency.electrical").isEmpty)
    #expect(ending.output.contains("A device fault ended the run"))
    #expect(try bench.haprig("play", "tap.ahap", "--rig", "rig.yaml").code == 3)
  }
}
