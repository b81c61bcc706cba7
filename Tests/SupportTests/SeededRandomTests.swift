// SPDX-License-Identifier: Apache-2.0

import SeededRandom
import Testing

struct SeededRandomTests {
  // Reference: the C program splitmix64.c of Vigna, seed 1234567, first three numbers.
  @Test func `the numbers are those of the published generator`() {
    var random = SeededRandom(seed: 1_234_567)
    #expect(random.next() == 6_457_827_717_110_365_317)
    #expect(random.next() == 3_203_168_211_198_807_973)
    #expect(random.next() == 9_817_491_932_198_370_423)
  }

  @Test func `a seed repeats its numbers and its text names it`() {
    var first = SeededRandom(seed: 0xbeef)
    var second = SeededRandom(seed: 0xbeef)
    #expect((0..<100).map { _ in first.next() } == (0..<100).map { _ in second.next() })
    #expect("\(first)" == "SeededRandom(seed: 0xbeef)")
  }

  @Test func `uniform numbers fill their range evenly`() {
    var random = SeededRandom(seed: 3)
    let numbers = (0..<20_000).map { _ in random.uniform(-2...6) }
    #expect(numbers.allSatisfy { $0 >= -2 && $0 < 6 })
    let mean = numbers.reduce(0, +) / 20_000
    // The standard error is 8 / sqrt(12 * 20000) = 0.016; five of them.
    #expect(abs(mean - 2) < 0.082, "mean \(mean)")
  }

  @Test func `gaussian numbers have mean 0 and the moments of a normal distribution`() {
    var random = SeededRandom(seed: 4)
    let numbers = (0..<40_000).map { _ in random.gaussian() }
    let mean = numbers.reduce(0, +) / 40_000
    let variance = numbers.reduce(0) { $0 + $1 * $1 } / 40_000
    let fourth = numbers.reduce(0) { $0 + $1 * $1 * $1 * $1 } / 40_000
    #expect(abs(mean) < 0.025, "mean \(mean)")
    #expect(abs(variance - 1) < 0.036, "variance \(variance)")
    #expect(abs(fourth - 3) < 0.25, "fourth moment \(fourth)")
  }

  @Test func `chances and whole numbers keep to what was asked`() {
    var random = SeededRandom(seed: 5)
    #expect((0..<1000).allSatisfy { _ in (3...7).contains(random.integer(3...7)) })
    #expect((0..<1000).allSatisfy { _ in !random.chance(0) })
    #expect((0..<1000).allSatisfy { _ in random.chance(1) })
  }
}
