// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing
import Units

@testable import Composing

/// What spectra of a high rate are taken of.
struct DecimatorTests {
  /// The level of a tone of amplitude 1 behind a decimator, in dB.
  private func level(of frequency: Double, at rate: Double) -> Double {
    let tone = Sounds.tone(
      seconds: 0.2, rate: SampleRate(hertz: rate), level: { _ in 0 },
      frequency: { _ in frequency })
    var decimator = Decimator(rate: rate)
    var found: [Float] = []
    for first in stride(from: 0, to: tone.count - 100, by: 100) {
      decimator.take(tone.span.extracting(first..<(first + 100)), into: &found)
    }
    let settled = found.dropFirst(found.count / 4)
    let power = settled.reduce(0) { $0 + Double($1 * $1) } / Double(settled.count)
    return 10 * log10(max(1e-30, 2 * power))
  }

  @Test(arguments: [88_200.0, 96_000, 176_400, 192_000])
  func `what spectra look at stays as it is, and nothing is folded into it`(rate: Double) {
    let lower = rate / Double(Decimator(rate: rate).factor)
    #expect(lower >= 44_100 && lower < 50_000)
    for frequency in [30.0, 1_000, 8_000, 12_000, 17_000] {
      #expect(abs(level(of: frequency, at: rate)) < 0.05, "\(frequency) Hz at \(rate)")
    }
    for frequency in [lower - 17_000, lower - 8_000, lower, 0.49 * rate] {
      #expect(level(of: frequency, at: rate) < -70, "\(frequency) Hz at \(rate)")
    }
  }

  @Test(arguments: [88_200.0, 192_000])
  func `a click comes out as late as is stated`(rate: Double) throws {
    var decimator = Decimator(rate: rate)
    var click = [Float](repeating: 0, count: 4_000)
    click[2_000] = 1
    var found: [Float] = []
    decimator.take(click.span, into: &found)
    let weights = found.map { Double($0) }
    let middle = weights.enumerated().reduce(0) { $0 + Double($1.offset) * $1.element }
    // A sample comes out with the last of those that it is one of.
    let place = (middle / weights.reduce(0, +) + 1) * Double(decimator.factor) - 1
    #expect(abs((place - 2_000) / rate - decimator.delay) < 0.5 / rate)
  }

  @Test func `a low rate is left alone`() {
    var decimator = Decimator(rate: 48_000)
    var found: [Float] = []
    decimator.take([1, 2, 3].span, into: &found)
    #expect(found == [1, 2, 3] && decimator.delay == 0)
  }
}
