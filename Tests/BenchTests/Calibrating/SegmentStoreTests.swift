// SPDX-License-Identifier: Apache-2.0

import Bench
import Calibration
import Foundation
import ScratchFolder
import SeededRandom
import SignalAnalysis
import Testing
import Units

/// What was accepted comes back as it was, bit for bit: a calibration is resumed from it.
struct SegmentStoreTests {
  private func segment(_ number: Int = 7, title: String = "9 tones") -> CalibrationSegment {
    CalibrationSegment(
      number: number, purpose: .grid, title: title,
      volts: (0..<480).map { 2 * Float($0 % 48) / 48 - 1 }, rate: .standard)
  }

  private func response(_ random: inout SeededRandom, count: Int = 600) -> SegmentResponse {
    func samples() -> [Float] { (0..<count).map { _ in Float(random.uniform(-20...20)) } }
    let hasCoil = random.chance(0.5)
    return SegmentResponse(
      rate: .standard, input: samples(), inputIsMeasured: random.chance(0.5),
      axes: [
        .init(name: "z", samples: samples(), fullScale: random.uniform(1...500)),
        .init(
          name: "y", samples: samples(),
          hum: random.chance(0.5)
            ? .init(sentence: "axis y hums", left: random.chance(0.5) ? random.uniform(0...1) : nil)
            : nil),
      ], voltage: hasCoil ? samples() : nil, current: hasCoil ? samples() : nil,
      gaps: random.chance(0.5) ? [3..<9, 40..<41] : [], lead: 60,
      delayUncertainty: random.chance(0.5) ? random.uniform(0...1e-3) : nil,
      drift: random.chance(0.5) ? random.uniform(-50...50) : nil,
      clock: random.chance(0.5)
        ? Estimate(random.uniform(-0.03...0.03), uncertainty: random.uniform(0...1e-6)) : nil)
  }

  private func store(_ folder: ScratchFolder) -> SegmentStore {
    SegmentStore(folder: folder.path) { try Data($0.utf8).write(to: URL(filePath: $1)) }
  }

  @Test(arguments: 0..<12)
  func `a response comes back bit for bit`(index: Int) throws {
    var random = SeededRandom(seed: 0x5e9_0000 + UInt64(index))
    let folder = try ScratchFolder()
    let kept = response(&random)
    try store(folder).keep(kept, to: segment())
    #expect(try store(folder).response(to: segment()) == kept, "\(random)")
  }

  @Test func `another segment of the same number is not taken for it`() throws {
    var random = SeededRandom(seed: 0x5e9a)
    let folder = try ScratchFolder()
    try store(folder).keep(response(&random), to: segment())
    #expect(try store(folder).response(to: segment(title: "8 tones")) == nil)
    #expect(try store(folder).response(to: segment(8)) == nil)
  }

  @Test func `a sound without its account is not looked at`() throws {
    var random = SeededRandom(seed: 0x5e9b)
    let folder = try ScratchFolder()
    try store(folder).keep(response(&random), to: segment())
    try FileManager.default.removeItem(atPath: folder.path + "/07-grid.json")
    #expect(try store(folder).response(to: segment()) == nil)
  }

  @Test func `half a sound is played again`() throws {
    var random = SeededRandom(seed: 0x5e9c)
    let folder = try ScratchFolder()
    try store(folder).keep(response(&random), to: segment())
    let sound = URL(filePath: folder.path + "/07-grid.wav")
    let bytes = try Data(contentsOf: sound)
    try bytes.prefix(bytes.count / 2).write(to: sound)
    #expect(try store(folder).response(to: segment()) == nil)
  }
}
