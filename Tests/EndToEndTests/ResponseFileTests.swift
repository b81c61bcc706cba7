// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Testing

/// A rig that is not on line: a stimulus goes out as a file, a recording comes back as one.
struct ResponseFileTests {
  private static let rate = 48_000.0

  /// Writes the stimulus of one pattern.
  private func bench(repeats: Int = 1) throws -> Workbench {
    let bench = try Workbench()
    try bench.fileRig()
    try bench.write(Plants.respond, to: "respond.py")
    try bench.write(Patterns.tapWithTone, to: "tap.ahap")
    let ending = try bench.haprig(
      "run", "tap.ahap", "--rig", "rig.yaml", "--repeats", "\(repeats)", "--archive", "out",
      "--stimulus", "out.wav")
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.output.hasPrefix("stimulus: out.wav, 3 channels at 48000 Hz, "))
    #expect(bench.names(in: ".") == ["out.wav", "respond.py", "rig.yaml", "tap.ahap"])
    return bench
  }

  private func answer(_ bench: Workbench, repeats: Int = 1) throws -> Ending {
    try bench.haprig(
      "run", "tap.ahap", "--rig", "rig.yaml", "--repeats", "\(repeats)", "--archive", "out",
      "--response", "in.wav")
  }

  private func respond(_ bench: Workbench, _ arguments: Int...) throws {
    _ = try bench.start(
      ["python3", "respond.py", "out.wav", "in.wav"] + arguments.map(String.init)
    ).end()
  }

  @Test(arguments: [1, 2]) func `a recording made with the player shows its delay`(repeats: Int)
    throws
  {
    let bench = try bench(repeats: repeats)
    try respond(bench, 240, 0)
    let ending = try answer(bench, repeats: repeats)
    #expect(ending.code == 0, "\(ending.errors)")
    let record = try bench.record()
    for take in 0..<repeats {
      let values = try ["latency.electrical", "latency.transport", "sync.audioHaptic"].map { name in
        let readings = record.readings(name)
        try #require(readings.count == repeats, "\(name)")
        return try #require(readings[take]["value"]?.number, "\(name)")
      }
      #expect(abs(values[0] - 240 / Self.rate) < 1e-6, "\(values)")
      #expect(abs(values[1] - 19 / Self.rate) < 5e-6, "\(values)")
      #expect(abs(values[2] - (19 - 72) / Self.rate) < 5e-6, "\(values)")
    }
  }

  @Test(arguments: [1, 2]) func `a recording started earlier is lined up by its marker`(
    repeats: Int
  )
    throws
  {
    let bench = try bench(repeats: repeats)
    try respond(bench, 240, 33_600)
    let ending = try answer(bench, repeats: repeats)
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.errors.contains("latency.electrical is arbitrary"))
    let record = try bench.record()
    #expect(record.readings("latency.electrical").count == repeats)
    for reading in record.readings("latency.electrical") {
      #expect(reading["value"] == nil)
      #expect(reading["verdict"]?.string == "not measured")
    }
    for reading in record.readings("latency.transport") {
      let transport = try #require(reading["value"]?.number)
      #expect(abs(transport - 19 / Self.rate) < 5e-6, "\(transport)")
    }
  }

  @Test func `a recording that ends early says how much is missing`() throws {
    let bench = try bench()
    try respond(bench, 240, 0, 3, 60_000)
    let ending = try answer(bench)
    #expect(ending.code == 3)
    expectSentence(ending, saying: ["the response ends at 1.25 s", "to its end"])
    #expect(try bench.record().status == "fault")
  }

  @Test func `a recording with too few channels is refused`() throws {
    let bench = try bench()
    try respond(bench, 240, 0, 2)
    expectRefusal(
      try answer(bench), saying: "in.wav: the response has 2 channels", "input 3", in: bench)
  }

  @Test func `a recording of something else is refused`() throws {
    let bench = try bench()
    // The reference is silent: only the recorder's own noise is left of it.
    try bench.write(
      Plants.respond.replacing(", (reference, 0)", with: ", ([0.0] * len(haptic), 0)"),
      to: "respond.py")
    try respond(bench, 240, 0)
    expectRefusal(
      try answer(bench), saying: "the stimulus was not found in the response",
      "check that the recording belongs to this plan and rig", in: bench)
  }

  @Test func `a recording at another rate is refused`() throws {
    let bench = try bench()
    try bench.write(
      Plants.respond.replacing("48000, 192000", with: "44100, 176400"), to: "respond.py")
    try respond(bench, 240, 0)
    expectRefusal(
      try answer(bench), saying: "in.wav: the response is at 44100 Hz and the rig at 48000 Hz",
      in: bench)
  }

  @Test func `what is no sound file is refused`() throws {
    let bench = try Workbench()
    try bench.fileRig()
    try bench.write(Patterns.tap, to: "tap.ahap")
    expectRefusal(
      try answer(bench), saying: "in.wav: there is no such file", in: bench)
    try bench.write("something", to: "in.wav")
    expectRefusal(
      try answer(bench), saying: "in.wav: this is not a sound file", in: bench)
  }

  @Test func `a rig without a recording asks for one`() throws {
    let bench = try Workbench()
    try bench.fileRig()
    try bench.write(Patterns.tap, to: "tap.ahap")
    let ending = try bench.haprig("run", "tap.ahap", "--rig", "rig.yaml", "--archive", "out")
    expectRefusal(
      ending, saying: "rig.yaml: the rig is not on line", "--response FILE.wav", in: bench)
  }
}
