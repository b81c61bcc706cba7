// SPDX-License-Identifier: Apache-2.0

import AHAP
import HapticRendering

/// What a renderer made of a pattern.
struct Rendered: Equatable {
  var haptic: [Float] = []
  var left: [Float] = []
  var right: [Float] = []
  var limitedFrames = 0

  /// Renders a pattern whole, or in the blocks that a closure asks for.
  init(
    _ pattern: HapticPattern, _ configuration: RenderConfiguration = .init(),
    sounds: SoundBank = .init(), extraFrames: Int = 0, block: () -> Int = { Int.max }
  ) {
    let timeline = Timeline(
      pattern, configuration: configuration, soundDuration: sounds.duration(of:))
    var renderer = HapticRenderer(timeline: timeline, configuration: configuration, sounds: sounds)
    let total = renderer.frameCount + extraFrames
    while haptic.count < total {
      let count = min(block(), total - haptic.count)
      // What stands in the outputs before must not matter.
      var h = [Float](repeating: .nan, count: count)
      var l = [Float](repeating: .nan, count: count)
      var r = [Float](repeating: .nan, count: count)
      var hapticSpan = h.mutableSpan
      var leftSpan = l.mutableSpan
      var rightSpan = r.mutableSpan
      renderer.render(haptic: &hapticSpan, left: &leftSpan, right: &rightSpan)
      haptic += h
      left += l
      right += r
    }
    limitedFrames = renderer.limitedFrames
  }

  /// Renders the haptic drive of a pattern alone, in blocks of one size.
  static func drive(
    _ pattern: HapticPattern, _ configuration: RenderConfiguration = .init(), block: Int = 256,
    extraFrames: Int = 0
  ) -> [Float] {
    let timeline = Timeline(pattern, configuration: configuration)
    var renderer = HapticRenderer(timeline: timeline, configuration: configuration)
    let total = renderer.frameCount + extraFrames
    var drive: [Float] = []
    while drive.count < total {
      var part = [Float](repeating: .nan, count: min(block, total - drive.count))
      var span = part.mutableSpan
      renderer.render(haptic: &span)
      drive += part
    }
    return drive
  }

  /// The samples of all channels bit by bit, so that 0 and -0 differ.
  var bits: [[UInt32]] { [haptic, left, right].map { $0.map { $0.bitPattern } } }
}

/// The greatest difference of two signals; infinite where their lengths differ.
func distance(_ a: [Float], _ b: [Double]) -> Double {
  guard a.count == b.count else { return .infinity }
  return zip(a, b).reduce(0) { max($0, abs(Double($1.0) - $1.1)) }
}
