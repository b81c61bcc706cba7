// SPDX-License-Identifier: Apache-2.0

private import CEmbeddedFiles

/// A style sheet or script of the reports that was built into the program.
enum EmbeddedText {
  static func of(_ name: String) -> String {
    guard let file = haprig_embedded("report/" + name)?.pointee else {
      preconditionFailure("\(name) is not in Sources/CEmbeddedFiles/CEmbeddedFiles.c")
    }
    let bytes = UnsafeBufferPointer(start: file.bytes, count: file.count)
    return String(decoding: bytes, as: UTF8.self)
  }
}
