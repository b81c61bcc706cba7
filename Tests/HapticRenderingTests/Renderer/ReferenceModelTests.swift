// SPDX-License-Identifier: Apache-2.0

import AHAP
import HapticRendering
import Perception
import SeededRandom
import Testing

/// The rendered drive against a model that works out every frame in the plainest way.
struct ReferenceModelTests {
  @Test(arguments: 0..<20)
  func `the drive is the plain model's`(index: Int) {
    var random = SeededRandom(seed: 0x4ef0_0000 + UInt64(index))
    let pattern = random.pattern(length: 0.25, hapticOnly: true)
    let moves = random.chance(0.5)
    let ducking = random.chance(0.5) ? 1 : random.uniform()
    let isLimited = random.chance(0.5)
    let configuration = RenderConfiguration(
      mixingLaw: (isLimited ? MixingLaw.standard : .sum).ducking(ducking),
      sharpnessControlMovesTransients: moves)
    let rendered = Rendered(pattern, configuration)
    let drive = rendered.haptic
    let model = NaiveModel(pattern, sharpnessControlMovesTransients: moves, ducking: ducking)
    let sum = model.drive(frameCount: drive.count)
    let expected = isLimited ? sum.map(NaiveModel.limited) : sum
    // Single precision and a phase counted in whole 2^-32 turns leave some parts in ten thousand.
    #expect(distance(drive, expected) < 5e-4, "\(random), \(pattern)")
    #expect(expected.contains { abs($0) > 0.01 })
    let above = isLimited ? sum.filter { abs($0) > 1 }.count : 0
    #expect(abs(rendered.limitedFrames - above) <= above / 50 + 2, "\(random)")
  }
}
