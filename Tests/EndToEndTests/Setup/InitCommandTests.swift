// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Testing

/// `haprig init` on the virtual card, whose wires end anywhere.
struct InitCommandTests {
  /// Where each wire ends, drawn from a seed; below zero for one whose conductors are swapped.
  private struct Wiring {
    var drive: [String: Int] = [:]
    var capture: [String: Int] = [:]

    init(seed: Int) {
      var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
      func next(_ count: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % count
      }
      func ends() -> [Int] {
        var left = [1, 2, 3]
        return (0..<3).map { _ in left.remove(at: next(left.count)) * (next(2) == 0 ? 1 : -1) }
      }
      drive = Dictionary(uniqueKeysWithValues: zip(["haptic", "audio", "reference"], ends()))
      capture = Dictionary(
        uniqueKeysWithValues: zip(["acceleration", "audio", "reference"], ends()))
    }

    var yaml: String {
      func map(_ ends: [String: Int]) -> String {
        ends.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
      }
      return "simulation:\n  wiring: {drive: {\(map(drive))}, capture: {\(map(capture))}}\n"
    }
  }

  private func truth(
    _ bench: Workbench, _ wiring: Wiring, plant: String = "coinZ-170", seed: Int = 1
  ) throws {
    let text = try String(contentsOfFile: Workbench.rigs + "/virtual-card.yaml", encoding: .utf8)
    try bench.write(
      text.replacing("simulation:\n", with: wiring.yaml)
        .replacing("plant: coinZ-170", with: "plant: \(plant)")
        .replacing("  seed: 1\n", with: "  seed: \(seed)\n"), to: "truth.yaml")
  }

  private static let facts = [
    "--full-scale", "3.6 V", "--sensitivity", "10.2 mV/g", "--input-full-scale", "0.6 V",
    "--line-full-scale", "5 V", "--continuous", "2.5 Vrms", "--peak", "3.6 V",
  ]

  private func setUp(_ bench: Workbench, _ more: String...) throws -> Ending {
    try bench.haprig(
      ["init", "found.yaml", "--simulation", "truth.yaml", "--yes", "--quiet", "--force"]
        + Self.facts + more)
  }

  /// How many wirings: more by HAPRIG_WIRINGS.
  private static var count: Int {
    ProcessInfo.processInfo.environment["HAPRIG_WIRINGS"].flatMap { Int($0) } ?? 6
  }

