// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis
import Testing
import Units

/// One path and two, through converters that are not flat: what is told, and what never is.
struct EchoDetectorTests {
  /// A loop: filters of first order by their corners in hertz, and a second path.
  struct Way: Sendable, CustomTestStringConvertible {
    var lowPasses: [Double] = []
    var highPasses: [Double] = []
    var echo: (distance: Double, share: Double)?

    var testDescription: String {
      "low-pass \(lowPasses) Hz, high-pass \(highPasses) Hz, "
        + (echo.map { "an echo of \($0.share) after \($0.distance) frames" } ?? "no echo")
    }

    /// The response at radians a frame of 48 kHz.
    func response(_ turn: Double) -> Complex {
      let s = Complex(0, turn / (2 * .pi) * 48_000)
      var value = Complex(1)
      for corner in lowPasses { value = value / (Complex(1) + 1 / corner * s) }
      for corner in highPasses { value = value * s / (s + Complex(corner)) }
      guard let echo else { return value }
      return value * (Complex(1) + echo.share * Complex(angle: -turn * echo.distance))
    }
  }

  private static let template = Sweep.marker.samples(at: .standard)
  private static let spacing = 3_600

  /// Passages of the marker through a way, each with its own delay and noise; and where they begin.
  private func passages(
    _ way: Way, count: Int, decibels: Double, seed: UInt64
  ) -> (recording: [Float], arrivals: [Double]) {
    let template = Self.template
    var transform = FourierTransform(length: 8_192)
    let spectrum = transform.forward(template.span)
    var noise = Noise(seed: seed)
    let fraction = noise.uniform(-0.5...0.5)
    let filtered = spectrum.enumerated().map { index, bin in
      let turn = 2 * .pi * Double(index) / 8_192
      return bin * way.response(turn) * Complex(angle: -turn * (200 + fraction))
    }
    let wave = transform.inverse(filtered)
    let sigma = rms(template) * pow(10, -decibels / 20)
    var recording: [Float] = []
    var arrivals: [Double] = []
    for place in 0..<count {
      recording += noise.added(to: Array(wave[..<Self.spacing]), sigma: sigma)
      // As surely as a marker's delay is known at 20 dB.
      arrivals.append(Double(place * Self.spacing) + 200 + fraction + 0.005 * noise.gaussian())
    }
    return (recording, arrivals)
  }

  private func rms(_ samples: [Double]) -> Double {
    (samples.reduce(0) { $0 + $1 * $1 } / Double(samples.count)).squareRoot()
  }

  private func echo(
    _ way: Way, count: Int = 3, decibels: Double, seed: UInt64
  ) -> EchoDetector.Echo? {
    let (recording, arrivals) = passages(way, count: count, decibels: decibels, seed: seed)
    return EchoDetector(template: Self.template).echo(in: recording, arrivals: arrivals)
  }

  static let single: [Way] = [
    Way(), Way(lowPasses: [12_000]), Way(lowPasses: [20_000], highPasses: [20]),
    Way(highPasses: [50]), Way(lowPasses: [18_000, 25_000], highPasses: [5, 10]),
  ]

  @Test(arguments: single)
  func `at 20 dB one path through a real converter is not told as two in any of 16 runs`(
    way: Way
  ) {
    let told = (1...16).filter { echo(way, decibels: 20, seed: UInt64($0)) != nil }
    #expect(told.isEmpty, "\(way.testDescription): seeds \(told)")
  }

  @Test(arguments: single, [40.0, 60, 100])
  func `less noise does not make a converter's filters an echo`(way: Way, decibels: Double) {
    let told = (1...3).filter { echo(way, count: 12, decibels: decibels, seed: $0 + 7) != nil }
    #expect(told.isEmpty, "\(way.testDescription): seeds \(told)")
  }

  @Test(arguments: [(3.0, 0.1), (-3, 0.1), (5, -0.1), (7.5, 0.1)])
  func `at 20 dB three passages tell an echo of -20 dB in each of 20 runs`(
    distance: Double, share: Double
  ) {
    let way = Way(echo: (distance, share))
    let missed = (1...20).filter { echo(way, decibels: 20, seed: UInt64($0)) == nil }
    #expect(missed.isEmpty, "seeds \(missed)")
  }

  @Test(arguments: [3.0, -3, 5, 8, 12], [0.1, -0.1, 0.5, -0.9])
  func `at 40 dB distance and share are found behind a coupling and a low-pass`(
    distance: Double, share: Double
  ) throws {
    let way = Way(lowPasses: [15_000], highPasses: [20], echo: (distance, share))
    let found = try #require(echo(way, count: 20, decibels: 40, seed: 3))
    // Three frames are half a period of the highest frequency: filters do much of what such an echo does.
    #expect(abs(found.distance - distance) < (abs(distance) < 5 ? 0.6 : 0.25), "\(found)")
    #expect(abs(found.share - share) < 0.4 * abs(share), "\(found)")
  }

  @Test func `an echo far away or too weak is none of its own`() {
    #expect(echo(Way(echo: (3, 0.02)), count: 20, decibels: 60, seed: 5) == nil)
    #expect(echo(Way(echo: (200, 0.3)), count: 20, decibels: 60, seed: 5) == nil)
  }

  @Test func `an echo within a quarter of the shortest period is a filter`() {
    for distance in [0.3, 0.6, 1] {
      let told = echo(Way(echo: (distance, 0.3)), count: 20, decibels: 60, seed: 5)
      #expect(told == nil, "\(distance) frames")
    }
  }

  @Test func `fewer than three passages tell nothing`() {
    let way = Way(echo: (5, 0.5))
    #expect(echo(way, count: 2, decibels: 60, seed: 5) == nil)
    #expect(echo(way, count: 3, decibels: 60, seed: 5) != nil)
  }

  @Test func `a passage that the recording does not hold whole is left out`() {
    let (recording, arrivals) = passages(
      Way(echo: (5, 0.5)), count: 4, decibels: 60, seed: 5)
    let detector = EchoDetector(template: Self.template)
    let ends = [-300, Double(recording.count) - 1_000]
    #expect(detector.echo(in: recording, arrivals: arrivals + ends) != nil)
    #expect(detector.echo(in: recording, arrivals: ends + ends) == nil)
  }
}
