// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Bench

/// Elements mapped by several threads.
struct ConcurrentMapTests {
  @Test(arguments: [0, 1, 31, 32, 33, 5000])
  func `each element is mapped once, in its place`(_ count: Int) {
    let numbers = Array(0..<count)
    // The first take longest, so that they end out of order.
    let squares = numbers.concurrentMap { number -> Int in
      var waste = 0
      for step in 0..<(number < 8 ? 200_000 : 10) { waste &+= step &* number }
      return number * number + (waste == .max ? 1 : 0)
    }
    #expect(squares == numbers.map { $0 * $0 })
  }
}
