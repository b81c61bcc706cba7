// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Testing

/// A card that cannot do what a rig file asks is refused in one sentence before anything plays.
@Suite(.enabled(if: SoundCard.isBuilt, SoundCard.missing))
struct CardRefusalTests {
  private func refused(
    _ changes: [String: String], code: Int32, saying words: [String],
    at location: SourceLocation = #_sourceLocation
  ) throws {
    let bench = try Workbench()
    try bench.cardRig(changing: changes)
    try bench.write(Patterns.tap, to: "tap.ahap")
    try bench.write(Plans.quick(), to: "plan.yaml")
    let ending = try bench.run()
    #expect(ending.code == code, "\(ending.errors)", sourceLocation: location)
    expectSentence(ending, saying: words, at: location)
    #expect(bench.names(in: "out") == [], sourceLocation: location)
  }

  @Test(arguments: ["run", "latency"])
  func `a card that is not there is told with those that are, or why none is`(
    command: String
  ) throws {
    let bench = try Workbench()
    let text = try String(contentsOfFile: Workbench.rigs + "/virtual-card.yaml", encoding: .utf8)
    let rig = text.replacing("pcm: virtual-card", with: "pcm: \"hw:CARD=Nowhere,DEV=0\"")
    let end = try #require(rig.range(of: "simulation:")).lowerBound
    try bench.write(String(rig[..<end]), to: "rig.yaml")
    try bench.write(Patterns.tap, to: "tap.ahap")
    let arguments =
      command == "run"
      ? ["run", "tap.ahap", "--rig", "rig.yaml", "--archive", "out"]
      : ["latency", "--rig", "rig.yaml"]
    let ending = try bench.haprig(arguments)
    #expect(ending.code == 3, "\(ending.errors)")
    expectSentence(ending, saying: ["virtual-card: there is no 'hw:CARD=Nowhere,DEV=0'"])
    let hasCards = FileManager.default.fileExists(atPath: "/proc/asound/cards")
    #expect(
      hasCards
        ? ending.errors.contains("sound card") || ending.errors.contains("is offered by")
        : ending.errors.contains("this kernel has no sound support"), "\(ending.errors)")
    #expect(bench.names(in: "out") == [])
  }

  @Test func `a period that the card does not have is told with those that it has`() throws {
    try refused(
      ["period: 64": "period: 30000"], code: 3,
      saying: ["does not have a period of 30000 frames", "it offers 4 to 8192", "as 'period'"])
  }

  @Test(arguments: ["1 kHz", "200 kHz"])
  func `a rate that no card has is told with its line`(rate: String) throws {
    try refused(
      ["rate: 48 kHz": "rate: \(rate)"], code: 2,
      saying: ["'rate' is '\(rate)'", "from 8000 Hz to 192000 Hz", "rig.yaml:11:9"])
  }

  @Test func `a channel beyond every card's is told with its line`() throws {
    try refused(
      ["reference: 3}": "reference: 65}"], code: 2,
      saying: ["'reference' is '65': it must be from 1 to 64"])
  }

  @Test func `a virtual card that simulates nothing is told what is missing`() throws {
    let bench = try Workbench()
    let text = try String(contentsOfFile: Workbench.rigs + "/virtual-card.yaml", encoding: .utf8)
    let end = try #require(text.range(of: "simulation:")).lowerBound
    try bench.write(String(text[..<end]), to: "rig.yaml")
    try bench.write(Patterns.tap, to: "tap.ahap")
    let ending = try bench.haprig("run", "tap.ahap", "--rig", "rig.yaml", "--archive", "out")
    expectRefusal(ending, saying: "the virtual card needs 'simulation'", in: bench)
  }

  @Test func `a plug-in that is not there is told with the places looked at`() throws {
    let bench = try Workbench()
    try bench.cardRig()
    try bench.write(Patterns.tap, to: "tap.ahap")
    // Alone in its folder, so that nothing lies beside it. Another program copies it: a file that is
    // open for writing here could be inherited by what other tests start, and would not run.
    let alone = bench.file("haprig").path()
    _ = try bench.tool("cp", Workbench.haprig, alone)
    let ending = try bench.start(
      [alone, "run", "tap.ahap", "--rig", "rig.yaml", "--archive", "out"],
      changing: ["HAPRIG_ALSA_PLUGIN": "", "ALSA_PLUGIN_DIR": ""]
    ).end()
    // An installed plug-in is found in ALSA's own folder.
    guard ending.code != 0 else { return }
    #expect(ending.code == 3, "\(ending.errors)")
    expectSentence(
      ending, saying: ["libasound_module_pcm_haprig.so is in none of", "HAPRIG_ALSA_PLUGIN"])
  }
}
