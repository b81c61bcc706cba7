// SPDX-License-Identifier: Apache-2.0

public import JSONText

/// Requires that a position lies in the text, and that its line and column are those of its offset.
public func require(
  _ position: JSONPosition, in bytes: [UInt8], of what: @autoclosure () -> String,
  file: StaticString = #fileID, line: UInt = #line
) {
  require(
    (0...bytes.count).contains(position.offset),
    "\(what()) is at byte \(position.offset) of \(bytes.count)", file: file, line: line)
  let found = lineAndColumn(of: position.offset, in: bytes)
  require(
    (position.line, position.column) == found,
    "\(what()) is at \(found.line):\(found.column), said to be at \(position)", file: file,
    line: line)
}

/// Counts line feeds and the first bytes of scalars one by one.
private func lineAndColumn(of offset: Int, in bytes: [UInt8]) -> (line: Int, column: Int) {
  let mark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? min(3, offset) : 0
  var (line, column) = (1, 1)
  for byte in bytes[mark..<offset] {
    if byte == 0x0A {
      (line, column) = (line + 1, 1)
    } else if byte & 0xC0 != 0x80 {
      column += 1
    }
  }
  return (line, column)
}
