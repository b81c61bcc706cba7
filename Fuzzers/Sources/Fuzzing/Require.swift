// SPDX-License-Identifier: Apache-2.0

/// Ends the program, which libFuzzer counts as a crash and whose input it keeps, unless a condition
/// holds.
public func require(
  _ condition: Bool, _ message: @autoclosure () -> String, file: StaticString = #fileID,
  line: UInt = #line
) {
  guard !condition else { return }
  fatalError("violated: \(message())", file: file, line: line)
}
