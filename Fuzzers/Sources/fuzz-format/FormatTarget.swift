// SPDX-License-Identifier: Apache-2.0

import AHAP
import Fuzzing
import JSONText

/// Bytes laid out in the canonical form: refused only where they are no JSON, the same pattern as
/// before, and nothing to change the second time.
@c(LLVMFuzzerTestOneInput)
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
  let text: [UInt8]
  do throws(AHAPError) {
    text = Array(try AHAPFormatter.text(of: bytes).utf8)
  } catch {
    require(error.position, in: bytes, of: "the error \(error.code.rawValue)")
    require((try? JSONDocument(bytes)) == nil, "JSON is refused: \(error)")
    return 0
  }
  let again = try? AHAPFormatter.text(of: text)
  require(again.map { $0.utf8.elementsEqual(text) } == true, "other bytes the second time")
  for mode in AHAPMode.allCases {
    let (before, after) = (outcome(bytes, mode), outcome(text, mode))
    require(before == after, "read as \(before as Any) before, as \(after as Any) after")
  }
  return 0
}

/// The pattern, or only that there is none: of several faults the one that stands first is told,
/// and another may stand first afterwards.
private func outcome(_ bytes: [UInt8], _ mode: AHAPMode) -> HapticPattern? {
  try? AHAPReader.read(bytes, options: AHAPOptions(mode: mode)).pattern
}
