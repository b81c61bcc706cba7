// SPDX-License-Identifier: Apache-2.0

import Acceptance
import JSONText
import Testing

@testable import Workbench

/// What the pages call readings.
struct WordsTests {
  @Test func `every kind of reading has a plain name of its own, and a meaning`() throws {
    let answer = try ServerFixture().get("/api/v1/words")
    #expect(answer.status == 200)
    let readings = try #require(try JSONValue(parsing: answer.body)["readings"])
    let titles = ReadingKind.allCases.compactMap { readings[$0.rawValue]?["title"]?.string }
    #expect(Set(titles).count == ReadingKind.allCases.count)
    #expect(readings["latency.onset"]?["title"]?.string == "felt start")
    for kind in ReadingKind.allCases {
      #expect(readings[kind.rawValue]?["meaning"]?.string?.isEmpty == false, "\(kind.rawValue)")
    }
  }
}
