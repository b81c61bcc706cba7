// SPDX-License-Identifier: Apache-2.0

import DeviceConformance
import Devices
import RigFiles
import ScratchFolder
import Testing
import Units
import VirtualDevices

@testable import ALSADevices

/// The whole way through libasound to the virtual card, where its plug-in is built.
@Suite(
  .enabled(
    if: VirtualCardPlugin.isThere,
    "the virtual card's plug-in is not beside the tests: 'swift build --product asound_module_pcm_haprig'"
  ))
struct VirtualCardTests {
  /// The rig file of a virtual card whose converters add no noise.
  private static func text(
    clock: String = "virtual", faults: String = "", format: String = "FLOAT",
    access: String = "auto", period: Int = 64
  ) -> String {
    """
    name: card
    drive:
      device: alsa
      pcm: virtual-card
      rate: 48 kHz
      period: \(period)
      format: \(format)
      access: \(access)
      channels: {haptic: 1, reference: 2}
      full-scale: 4 V
    capture:
      channels:
        z: {role: acceleration, input: 1, full-scale: 5 V, sensitivity: 10 mV/g}
        reference: {role: reference, input: 2, full-scale: 5 V}
    actuator: {id: a, model: m, limits: {continuous: 2 Vrms, peak: 4 V}}
    simulation:
      clock: \(clock)
      plant: coinZ-170
      drive: {bits: 0}
      capture: {bits: 0}
      sensor: {noise: 0 ug/rtHz}
      \(faults)
    """
  }

  private func rig(_ text: String, in folder: ScratchFolder) throws -> ALSARig {
    let path = try folder.write(text, to: "rig.yaml")
    return try withExtendedLifetime(folder) {
      try ALSARig(try RigDescription(yaml: Array(text.utf8), file: path))
    }
  }

  private func play(
    _ rig: ALSARig, _ total: Int, block: Int = 256, _ signal: (Int) -> Float
  ) throws -> [Float] {
    try play(DevicePair(output: rig.drive, input: rig.sensors), total, block: block, signal)
  }

  private func play(
    _ pair: DevicePair, _ total: Int, block: Int = 256, _ signal: (Int) -> Float
  ) throws -> [Float] {
    try pair.output.start()
    try pair.input.start()
    var heard: [Float] = []
    var room = [Float](repeating: 0, count: 2 * block)
    var sent = 0
    while sent < total {
      let count = min(block, total - sent)
      let frames = (sent..<(sent + count)).flatMap { (frame) -> [Float] in [0, signal(frame)] }
      var done = 0
      while done < frames.count {
        done += try pair.output.write(frames.span.extracting(done...)) * 2
      }
      sent += count
      while heard.count < 2 * sent {
        var span = room.mutableSpan
        let count = try pair.input.read(into: &span)
        if count == 0 { break }
        heard += room[..<(2 * count)]
      }
    }
    try pair.output.stop()
    while heard.count < 2 * total {
      var span = room.mutableSpan
      let count = try pair.input.read(into: &span)
      if count == 0 { break }
      heard += room[..<(2 * count)]
    }
    try pair.input.stop()
    return stride(from: 1, to: heard.count, by: 2).map { heard[$0] }
  }

  private static func tone(_ frame: Int) -> Float { Float((frame * 37) % 1024) / 1024 - 0.5 }

  @Test(arguments: DeviceConformance.checks([.repeatable, .loopedBack]))
  func `the card on its virtual clock keeps the contract`(
    _ check: DeviceConformance.Check
  ) throws {
    let folder = try ScratchFolder()
    let path = try folder.write(Self.text(), to: "rig.yaml")
    let bytes = try folder.bytes(of: "rig.yaml")
    try withExtendedLifetime(folder) {
      try DeviceConformance([.repeatable, .loopedBack], delay: 512, quiet: 1e-3) {
        let rig = try ALSARig(try RigDescription(yaml: bytes, file: path))
        return DevicePair(output: rig.drive, input: rig.sensors)
      }.run(check)
    }
  }

  @Test(arguments: ["FLOAT", "S32"], ["mmap", "rw"])
  func `the reference comes back at its own frame, in volts`(
    format: String, access: String
  ) throws {
    let folder = try ScratchFolder()
    let rig = try rig(Self.text(format: format, access: access), in: folder)
    #expect(rig.negotiations.map(\.format.rawValue) == [format, format])
    #expect(rig.negotiations.map(\.access) == [access, access])
    #expect(!rig.isPaced)
    let total = 9600
    let heard = try play(rig, total, Self.tone)
    #expect(heard.count == total)
    for (frame, sample) in heard.enumerated() {
      let volts = 4 * Self.tone(frame)
      guard abs(sample - volts) < 2e-6 else {
        Issue.record("frame \(frame) is \(sample) V, not \(volts) V")
        break
      }
    }
    #expect(rig.drive.takeEvents().isEmpty)
    #expect(rig.sensors.takeEvents().isEmpty)
    #expect(try #require(rig.drive.statistics()).start == .lockStep)
  }

