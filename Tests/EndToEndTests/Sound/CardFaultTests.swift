// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Testing

/// What goes wrong with a card during a run costs what it touched and nothing else.
@Suite(.enabled(if: SoundCard.isBuilt, SoundCard.missing))
struct CardFaultTests {
  private let bench: Workbench

  init() throws {
    bench = try Workbench()
    try bench.write(Patterns.tap, to: "tap.ahap")
  }

  /// A take without a probe has 1.18 s: its pattern begins at 0.35 s, its end marker after 0.8 s.
  @Test(arguments: [0, 0.06, 0.36, 1.1, 1.5])
  func `a card that is unplugged ends the run, and nothing that it touched has a number`(
    moment: Double
  ) throws {
    try bench.cardRig(faults: ["{kind: unplug, at: \(moment) s}"])
    try bench.write(Plans.quick(repeats: 3), to: "plan.yaml")
    let ending = try bench.run()
    #expect(ending.code == 3, "\(ending.errors)")
    expectSentence(ending, saying: ["'virtual-card' was unplugged", "plug it in again"])
    let record = try bench.record()
    #expect(record.status == "fault")
    #expect(record.reason?.contains("unplugged") == true)
    #expect(record.verdict == "not measured")
    let measured = Set(
      (record.json["readings"]?.elements ?? []).filter { $0["value"] != nil }
        .compactMap { $0["repeat"]?.integer })
    #expect(measured == (moment > 1.4 ? [1] : []))
  }

  @Test(arguments: [0, 0.7, 1.9])
  func `a card that is unplugged has no latency`(moment: Double) throws {
    try bench.cardRig(faults: ["{kind: unplug, at: \(moment) s}"])
    let ending = try bench.haprig(
      "latency", "--rig", "rig.yaml", "--restarts", "2", "--seconds", "1.3")
    #expect(ending.code == 3, "\(ending.errors)")
    #expect(ending.output == "")
    expectSentence(ending, saying: ["'virtual-card' was unplugged"])
  }

  /// Taps every half second for a minute, and 50 xruns that fall on some of them, over clocks that drift.
  ///
  /// Whatever an xrun touched would show another time or another peak, if it had a number.
  @Test func `fifty xruns in a minute cost the taps that they touch and no other its time`() throws
  {
    let clean = try minute(faults: [])
    let faults = (0..<50).map { "{kind: xrun, at: \(0.5 + 1.17 * Double($0)) s, for: 20 ms}" }
    let record = try minute(faults: faults)
    #expect(abs(try record.value("drift") - SoundCard.drift) < 0.1)
    // 50 holes of 20 ms meet taps of 22 ms every 500 ms in four cases of 50, on average.
    let struck = try expectOthersExact(record, clean, within: 1e-6)
    #expect((1...20).contains(struck.count), "\(struck)")
  }

  /// The same by the wall's clock: each start after an xrun then leaves another delay, which only the
  /// drive's copy on the reference tells.
  @Test(
    .enabled(if: SoundCard.isOptimized, SoundCard.slow),
    .enabled(if: SoundCard.hasMinutes, SoundCard.long))
  func `fifty xruns in a minute by the wall's clock leave the other taps their time, too`() throws {
    let clean = try minute(faults: [])
    // Half way between taps and, later and later, up to them; a start costs a buffer of 43 ms beside.
    let faults = (0..<50).map {
      "{kind: xrun, at: \(1.33 + 1.17 * Double($0)) s, for: 20 ms}"
    }
    let record = try minute(
      changing: ["clock: virtual": "clock: real", "period: 64": "period: 512"], faults: faults)
    let struck = try expectOthersExact(record, clean, within: 50e-6)
    #expect(struck.count < 60, "\(struck)")
    let stream = try #require(record.takes.first?["stream"])
    #expect(stream["start"]?["how"]?.string == "unlinked")
  }

  /// A minute of taps, one every half second, on a card with a script.
  private func minute(
    changing changes: [String: String] = [:], faults: [String]
  ) throws -> Record {
    let events = Self.taps.map { Self.event(at: 0.5 * Double($0)) }
    let pattern = "{\"Version\": 1.0, \"Pattern\": [\(events.joined(separator: ",\n"))]}\n"
    try bench.write(pattern, to: "taps.ahap")
    try bench.write(Plans.quick(["taps.ahap"]), to: "plan.yaml")
    try bench.cardRig(changing: changes, faults: faults)
    try? FileManager.default.removeItem(at: bench.file("out"))
    let ending = try bench.run()
    #expect(ending.code == 0, "\(ending.errors)")
    return try bench.record()
  }

  private static let taps = 0..<120

