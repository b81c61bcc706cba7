// SPDX-License-Identifier: Apache-2.0

import PublishedPatterns
import Testing

extension Corpus {
  /// One line of the corpus's index, counted with another JSON reader.
  struct Entry: Sendable, CustomTestStringConvertible {
    var path: String
    var events: Int
    var parameters: Int
    var curves: Int
    var points: Int
    var features: String

    var testDescription: String { path }
  }

  static let entries: [Entry] = index.compactMap { fields in
    guard fields.count == 8, let events = Int(fields[3]), let parameters = Int(fields[4]),
      let curves = Int(fields[5]), let points = Int(fields[6])
    else { return nil }
    return Entry(
      path: fields[0], events: events, parameters: parameters, curves: curves, points: points,
      features: fields[7])
  }
}
