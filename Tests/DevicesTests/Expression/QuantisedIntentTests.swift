// SPDX-License-Identifier: Apache-2.0

import Devices
import Testing

struct QuantisedIntentTests {
  private static let coarse = ExpressibleDrive(
    frequencies: .grid([100, 200, 400]), amplitudes: [0, 0.25, 0.5, 1], updateInterval: 0.01)

  /// Asked for and nearest: hertz and amplitude of either.
  private static let cases: [(DriveTone, DriveTone)] = [
    (DriveTone(frequency: 100, amplitude: 0.3), DriveTone(frequency: 100, amplitude: 0.25)),
    (DriveTone(frequency: 141, amplitude: 0.38), DriveTone(frequency: 100, amplitude: 0.5)),
    (DriveTone(frequency: 142, amplitude: 0.374), DriveTone(frequency: 200, amplitude: 0.25)),
    (DriveTone(frequency: 5, amplitude: 0.1), DriveTone(frequency: 100, amplitude: 0)),
    (DriveTone(frequency: 9000, amplitude: 7), DriveTone(frequency: 400, amplitude: 1)),
    (DriveTone(frequency: -3, amplitude: -1), DriveTone(frequency: 100, amplitude: 0)),
    (DriveTone(frequency: .nan, amplitude: .nan), DriveTone(frequency: 100, amplitude: 0)),
    (DriveTone(frequency: 200, amplitude: 0.125), DriveTone(frequency: 200, amplitude: 0)),
  ]

  @Test func `the nearest is by octaves and by amplitude`() {
    // 141.42 Hz is half way between 100 Hz and 200 Hz in octaves.
    for (asked, nearest) in Self.cases {
      #expect(Self.coarse.nearest(asked) == nearest, "\(asked)")
    }
  }

  @Test func `what is on the grid at its updates loses nothing`() {
    let intent = (0..<40).map { index in
      DriveTone(
        frequency: index / 10 % 2 == 0 ? 100 : 400, amplitude: [0.25, 0, 1, 0.5][index / 10])
    }
    let result = QuantisedIntent(intent, step: 0.001, by: Self.coarse)
    #expect(result.tones.map(\.amplitude) == intent.map(\.amplitude))
    #expect(result.loss.level == 0 && result.loss.frequency == 0)
    #expect(result.loss.silenced == 0 && result.loss.prolonged == 0)
  }

  @Test func `the loss is that of the arithmetic`() {
    let intent = Array(repeating: DriveTone(frequency: 110, amplitude: 0.3), count: 50)
    let loss = QuantisedIntent(intent, step: 0.001, by: Self.coarse).loss
    // 20 log10(0.25 / 0.3) = -1.5836 dB, log2(100 / 110) = -0.13750 octave
    #expect(abs(loss.level - 1.58362) < 1e-4)
    #expect(abs(loss.frequency - 0.137504) < 1e-5)
    #expect(loss.sampleCount == 50 && loss.delay == 0.01)
  }

  @Test func `what is too weak is silenced, and what ends between updates is prolonged`() {
    let weak = Array(repeating: DriveTone(frequency: 100, amplitude: 0.1), count: 10)
    let strong = Array(repeating: DriveTone(frequency: 100, amplitude: 1), count: 5)
    let none = Array(repeating: DriveTone(frequency: 100, amplitude: 0), count: 15)
    let result = QuantisedIntent(weak + strong + none, step: 0.001, by: Self.coarse)
    #expect(abs(result.loss.silenced - 10.0 / 15) < 1e-12)
    #expect(abs(result.loss.prolonged - 5.0 / 15) < 1e-12)
  }

  @Test func `a command has the energy of its interval`() {
    // Ten steps an interval: 0.3 for four of them is 0.18974 of effective amplitude, 0.4 for the next
    // ten with 1 for one of those 0.49396; frequencies by energy: sqrt(100 * 400) of equal shares.
    let first = (0..<10).map { DriveTone(frequency: 100, amplitude: $0 < 4 ? 0.3 : 0) }
    let second = (0..<10).map { DriveTone(frequency: 200, amplitude: $0 == 7 ? 1 : 0.4) }
    let third = (0..<10).map { DriveTone(frequency: $0 < 5 ? 100 : 400, amplitude: 1) }
    let result = QuantisedIntent(first + second + third, step: 0.001, by: Self.coarse)
    #expect(result.tones[0..<10].allSatisfy { $0 == DriveTone(frequency: 100, amplitude: 0.25) })
    #expect(result.tones[10..<20].allSatisfy { $0 == DriveTone(frequency: 200, amplitude: 0.5) })
    #expect(result.tones[20..<30].allSatisfy { $0 == DriveTone(frequency: 200, amplitude: 1) })
  }

  @Test func `a strength without a frequency counts by its mean`() {
    let motor = (0..<10).map { DriveTone(frequency: 0, amplitude: $0 < 4 ? 1 : 0) }
    #expect(DriveTone.mean(of: motor).amplitude == 0.4)
    #expect(QuantisedIntent(motor, step: 0.001, by: Self.coarse).tones[3].amplitude == 0.5)
    #expect(QuantisedIntent(motor, step: 0.001, by: Self.coarse).loss.frequency == 0)
    #expect(DriveTone.mean(of: []) == DriveTone(frequency: 0, amplitude: 0))
  }

  @Test func `intervals that are no whole number of steps lose no step`() {
    let drive = ExpressibleDrive(
      frequencies: .fixed(170), amplitudes: [0, 1], updateInterval: 0.0025)
    // Intervals of 2.5 steps begin at steps 0, 3, 5, 8, 10.
    let intent = (0..<12).map { DriveTone(frequency: 170, amplitude: $0 == 3 ? 1 : 0) }
    let made = QuantisedIntent(intent, step: 0.001, by: drive).tones.map(\.amplitude)
    #expect(made == [0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0])
  }

  @Test func `nothing in, nothing out`() {
    let result = QuantisedIntent([], step: 0.001, by: Self.coarse)
    #expect(result.tones.isEmpty && result.loss.sampleCount == 0 && result.loss.level == 0)
  }
}