  /// Taps that no xrun touched have the numbers that they have without any xrun; returns the others.
  private func expectOthersExact(
    _ record: Record, _ clean: Record, within goal: Double
  ) throws -> Set<Int> {
    let stream = try #require(record.takes.first?["stream"])
    let xruns = try #require(stream["xruns"]?.integer)
    let electrical = try record.reading("latency.electrical")
    let (value, sigma) = (electrical["value"]?.number ?? 0, electrical["uncertainty"]?.number ?? 0)
    if stream["start"]?["how"]?.string == "lock-step" {
      #expect(xruns == 50)
      #expect(try record.value("xruns") == 50)
      #expect(abs(value - SoundCard.electrical) < 1e-6 + 5 * sigma, "\(value)")
    }
    // By the wall's clock a busy machine may add some of its own.
    #expect(xruns >= 50)
    let rejected = try #require(record.takes.first?["rejected"]?.elements)
    #expect(
      rejected.allSatisfy { $0["reason"]?.string == "a gap, an xrun or an overload touches it" },
      "\(rejected)")
    let struck = Set(rejected.compactMap { $0["event"]?.integer })
    for name in ["latency.onset", "response.peak"] {
      let (before, after) = (Self.numbers(name, of: clean), Self.numbers(name, of: record))
      #expect(Set(before.keys) == Set(Self.taps))
      #expect(Set(after.keys) == Set(Self.taps).subtracting(struck))
      for (tap, now) in after {
        let then = try #require(before[tap])
        let known = (then.sigma * then.sigma + now.sigma * now.sigma).squareRoot()
        #expect(abs(now.value - then.value) < 5 * known, "tap \(tap): \(now), not \(then)")
        if name == "latency.onset" {
          #expect(abs(now.value - then.value) < goal, "tap \(tap): \(now), not \(then)")
        }
      }
    }
    return struck
  }

  /// The readings of a name that have a value, by event.
  private static func numbers(
    _ name: String, of record: Record
  ) -> [Int: (value: Double, sigma: Double)] {
    var found: [Int: (value: Double, sigma: Double)] = [:]
    for reading in record.readings(name) {
      if let event = reading["event"]?.integer, let value = reading["value"]?.number {
        found[event] = (value, reading["uncertainty"]?.number ?? 0)
      }
    }
    return found
  }

  private static func event(at time: Double) -> String {
    """
    {"Event": {"Time": \(time), "EventType": "HapticTransient", "EventParameters": [
      {"ParameterID": "HapticIntensity", "ParameterValue": 1.0},
      {"ParameterID": "HapticSharpness", "ParameterValue": 0.4}]}}
    """
  }

  @Test func `a latency leaves out the sweep that an xrun touches, and tells`() throws {
    // Sweeps of 50 ms begin at 0.1 s and every 0.4 s, every second one 50 ms later: this is the sixth.
    try bench.cardRig(
      changing: ["clock: 12 ppm": "clock: 0 ppm"],
      faults: ["{kind: xrun, at: 2.18 s, for: 10 ms}"])
    let ending = try bench.haprig(
      "latency", "--rig", "rig.yaml", "--restarts", "1", "--seconds", "3", "--json")
    #expect(ending.code == 0, "\(ending.errors)")
    let json = try JSONValue(parsing: [UInt8](ending.output.utf8))
    let stream = try #require(json["streams"]?.elements?.first)
    let rejected = (stream["rejected"]?.elements ?? []).compactMap(\.string)
    #expect(rejected.first?.hasSuffix(": frames were lost on it") == true, "\(rejected)")
    #expect(stream["sweeps"]?.integer == 7 - rejected.count)
    #expect((1...2).contains(rejected.count), "\(rejected)")
    let value = try #require(json["latency"]?["value"]?.number)
    #expect(abs(value - SoundCard.electrical) < 1e-6, "\(value)")
  }

  @Test func `an input that is clipped is told, and what it touches is not measured`() throws {
    // 1.03 g: gravity and a little.
    try bench.cardRig(changing: ["full-scale: 0.6 V": "full-scale: 0.0105 V"])
    try bench.write(Plans.quick(limits: ["{reading: overloads, below: 0}"]), to: "plan.yaml")
    #expect(try bench.run().code == 1)
    let record = try bench.record()
    #expect(record.verdict == "fail")
    #expect(try record.value("overloads") >= 1)
    for name in ["latency.onset", "response.peak"] {
      #expect(try record.reading(name)["value"] == nil)
    }
    let electrical = try record.value("latency.electrical")
    #expect(abs(electrical - SoundCard.electrical) < 1e-6)
  }

  @Test func `a reference that is clipped has no latency`() throws {
    try bench.cardRig(
      changing: [
        "role: reference, input: 3, full-scale: 5 V": "role: reference, input: 3, full-scale: 0.5 V"
      ])
    let ending = try bench.haprig(
      "latency", "--rig", "rig.yaml", "--restarts", "1", "--seconds", "2")
    #expect(ending.code == 1, "\(ending.errors)")
    #expect(ending.output == "")
    expectSentence(
      ending, saying: ["not measured", "the reference input was clipped in 4 of 4 sweeps"])
  }

  @Test func `a reference that is not connected has no latency`() throws {
    // A converter of one bit hears nothing of what lies below half its full scale.
    try bench.cardRig(changing: ["clock: 12 ppm, bits: 24": "clock: 12 ppm, bits: 1"])
    let ending = try bench.haprig(
      "latency", "--rig", "rig.yaml", "--restarts", "1", "--seconds", "2")
    #expect(ending.code == 1, "\(ending.errors)")
    #expect(ending.output == "")
    expectSentence(
      ending, saying: ["not measured", "which hears 0 V RMS: check the wire"])
  }

  @Test func `a rig without a reference has no latency`() throws {
    try bench.cardRig(changing: ["audio: 2, reference: 3}": "audio: 2}"])
    let ending = try bench.haprig("latency", "--rig", "rig.yaml")
    #expect(ending.code == 2, "\(ending.errors)")
    expectSentence(
      ending, saying: ["needs the reference wire", "'reference: N' to the channels of 'drive'"])
  }
}
