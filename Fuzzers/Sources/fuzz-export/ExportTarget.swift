// SPDX-License-Identifier: Apache-2.0

import AHAP
import Fuzzing

/// Bytes as an AHAP file, exported for a phone: within its limits, and nothing to change the second
/// time.
@c(LLVMFuzzerTestOneInput)
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
  guard let source = try? AHAPReader.read(bytes).pattern else { return 0 }
  let export = AppleExport(source)
  require(
    export.pattern.curves.allSatisfy { $0.points.count <= ParameterCurve.safePointCount },
    "a curve with more points than a phone plays")
  require(
    export.pattern.events.allSatisfy {
      !$0.kind.isContinuous || ($0.duration ?? 0) <= HapticEvent.longestDuration
    }, "an event longer than a phone plays")
  let text = AHAPWriter.text(export.pattern)
  let again = try? AHAPReader.read(Array(text.utf8)).pattern
  require(again == export.pattern, "reads back as another pattern:\n\(text)")
  require(AppleExport(export.pattern).pattern == export.pattern, "exports differently again")
  return 0
}
