// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import VirtualDevices

/// The normal numbers against what a normal distribution and white noise are.
struct RandomStreamTests {
  private static let count = 1 << 18

  private func numbers(seed: UInt64, source: Int = 1, count: Int = Self.count) -> [Float] {
    var stream = RandomStream(seed: seed, take: 1, source: source)
    var numbers = [Float](repeating: 0, count: count)
    stream.add(1, to: &numbers, count: count)
    return numbers
  }

  private func moment(_ numbers: [Float], _ power: Int) -> Double {
    var sum = 0.0
    for number in numbers {
      var product = 1.0
      for _ in 0..<power { product *= Double(number) }
      sum += product
    }
    return sum / Double(numbers.count)
  }

  // The standard errors of n normal numbers' moments: sqrt(1/n), sqrt(2/n), sqrt(15/n), sqrt(96/n),
  // sqrt(10,170/n); five of each.
  @Test(arguments: [0, 1, 42, UInt64.max])
  func `the moments are a normal distribution's`(seed: UInt64) {
    let numbers = numbers(seed: seed)
    for (power, expected, spread) in [
      (1, 0.0, 1.0), (2, 1, 2), (3, 0, 15), (4, 3, 96), (6, 15, 10_170),
    ] {
      let found = moment(numbers, power)
      let error = (spread / Double(Self.count)).squareRoot()
      #expect(
        abs(found - expected) < 5 * error, "seed \(seed), power \(power): \(found), \(expected)")
    }
  }

  @Test(arguments: [3, 4])
  func `as many lie below each height as a normal distribution has`(seed: UInt64) {
    let numbers = numbers(seed: seed)
    for height in stride(from: -4.0, through: 4, by: 0.25) {
      let limit = Float(height)
      let below = Double(numbers.count { $0 < limit })
      let share = 0.5 * erfc(-height / 2.0.squareRoot())
      let error = (Double(Self.count) * share * (1 - share)).squareRoot()
      #expect(
        abs(below - Double(Self.count) * share) < 5 * error + 1,
        "seed \(seed): \(below) below \(height), \(Double(Self.count) * share) expected")
    }
  }

  // Numbers are made in batches of 64 whose halves share their radii: neither they nor their squares
  // may know each other at any distance.
  @Test func `no number tells of another nor its size of another's`() {
    let count = 1 << 15
    let numbers = numbers(seed: 7, count: count).map { Double($0) }
    let squares = numbers.map { ($0 * $0 - 1) / 2.0.squareRoot() }
    for distance in [1, 2, 3, 4, 5, 8, 28, 31, 32, 33, 36, 63, 64, 65, 96, 128] {
      for (kind, values) in [("value", numbers), ("square", squares)] {
        let product = zip(values, values.dropFirst(distance)).reduce(0) { $0 + $1.0 * $1.1 }
        let correlation = product / Double(count)
        #expect(
          abs(correlation) < 5 / Double(count).squareRoot(),
          "seed 7, \(kind) at distance \(distance): \(correlation)")
      }
    }
  }

  // The mean of 512 periodograms scatters by 1 / sqrt(512): 4.4 %; five of those.
  @Test func `the spectrum is flat`() {
    let numbers = numbers(seed: 11, count: 1 << 16)
    let length = 128
    var powers = [Double](repeating: 0, count: length / 2)
    let blocks = 512
    for block in 0..<blocks {
      let part = numbers[(block * length)..<((block + 1) * length)]
      for band in 1..<(length / 2) {
        // Goertzel's recurrence.
        let turn = 2 * cos(2 * Double.pi * Double(band) / Double(length))
        var (last, older) = (0.0, 0.0)
        for number in part { (last, older) = (Double(number) + turn * last - older, last) }
        powers[band] += last * last + older * older - turn * last * older
      }
    }
    for band in 1..<(length / 2) {
      let power = powers[band] / Double(blocks * length)
      #expect(
        abs(power - 1) < 5 / Double(blocks).squareRoot(), "seed 11, band \(band): \(power)")
    }
  }

  @Test func `streams of other sources takes and seeds share nothing`() {
    let one = numbers(seed: 5)
    for (name, other) in [("source", numbers(seed: 5, source: 2)), ("seed", numbers(seed: 6))] {
      let product = zip(one, other).reduce(0) { $0 + Double($1.0 * $1.1) } / Double(Self.count)
      #expect(abs(product) < 5 / Double(Self.count).squareRoot(), "\(name): \(product)")
    }
  }

  @Test func `parts of any size are the same numbers`() {
    let whole = numbers(seed: 9, count: 1_000)
    var stream = RandomStream(seed: 9, take: 1, source: 1)
    var parts: [Float] = []
    for size in [1, 7, 64, 63, 200, 128, 2, 535] {
      var part = [Float](repeating: 0, count: size)
      stream.add(1, to: &part, count: size)
      parts += part
    }
    #expect(parts == whole)
  }
}
