// SPDX-License-Identifier: Apache-2.0

import AHAP
import HapticRendering
import Perception
import SeededRandom
import Testing
import Units

/// Where a caller's blocks begin and end leaves no trace in the samples.
struct BlockSizeTests {
  private func sounds(_ random: inout SeededRandom) -> SoundBank {
    var bank = SoundBank()
    func signal(_ count: Int) -> Signal {
      Signal(
        samples: (0..<count).map { _ in Float(random.uniform(-1...1)) }, rate: .standard, unit: .one
      )
    }
    bank.add([signal(4801)], path: "mono.wav")
    let count = random.integer(1...3000)
    bank.add([signal(count), signal(count)], path: "stereo.wav")
    return bank
  }

  private func configuration(_ random: inout SeededRandom) -> RenderConfiguration {
    RenderConfiguration(
      waveform: random.chance(0.2) ? .level : .tone,
      sharpnessLaw: SharpnessLaw.named[random.integer(0...3)].law,
      intensityLaw: IntensityLaw.allCases[random.integer(0...3)],
      mixingLaw: [.standard, .sum, .ducked, MixingLaw(limit: .none, ducking: 0)][
        random.integer(0...3)], fullScale: random.uniform(0.1...1),
      sharpnessControlMovesTransients: random.chance(0.5), voiceLimit: random.integer(3...32))
  }

  @Test(arguments: 0..<24)
  func `blocks of any size give the same bits as the whole`(index: Int) {
    var random = SeededRandom(seed: 0xb10c_0000 + UInt64(index))
    let pattern = random.pattern(length: 0.25)
    let sounds = sounds(&random)
    let configuration = configuration(&random)
    let whole = Rendered(pattern, configuration, sounds: sounds)
    #expect(whole.haptic.contains { $0 != 0 } || pattern.events.isEmpty)
    for most in [1000, 70, 5] {
      let parts = Rendered(pattern, configuration, sounds: sounds) { random.integer(1...most) }
      #expect(parts.bits == whole.bits, "blocks of 1 to \(most), \(random), \(pattern)")
      #expect(parts.limitedFrames == whole.limitedFrames, "blocks of 1 to \(most), \(random)")
    }
    for size in [1, 256] {
      let parts = Rendered(pattern, configuration, sounds: sounds) { size }
      #expect(parts.bits == whole.bits, "blocks of \(size), \(random), \(pattern)")
    }
  }

  @Test(arguments: 0..<12)
  func `the haptic drive alone is the haptic channel of all`(index: Int) {
    var random = SeededRandom(seed: 0xb10d_0000 + UInt64(index))
    let pattern = random.pattern(length: 0.25, hapticOnly: true)
    let all = Rendered(pattern)
    for block in [1, 63, 256, 1000] {
      let alone = Rendered.drive(pattern, block: block)
      #expect(alone.map { $0.bitPattern } == all.bits[0], "blocks of \(block), \(random)")
    }
  }

  @Test func `the position counts the frames and beyond the end is silence`() {
    var pattern = HapticPattern()
    pattern.events = [transient(at: 0.01), continuous(at: 0.02, for: 0.1)]
    let configuration = RenderConfiguration()
    var renderer = HapticRenderer(
      timeline: Timeline(pattern, configuration: configuration), configuration: configuration)
    #expect(renderer.position == 0)
    var buffer = [Float](repeating: .nan, count: renderer.frameCount)
    var span = buffer.mutableSpan
    renderer.render(haptic: &span)
    #expect(renderer.position == renderer.frameCount)
    var tail = [Float](repeating: .nan, count: 5000)
    var tailSpan = tail.mutableSpan
    renderer.render(haptic: &tailSpan)
    #expect(tail.allSatisfy { $0 == 0 })
    #expect(renderer.position == buffer.count + 5000)
  }

  @Test func `an empty block and an empty pattern are nothing`() {
    let configuration = RenderConfiguration()
    let empty = Timeline(HapticPattern(), configuration: configuration)
    var renderer = HapticRenderer(timeline: empty, configuration: configuration)
    #expect(renderer.frameCount == 0)
    var none: [Float] = []
    var span = none.mutableSpan
    renderer.render(haptic: &span)
    #expect(renderer.position == 0)
    var some = [Float](repeating: .nan, count: 10)
    var someSpan = some.mutableSpan
    renderer.render(haptic: &someSpan)
    #expect(some == [Float](repeating: 0, count: 10))
  }
}
