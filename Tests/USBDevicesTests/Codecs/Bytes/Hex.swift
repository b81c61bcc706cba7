// SPDX-License-Identifier: Apache-2.0

/// Bytes from hexadecimal text, white space between them.
func hex(_ text: String) -> [UInt8] {
  text.split(whereSeparator: \.isWhitespace).map { UInt8($0, radix: 16) ?? 0 }
}
