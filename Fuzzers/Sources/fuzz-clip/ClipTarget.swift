// SPDX-License-Identifier: Apache-2.0

import AHAP
import Fuzzing
import HapticClips

/// Bytes as a `.haptic` clip: what is read writes and reads back as itself, and becomes patterns that
/// keep a phone's limits, of which a clip can be made again.
@c(LLVMFuzzerTestOneInput)
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
  guard let clip = try? HapticClipReader.read(bytes) else { return 0 }
  let text = HapticClipWriter.text(clip)
  let again = try? HapticClipReader.read(Array(text.utf8))
  require(again == clip, "reads back as another clip:\n\(text)")
  for split in [false, true] {
    let patterns = PatternsFromClip(clip, split: split).files.map(\.pattern)
    for pattern in patterns {
      require(
        pattern.curves.allSatisfy { $0.points.count <= ParameterCurve.safePointCount },
        "a curve with more points than a phone plays")
      let text = AHAPWriter.text(pattern)
      require(
        (try? AHAPReader.read(Array(text.utf8)).pattern) == pattern,
        "a pattern that reads back as another:\n\(text)")
    }
    guard let back = try? ClipFromPatterns(patterns).clip else { continue }
    let written = HapticClipWriter.text(back)
    require(
      (try? HapticClipReader.read(Array(written.utf8))) != nil,
      "a clip that its own reader refuses:\n\(written)")
  }
  return 0
}