  @Test func `outputs, inputs and polarity are found, however the wires end`() throws {
    let bench = try Workbench()
    let plants = ["coinZ-170", "vcm-65", "lin-230"]
    for seed in 1...Self.count {
      let wiring = Wiring(seed: seed)
      try truth(bench, wiring, plant: plants[seed % 3], seed: seed)
      let ending = try setUp(bench, "--no-run", "--json")
      try #require(ending.code == 0, "seed \(seed): \(ending.errors)")
      let found = try JSONValue(parsing: Array(ending.output.utf8))
      #expect(found["haptic"]?.number == Double(abs(wiring.drive["haptic"] ?? 0)), "seed \(seed)")
      #expect(
        found["reference"]?.number == Double(abs(wiring.drive["reference"] ?? 0)), "seed \(seed)")
      let inputs = found["inputs"]?.elements ?? []
      #expect(inputs.count == 3, "seed \(seed)")
      for (role, output) in [
        ("acceleration", "haptic"), ("audio", "audio"), ("reference", "reference"),
      ] {
        let input = inputs.first { $0["role"]?.string == role }
        let (end, source) = (wiring.capture[role] ?? 0, wiring.drive[output] ?? 0)
        #expect(input?["input"]?.number == Double(abs(end)), "seed \(seed): \(role)")
        #expect(input?["output"]?.number == Double(abs(source)), "seed \(seed): \(role)")
        #expect(input?["reversed"]?.bool == ((end < 0) != (source < 0)), "seed \(seed): \(role)")
      }
      // The file that was written is right about the card, which keeps its wires.
      let check = try bench.haprig("rig", "check", "found.yaml", "--play", "--quiet")
      #expect(check.code == 0, "seed \(seed): \(check.output)")
      #expect(check.output.contains("every wire ends where the file says"), "seed \(seed)")
    }
  }

  @Test func `the first report is of the file that was written`() throws {
    let bench = try Workbench()
    try truth(bench, Wiring(seed: 3))
    let ending = try bench.haprig(
      ["init", "found.yaml", "--simulation", "truth.yaml", "--yes", "--archive", "runs"]
        + Self.facts)
    #expect(ending.code == 0, "\(ending.errors)")
    #expect(ending.errors.contains("Step 4 of 4"))
    #expect(ending.output.hasPrefix("Rig pass   Timing pass   Feel "), "\(ending.output)")
    let report = try #require(ending.output.firstMatch(of: /\nreport: (.+)/)?.output.1)
    #expect(FileManager.default.fileExists(atPath: bench.folder.path() + "/" + report))
    let again = try bench.haprig(["init", "found.yaml", "--simulation", "truth.yaml"] + Self.facts)
    #expect(again.code == 2 && again.errors.contains("--force"))
  }

  @Test func `nothing louder than asked is played, and a rig that is too quiet is told so`() throws
  {
    let bench = try Workbench()
    let text = try String(contentsOfFile: Workbench.rigs + "/virtual-card.yaml", encoding: .utf8)
    try bench.write(
      text.replacing("4 ug/rtHz", with: "40000 ug/rtHz").replacing("gain: 1 V", with: "gain: 0 V"),
      to: "truth.yaml")
    let ending = try setUp(bench, "--no-run", "--level", "0.1 %")
    #expect(
      ending.code != 0 && ending.errors.contains("no output moves a sensor"), "\(ending.errors)")
    #expect(ending.errors.contains("--level 0.4 %"))
    #expect(!FileManager.default.fileExists(atPath: bench.folder.path() + "/found.yaml"))
    let loud = try bench.haprig(
      [
        "init", "found.yaml", "--simulation", "truth.yaml", "--yes", "--level", "100 %",
        "--full-scale", "36 V",
      ] + Self.facts.dropFirst(2))
    #expect(loud.code == 2 && loud.errors.contains("more than its limits"), "\(loud.errors)")
  }

  @Test(arguments: [["--yes"], []])
  func `facts that nobody gives are named where nobody answers`(more: [String]) throws {
    let bench = try Workbench()
    let ending = try bench.haprig(
      ["init", "found.yaml", "--card", "hw:CARD=None,DEV=0", "--peak", "3.6 V"] + more)
    #expect(ending.code == 2)
    let options = "--continuous, --full-scale, --sensitivity, --input-full-scale\n"
    #expect(ending.errors.hasSuffix("these facts are lacking: give " + options), "\(ending.errors)")
  }

  @Test func `an option whose value cannot be read is named`() throws {
    let bench = try Workbench()
    try truth(bench, Wiring(seed: 1))
    let wrong = try setUp(bench, "--no-run", "--uncertainty", "10 mV")
    #expect(wrong.code == 2, "\(wrong.errors)")
    #expect(wrong.errors.hasPrefix("haprig: --uncertainty: "), "\(wrong.errors)")
    #expect(wrong.errors.contains("'mV' is not a unit of ratio"), "\(wrong.errors)")
  }

  @Test func `a simulation tells its facts itself, and options go before it`() throws {
    let bench = try Workbench()
    try truth(bench, Wiring(seed: 1))
    let words = ["init", "found.yaml", "--simulation", "truth.yaml", "--no-run", "--quiet"]
    let silent = try bench.haprig(words)
    #expect(silent.code == 2 && silent.errors.contains("give --yes"), "\(silent.errors)")
    let ending = try bench.haprig(
      words + ["--yes", "--uncertainty", "none", "--sensitivity", "1.04 mV/(m/s²)"])
    try #require(ending.code == 0, "\(ending.errors)")
    let file = String(decoding: try bench.bytes("found.yaml"), as: UTF8.self)
    for words in [
      "full-scale: 0.6 V\n      sensitivity: 1.04 mV/(m/s²)\n      bandwidth: 10000 Hz\n",
      "  limits:\n    continuous: 2.5 Vrms\n    peak: 3.6 V\n  mass: 100 g\n", "id: card-coin-1\n",
      "full-scale: 5 V\n",
    ] {
      #expect(file.contains(words), "\(words): \(file)")
    }
  }

  @Test func `an answer that cannot be read is asked for again, and Enter takes what is proposed`()
    throws
  {
    let bench = try Workbench()
    try truth(bench, Wiring(seed: 1))
    let terminal = try Terminal()
    let program = try bench.start(
      [Workbench.haprig, "init", "found.yaml", "--simulation", "truth.yaml", "--no-run"],
      on: terminal)
    // The name, Enter for model and kind; the RMS voltage twice wrong, then right; a peak below it, then Enter for all.
    try terminal.type(
      "coin-9\n\n\nmuch\n2,0 Vrms\n2.0 Vrms\n1 V\n" + String(repeating: "\n", count: 12))
    let ending = try program.end()
    #expect(ending.code == 0, "\(ending.errors)")
    for (question, count) in [("A name for this", 1), ("The RMS voltage", 3), ("The highest", 2)] {
      #expect(ending.errors.matches(of: try Regex(question)).count == count, "\(ending.errors)")
    }
    #expect(ending.errors.contains("such as 2.8 V [3.6 V]:\n"), "\(ending.errors)")
    #expect(ending.errors.contains("'2,0 Vrms' has a comma"))
    let file = String(decoding: try bench.bytes("found.yaml"), as: UTF8.self)
    #expect(file.contains("id: coin-9\n") && file.contains("continuous: 2.0 Vrms\n"), "\(file)")
  }
}

