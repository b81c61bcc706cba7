// SPDX-License-Identifier: Apache-2.0

import Reporting
import Testing

@Suite struct RemainingTimeTests {
  @Test(arguments: [
    (10.0, "10 s left"), (1.2, "2 s left"), (100, "1 min 40 s left"), (1000, "16 min left"),
    (36_000, "10 h 0 min left"), (0, "0 s left"), (-1, "0 s left"),
  ])
  func `the rest is told as a person waits for it`(seconds: Double, text: String) {
    #expect(RemainingTime.text(seconds) == text)
  }
}
