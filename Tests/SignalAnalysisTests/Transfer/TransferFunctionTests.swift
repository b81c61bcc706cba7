// SPDX-License-Identifier: Apache-2.0

import SignalAnalysis
import Testing

struct TransferFunctionTests {
  private let delayed = TransferFunction(
    spacing: 2, frequencies: (0..<50).map { 20 + 2 * Double($0) },
    response: (0..<50).map { 3 * Complex(angle: -2 * .pi * (20 + 2 * Double($0)) * 0.02) },
    uncertainty: (0..<50).map { Double($0) }, delay: 0.02)

  @Test func `between its frequencies a delayed response is exact`() throws {
    for frequency in [20.0, 21, 57.3, 118] {
      let value = try #require(delayed.response(at: frequency))
      let truth = 3 * Complex(angle: -2 * .pi * frequency * 0.02)
      #expect((value - truth).magnitude < 1e-9)
    }
    #expect(try abs(#require(delayed.magnitude(at: 57.3)).value - 3) < 1e-9)
    #expect(try #require(delayed.magnitude(at: 57.3)).uncertainty == 19)
  }

  @Test func `outside of its band it says nothing`() {
    #expect(delayed.response(at: 19.9) == nil && delayed.response(at: 118.1) == nil)
    #expect(delayed.band == 20...118)
  }

  @Test func `a part has the frequencies of its band alone`() throws {
    let part = try #require(delayed.limited(to: 29...41))
    #expect(part.frequencies == [30, 32, 34, 36, 38, 40])
    #expect(part.uncertainty == [5, 6, 7, 8, 9, 10])
    #expect(delayed.limited(to: 200...300) == nil)
  }
}
