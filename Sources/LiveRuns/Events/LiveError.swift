// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// Why something of a live folder cannot be had: one sentence.
package struct LiveError: Error, Sendable, Equatable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }

  init(_ what: String, _ path: String, _ number: Int32) {
    description = "\(what) '\(path)': \(String(cString: strerror(number)))"
  }
}
