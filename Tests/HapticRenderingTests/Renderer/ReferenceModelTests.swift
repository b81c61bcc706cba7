import AHAP
import HapticRendering
import SeededRandom
import Testing

/// The rendered drive against a model that works out every frame in the plainest way.
struct ReferenceModelTests {
  @Test(arguments: 0..<20)
  func `the drive is the plain model's`(index: Int) {
    var random = SeededRandom(seed: 0x4ef0_0000 + UInt64(index))
    let pattern = random.pattern(length: 0.25, hapticOnly: true)
    let moves = random.chance(0.5)
    let configuration = RenderConfiguration(sharpnessControlMovesTransients: moves)
    let drive = Rendered.drive(pattern, configuration)
    let model = NaiveModel(pattern, sharpnessControlMovesTransients: moves)
    let expected = model.drive(frameCount: drive.count)
    // Single precision and a phase counted in whole 2^-32 turns leave some parts in ten thousand.
    #expect(distance(drive, expected) < 5e-4, "\(random), \(pattern)")
    #expect(expected.contains { abs($0) > 0.01 })
  }
}
