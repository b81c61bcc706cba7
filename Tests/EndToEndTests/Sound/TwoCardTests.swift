// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Testing

/// Drive and capture on two cards, each with a crystal of its own.
@Suite(.enabled(if: SoundCard.isBuilt, SoundCard.missing))
struct TwoCardTests {
  private static let pace = (drive: 80.0, capture: -40.0)

  /// Two virtual cards on the host's clock, as ALSA's configuration names them; nothing is wired from
  /// one to the other.
  private func bench() throws -> (Workbench, environment: [String: String]) {
    let bench = try Workbench()
    let card = try bench.write(
      try String(contentsOfFile: Workbench.rigs + "/simulated-lra.yaml", encoding: .utf8),
      to: "card.yaml")
    let plugin =
      ProcessInfo.processInfo.environment["HAPRIG_ALSA_PLUGIN"]
      ?? URL(filePath: Workbench.haprig).deletingLastPathComponent()
      .appending(path: "libasound_module_pcm_haprig.so").path()
    let cards = [("left", Self.pace.drive), ("right", Self.pace.capture)].map { name, ppm in
      """
      pcm.\(name) {
        type haprig
        rig "\(card)"
        clock real
        ppm \(ppm)
        state "\(name)-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
      }

      """
    }
    let configuration = try bench.write(
      "pcm_type.haprig { lib \"\(plugin)\" }\n" + cards.joined(), to: "asound.conf")
    try bench.write(
      """
      name: two-cards
      drive:
        device: alsa
        pcm: left
        resample: true
        rate: 48 kHz
        period: 256
        channels: {haptic: 1, audio: 2, reference: 3}
        full-scale: 3.6 V
      capture:
        device: alsa
        pcm: right
        resample: true
        channels:
          z: {role: acceleration, axis: z, input: 1, full-scale: 5 V, sensitivity: 10 mV/g}
          audio: {role: audio, input: 2, full-scale: 2 V}
      actuator:
        {id: a, model: coinZ-170, kind: lra, limits: {continuous: 2.5 Vrms, peak: 3.6 V}}
      """, to: "rig.yaml")
    return (bench, ["ALSA_CONFIG_PATH": configuration])
  }

  @Test(.enabled(if: SoundCard.isOptimized, SoundCard.slow))
  func `two crystals' drift is measured by the host's clock`() throws {
    let (bench, environment) = try bench()
    let events = (0..<5).map { index in
      """
      {"Event": {"Time": \(0.5 * Double(index)), "EventType": "HapticTransient",
        "EventParameters": [{"ParameterID": "HapticIntensity", "ParameterValue": 1.0}]}}
      """
    }
    try bench.write(
      "{\"Version\": 1.0, \"Pattern\": [\(events.joined(separator: ", "))]}\n", to: "taps.ahap")
    try bench.write(Plans.quick(["taps.ahap"]), to: "plan.yaml")
    // A stream that an overloaded machine has broken says nothing of two crystals: it is taken again.
    func measured(_ output: String) throws -> (record: Record, reading: JSONValue) {
      let ending = try bench.haprig(
        ["run", "plan.yaml", "--rig", "rig.yaml", "--archive", output], changing: environment)
      #expect([0, 1].contains(ending.code), "\(ending.errors)")
      let record = try bench.record(in: output)
      return (record, try record.reading("drift"))
    }
    var (record, drift) = try measured("out-1")
    for again in 2...3 where drift["value"]?.number == nil {
      (record, drift) = try measured("out-\(again)")
    }
    let value = try #require(drift["value"]?.number, "\(drift)")
    let sigma = try #require(drift["uncertainty"]?.number)
    // The capture counts (1 - 40e-6) / (1 + 80e-6) of the drive.
    let truth = ((1 + Self.pace.capture * 1e-6) / (1 + Self.pace.drive * 1e-6) - 1) * 1e6
    #expect(abs(value - truth) < 4 * sigma + 0.01, "\(value) ± \(sigma), not \(truth)")
    #expect(sigma < 40, "\(sigma)")
    #expect(drift["note"]?.string?.contains("two devices") == true)
    let stream = try #require(record.takes.first?["stream"])
    #expect(stream["start"]?["how"]?.string == "unlinked")
    #expect((stream["drift"]?["pairs"]?.integer ?? 0) >= 3)
  }
}
