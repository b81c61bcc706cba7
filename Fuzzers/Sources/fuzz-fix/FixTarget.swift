// SPDX-License-Identifier: Apache-2.0

import AHAP
import Fuzzing
import HapticRendering

/// Bytes mended with every choice of kinds: edits within the text, a result that reads and has
/// nothing left to mend, and the same pattern where only what is felt all the same may change.
@c(LLVMFuzzerTestOneInput)
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
  let pattern = try? AHAPReader.read(bytes).pattern
  for kinds in FixKind.allCases.map({ Set([$0]) }) + [Set(FixKind.allCases)] {
    checkFixes(of: bytes, kinds: kinds)
    let fixed: FixedText
    do throws(FixError) {
      fixed = try AHAPFixer.fixed(bytes, kinds: kinds)
    } catch .unreadable(let error) {
      require(error.position, in: bytes, of: "the error \(error.code.rawValue)")
      continue
    } catch {
      fatalError("violated: \(error)")
    }
    let again = try? AHAPFixer.fixed(fixed.bytes, kinds: kinds)
    require(again?.bytes == fixed.bytes, "other bytes the second time")
    guard let after = try? AHAPReader.read(fixed.bytes).pattern else {
      fatalError("violated: what was mended is refused")
    }
    if kinds.allSatisfy(\.keepsWhatIsFelt) {
      require(pattern.map { playsAlike($0, after) } == true, "\(kinds) change what is felt")
    }
  }
  return 0
}

private func checkFixes(of bytes: [UInt8], kinds: Set<FixKind>) {
  guard let fixes = try? AHAPFixer.fixes(for: bytes, kinds: kinds) else { return }
  for fix in fixes {
    require(kinds.contains(fix.kind), "a fix of kind \(fix.kind)")
    require(fix.position, in: bytes, of: "the fix of \(fix.code.rawValue)")
    for edit in fix.edits {
      require(
        edit.range.lowerBound >= 0 && edit.range.upperBound <= bytes.count,
        "an edit of \(edit.range) in \(bytes.count) bytes")
    }
  }
}

/// Whether the timelines are the same, with the defaults in place of what is not written.
private func playsAlike(_ first: HapticPattern, _ second: HapticPattern) -> Bool {
  let configuration = RenderConfiguration()
  return Timeline(first, configuration: configuration)
    == Timeline(second, configuration: configuration)
}