/// `haprig rig check` and `haprig rig levels`.
struct RigCheckCommandTests {
  @Test func `all mistakes of a file are told at once, each once`() throws {
    let bench = try Workbench()
    try bench.write(
      """
      name: bench
      drive:
        devise: alsa
        pcm: "hw:0"
        rate: 48 parsec
        channels: {haptic: 1, audio: 1, refernce: 3}
        full-scale: 4,0 V
      capture:
        device: alsa
        channels:
          z: {role: acceleration, input: 0, full-scale: 5 V, sensitivity: 10.2 mV/q}
          r: {role: referense, input: 2, full-scale: 5 V}
      actuator:
        id: lra 1
        model: X
        limits: {continuous: 5 Vrms, peak: 4 V}
      colour: red

      """, to: "rig.yaml")
    let ending = try bench.haprig("rig", "check", "rig.yaml", "--json")
    #expect(ending.code == 1, "\(ending.errors)")
    let json = try JSONValue(parsing: Array(ending.output.utf8))
    let found = (json["diagnoses"]?.elements ?? []).compactMap { $0["finding"]?.string }
      // Without the line of the file, in which other mistakes stand too.
      .map { String($0.prefix { $0 != "\n" }) }
    let expected = [
      "'devise' is not a key", "parsec", "'haptic' and 'audio'", "'refernce' is not a key",
      "4,0 V", "'input' is '0'", "mV/q", "'referense' is not a role", "cannot be a name",
      "more than 'peak'", "'colour' is not a key",
    ]
    for words in expected {
      #expect(found.count { $0.contains(words) } == 1, "\(words): \(found)")
    }
    #expect(found.count == expected.count, "\(found)")
  }

  @Test func `wires that end elsewhere are named, with what to write`() throws {
    let bench = try Workbench()
    let text = try String(contentsOfFile: Workbench.rigs + "/virtual-card.yaml", encoding: .utf8)
    let wiring = """
      simulation:
        wiring: {drive: {haptic: 2, audio: 1, reference: -3}, capture: {acceleration: 3, audio: 2, reference: 1}}

      """
    try bench.write(text.replacing("simulation:\n", with: wiring), to: "rig.yaml")
    let ending = try bench.haprig("rig", "check", "rig.yaml", "--play", "--quiet")
    #expect(ending.code == 1)
    for words in [
      "output 1 ('haptic') is heard as sound", "output 2 ('audio') moves the actuator",
      "input 1 ('z') is acceleration for the file, but hears output 3 ('reference') by a wire, reversed",
      "write 'role: acceleration' for it, or move the plug",
    ] {
      #expect(ending.output.contains(words), "\(words): \(ending.output)")
    }
  }

  @Test func `a wire that is not there is named, and one that is swapped`() throws {
    let bench = try Workbench()
    let text = try String(contentsOfFile: Workbench.rigs + "/virtual-card.yaml", encoding: .utf8)
    func check(_ capture: String) throws -> Ending {
      let wiring = """
        simulation:
          wiring: {drive: {haptic: 1, audio: 2, reference: 3}, capture: {\(capture)}}

        """
      try bench.write(text.replacing("simulation:\n", with: wiring), to: "rig.yaml")
      return try bench.haprig("rig", "check", "rig.yaml", "--play", "--quiet")
    }
    let swapped = try check("acceleration: -1, audio: 2, reference: -3")
    #expect(swapped.code == 0, "\(swapped.output)")
    #expect(swapped.output.contains("the two conductors of the wire to input 3 ('reference')"))
    #expect(swapped.output.contains("moves input 1 ('z') to its negative side"))
  }

  @Test func `values that are hardly meant are doubted, and shipped rigs are not`() throws {
    let bench = try Workbench()
    let text = try String(contentsOfFile: Workbench.rigs + "/simulated-lra.yaml", encoding: .utf8)
    try bench.write(
      text.replacing("peak: 3.6 V", with: "peak: 1000 V")
        .replacing("10.2 mV/g", with: "10200 mV/g")
        .replacing("date: 2025-03-14", with: "date: 2015-03-14"), to: "rig.yaml")
    let ending = try bench.haprig("rig", "check", "rig.yaml")
    #expect(ending.code == 0)
    for words in ["1000 V", "accelerometers have 0.05 mV/g to 10 V/g", "of 2015-03-14"] {
      #expect(ending.output.contains(words), "\(words): \(ending.output)")
    }
    let shipped = try bench.haprig("rig", "check", Workbench.rigs + "/simulated-lra.yaml")
    #expect(shipped.output.contains("0 to look at, 0 broken"), "\(shipped.output)")
  }

  @Test func `levels of a silent rig are gravity and noise`() throws {
    let bench = try Workbench()
    let ending = try bench.haprig(
      "rig", "levels", Workbench.rigs + "/simulated-lra.yaml", "--seconds", "1", "--json")
    #expect(ending.code == 0, "\(ending.errors)")
    let json = try JSONValue(parsing: Array(ending.output.utf8))
    let inputs = json["inputs"]?.elements ?? []
    let sensor = try #require(inputs.first { $0["name"]?.string == "z" })
    // Standard gravity stands on the axis; the sensor's noise is 4 ug/rtHz over half of 48 kHz, 6.1 mm/s2.
    #expect(abs((sensor["peak"]?.number ?? 0) - 9.80665) < 0.06)
    let noise = 4e-6 * 9.80665 * 24_000.0.squareRoot()
    #expect(abs((sensor["rms"]?.number ?? 0) / noise - 1) < 0.15, "\(ending.output)")
  }
}
