// SPDX-License-Identifier: Apache-2.0

import Foundation
import JSONText
import Testing

/// What the virtual card's description injects is measured again through ALSA.
@Suite(.enabled(if: SoundCard.isBuilt, SoundCard.missing))
struct CardTruthTests {
  @Test func `a run over ALSA finds what the rig file injects`() throws {
    let bench = try Workbench()
    try bench.cardRig()
    try bench.write(Patterns.tapWithTone, to: "tap.ahap")
    try bench.write(Plans.quick(probe: true), to: "plan.yaml")
    let ending = try bench.run()
    #expect(ending.code == 0, "\(ending.errors)")
    let record = try bench.record()
    #expect(record.status == "complete")
    let electrical = try record.value("latency.electrical")
    #expect(abs(electrical - SoundCard.electrical) < 1e-6, "\(electrical)")
    #expect(abs(try record.value("drift") - SoundCard.drift) < 0.1)
    #expect(abs(try record.value("latency.transport") - SoundCard.transport) < 0.02e-3)
    // The sound has 1.5 ms of its own, the touch the transport's 0.4 ms.
    #expect(abs(try record.value("sync.audioHaptic") + 1.1e-3) < 0.1e-3)
    let fit = try #require(try record.reading("latency.transport")["note"]?.string)
    #expect(fit.contains("f0 170."), "\(fit)")
    for name in ["xruns", "dropouts", "overloads"] { #expect(try record.value(name) == 0) }
  }

  @Test func `the record tells what was agreed with the card`() throws {
    let bench = try Workbench()
    try bench.cardRig()
    try bench.write(Patterns.tap, to: "tap.ahap")
    try bench.write(Plans.quick(), to: "plan.yaml")
    #expect(try bench.run().code == 0)
    let stream = try #require(try bench.record().takes.first?["stream"])
    let devices = try #require(stream["devices"]?.elements)
    #expect(devices.map { $0["direction"]?.string } == ["playback", "capture"])
    for device in devices {
      #expect(device["pcm"]?.string == "virtual-card")
      #expect(device["rate"]?.number == 48_000)
      #expect(device["period"]?.integer == 64)
      #expect(device["buffer"]?.integer == 256)
      #expect(device["channels"]?.integer == 3)
      #expect(device["converted"]?.bool == false)
    }
    #expect(stream["start"]?["how"]?.string == "lock-step")
    #expect(stream["xruns"]?.integer == 0)
  }

  @Test(arguments: ["S16", "S24_3", "S32"])
  func `a format changes the samples and not their time`(format: String) throws {
    let bench = try Workbench()
    try bench.cardRig(changing: ["  period: 64": "  period: 64\n  format: \(format)"])
    let latency = try Self.latency(bench)
    let value = try #require(latency["latency"]?["value"]?.number)
    #expect(abs(value - SoundCard.electrical) < 1e-6, "\(value)")
  }

  @Test(arguments: ["44.1 kHz", "96 kHz"])
  func `a rate changes the frames and not their time`(rate: String) throws {
    let bench = try Workbench()
    try bench.cardRig(changing: ["rate: 48 kHz": "rate: \(rate)"])
    let latency = try Self.latency(bench)
    let value = try #require(latency["latency"]?["value"]?.number)
    #expect(abs(value - SoundCard.electrical) < 1e-6, "\(value)")
    let drift = try #require(latency["drift"]?["value"]?.number)
    #expect(abs(drift - SoundCard.drift) < 0.1, "\(drift)")
  }

  @Test func `the latency of the loop is measured with its drift`() throws {
    let bench = try Workbench()
    try bench.cardRig()
    let latency = try Self.latency(bench, restarts: 3)
    let value = try #require(latency["latency"]?["value"]?.number)
    #expect(abs(value - SoundCard.electrical) < 1e-6, "\(value)")
    let drift = try #require(latency["drift"]?["value"]?.number)
    #expect(abs(drift - SoundCard.drift) < 0.1, "\(drift)")
    let streams = try #require(latency["streams"]?.elements)
    #expect(streams.map { $0["sweeps"]?.integer } == [4, 4, 4])
    // A drive of 1 is 3.6 V.
    #expect(streams.allSatisfy { abs(($0["gain"]?.number ?? 0) - 3.6) < 0.01 })
    #expect((latency["betweenRestarts"]?.number ?? 1) < 1e-6)
  }

  @Test func `a jitter of the start is seen between restarts and not within`() throws {
    let bench = try Workbench()
    try bench.cardRig(jitter: "0.1 ms")
    let latency = try Self.latency(bench, restarts: 5)
    // Two converters of 0.1 ms: 0.14 ms, which five streams know to a third.
    let between = try #require(latency["betweenRestarts"]?.number)
    #expect((0.03e-3...0.4e-3).contains(between), "\(between)")
    #expect((latency["withinStream"]?.number ?? 1) < 1e-6)
  }

  /// The latency of the bench's rig as JSON.
  private static func latency(_ bench: Workbench, restarts: Int = 1) throws -> JSONValue {
    let ending = try bench.haprig(
      "latency", "--rig", "rig.yaml", "--restarts", "\(restarts)", "--seconds", "2", "--json")
    try #require(ending.code == 0, "\(ending.errors)")
    return try JSONValue(parsing: [UInt8](ending.output.utf8))
  }
}