  /// Losses of a period and a half, of less than a block, of more than the card holds, and near the ends.
  @Test(arguments: [
    ["at: 50 ms, for: 10 ms", "at: 120 ms, for: 2 ms"], ["at: 120.021 ms, for: 60 ms"],
    ["at: 0 ms, for: 5 ms"], ["at: 296 ms, for: 3 ms"],
    (1...20).map { "at: \(Double($0) * 13.7) ms, for: \(2 + $0 % 5) ms" },
  ])
  func `a script of xruns leaves the gaps that the simulation without a card leaves`(
    script: [String]
  ) throws {
    let folder = try ScratchFolder()
    let faults =
      "faults: [\(script.map { "{kind: xrun, \($0)}" }.joined(separator: ", "))]"
    let text = Self.text(faults: faults)
    let rig = try rig(text, in: folder)
    let plain = text.replacing("device: alsa", with: "device: simulated")
      .replacing("  pcm: virtual-card\n", with: "").replacing("  format: FLOAT\n", with: "")
      .replacing("  access: auto\n", with: "")
    let simulated = try SimulatedRig(try RigDescription(yaml: Array(plain.utf8), file: "rig.yaml"))
    let pair = DevicePair(output: simulated.drive, input: simulated.sensors)
    let total = 14_400
    let heard = try play(rig, total, Self.tone)
    let truth = try play(pair, total, Self.tone)
    #expect(rig.drive.takeEvents() == pair.output.takeEvents())
    #expect(rig.sensors.takeEvents() == pair.input.takeEvents())
    #expect(try #require(rig.drive.statistics()).xruns == script.count)
    #expect(heard.count == total)
    #expect(truth.count == total)
    let wrong = zip(heard, truth).enumerated().first { abs($1.0 - $1.1) > 2e-6 }
    #expect(wrong == nil)
  }

  @Test(arguments: ["0 ms", "1 ms", "195 ms", "199.9 ms"])
  func `an xrun at the edge of a take loses no frame's place`(time: String) throws {
    let folder = try ScratchFolder()
    let faults = "faults: [{kind: xrun, at: \(time), for: 2 ms}]"
    let rig = try rig(Self.text(faults: faults), in: folder)
    for _ in 0..<2 { #expect(try play(rig, 9600, Self.tone).count == 9600) }
  }

  @Test func `an unplug of the script is one here`() throws {
    let folder = try ScratchFolder()
    let rig = try rig(Self.text(faults: "faults: [{kind: unplug, at: 60 ms}]"), in: folder)
    let error = #expect(throws: DeviceError.self) { try play(rig, 9600, Self.tone) }
    #expect(error?.code == .unplugged)
  }

  @Test func `a rate and a period that the card does not have are refused with what it has`() throws
  {
    let folder = try ScratchFolder()
    // The plug-in reads the file itself: it is the description that asks for something else.
    let path = try folder.write(Self.text(), to: "rig.yaml")
    var rig = try RigDescription(yaml: try folder.bytes(of: "rig.yaml"), file: path)
    rig.drive.rate = SampleRate(hertz: 44_100)
    let error = #expect(throws: DeviceError.self) {
      try withExtendedLifetime(folder) { try ALSARig(rig) }
    }
    #expect(error?.message.contains("does not run at 44100 Hz: it offers 48000 Hz") == true)
  }

  @Test func `the card on the host's clock is served by a thread, and told from a lock-step one`()
    throws
  {
    let folder = try ScratchFolder()
    // A simulation that was not optimised may be slower than its clock for a while.
    let rig = try rig(Self.text(clock: "real", period: 4096), in: folder)
    #expect(rig.isPaced)
    let total = 24_000
    let heard = try play(rig, total, Self.tone)
    #expect(heard.count == total)
    let statistics = try #require(rig.drive.statistics())
    #expect(statistics.scheduling != nil)
    guard case .unlinked = statistics.start else {
      Issue.record("\(statistics.start)")
      return
    }
    // Whatever the host did to it: what is in no event is the drive, at one offset for the whole take.
    #expect(statistics.duration > 0.4)
  }
}

extension VirtualCardPlugin {
  /// Whether the plug-in is built.
  fileprivate static var isThere: Bool { (try? path(rig: "")) != nil }
}
