// SPDX-License-Identifier: Apache-2.0

import Authoring

/// Who knows the text of a pattern as it is edited now, saved or not.
protocol DocumentTexts: Sendable {
  /// The text of a document, a number that is another one for each text, and the file that it is, or will be, saved
  /// in: sounds lie beside it.
  func text(of name: String) throws -> (text: PatternText, version: Int, path: String)
}
