// SPDX-License-Identifier: Apache-2.0

import SeededRandom
import Testing

@testable import SignalAnalysis

struct SymmetricMatrixTests {
  @Test func `its inverse undoes it`() throws {
    var random = SeededRandom(seed: 0x3333)
    for _ in 0..<100 {
      // Normal equations of five rows at random.
      let rows = (0..<5).map { _ in (random.gaussian(), random.gaussian(), random.gaussian()) }
      func sum(_ product: ((Double, Double, Double)) -> Double) -> Double {
        rows.reduce(0) { $0 + product($1) }
      }
      let matrix = SymmetricMatrix(
        sum { $0.0 * $0.0 }, sum { $0.0 * $0.1 }, sum { $0.0 * $0.2 }, sum { $0.1 * $0.1 },
        sum { $0.1 * $0.2 }, sum { $0.2 * $0.2 })
      let inverse = try #require(matrix.inverse())
      let vector = (random.gaussian(), random.gaussian(), random.gaussian())
      let back = inverse.times(matrix.times(vector))
      let error = max(abs(back.0 - vector.0), abs(back.1 - vector.1), abs(back.2 - vector.2))
      #expect(error < 1e-9, "\(random): \(matrix)")
      #expect(
        abs(
          matrix.form(vector)
            - rows.reduce(0) { sum, row in
              let value = row.0 * vector.0 + row.1 * vector.1 + row.2 * vector.2
              return sum + value * value
            }) < 1e-9)
    }
  }

  @Test func `columns that depend on each other have none`() {
    #expect(SymmetricMatrix(1, 2, 3, 4, 6, 9).inverse() == nil)
    #expect(SymmetricMatrix(1, 0, 0, 1, 0, .nan).inverse() == nil)
    #expect(SymmetricMatrix(0, 0, 0, 0, 0, 0).inverse(from: 0) == nil)
  }
}
