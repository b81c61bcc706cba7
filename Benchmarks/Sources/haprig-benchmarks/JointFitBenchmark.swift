// SPDX-License-Identifier: Apache-2.0

import Foundation
import SignalAnalysis
import Units

/// The joint fit of a dense pattern, beside SciPy doing the same on the same waveforms.
struct JointFitBenchmark {
  let corpus: Corpus

  private static let rate = 6_000.0
  private static let frequency = 170.0
  private static let q = 9.0
  private static let noise = 0.02
  private static let taps = 300

  /// Prints the processor time of all three, best of several rounds, and how far their answers are apart.
  func report() {
    let (pieces, samples) = Self.pattern()
    print(
      "the joint fit: \(Self.taps) taps 10 to 30 ms apart, a gain and a delay of each, f0 and Q of all, "
        + "\(samples.count) frames")
    var result: JointFit.Result?
    let work = leastWork(of: 5) {
      var fit = JointFit(
        pieces, eventCount: pieces.count,
        resonance: JointFit.Resonance(
          period: Self.rate / Self.frequency, prior: (0.01, 0.05), response: Self.response),
        reach: 0.010 * Self.rate, noise: Self.noise)
      result = fit.fit(samples)
    }
    guard let result else { return }
    row(
      "search, fit and uncertainties", String(format: "%.0f ms", 1e3 * work),
      String(format: "%.2f ms a tap", 1e3 * work / Double(Self.taps)))
    guard let peer = peer(pieces, samples) else {
      print("  not measured: the peers need python3 with SciPy\n")
      return
    }
    for (name, answer) in [
      ("SciPy: Gauss-Newton, banded solve, no search", peer.banded),
      ("SciPy: least_squares, sparse Jacobian", peer.sparse),
    ] {
      row(
        name, String(format: "%.0f ms", answer.milliseconds),
        String(
          format: "%.1f times as long; at most %.4f uncertainties apart",
          answer.milliseconds / (1e3 * work), Self.distance(answer.values, result)))
    }
    print("")
  }

  private static func response(_ frequency: Double, _ lnF0: Double, _ lnQ: Double) -> Complex {
    let r = frequency * rate / (Self.frequency * exp(lnF0))
    return Complex(-r * r) / Complex(1 - r * r, r / (q * exp(lnQ)))
  }

  /// A Hann-weighted burst of 10 ms through the resonator.
  private static func tap(_ frequency: Double) -> [Double] {
    let radius = exp(-.pi * Self.frequency / (q * rate))
    let angle = 2 * .pi * Self.frequency / rate * (1 - 0.25 / (q * q)).squareRoot()
    var drive = [Double](repeating: 0, count: 1_000)
    for frame in 0..<60 {
      let weight = sin(.pi * Double(frame) / 60)
      drive[frame] = sin(2 * .pi * frequency * Double(frame) / rate) * weight * weight
    }
    var motion = drive
    for frame in drive.indices {
      func at(_ values: [Double], _ back: Int) -> Double { frame < back ? 0 : values[frame - back] }
      motion[frame] =
        drive[frame] - 2 * at(drive, 1) + at(drive, 2) + 2 * radius * cos(angle) * at(motion, 1)
        - radius * radius * at(motion, 2)
    }
    return motion
  }

  /// Taps of 80 to 230 Hz, each of another strength, every fifth up to 1 ms early or late, in noise.
  private static func pattern() -> (pieces: [JointFit.Piece], samples: [Double]) {
    // A noise that repeats: a linear congruence is random enough here.
    var state: UInt32 = 1
    func uniform(_ range: ClosedRange<Double>) -> Double {
      state = state &* 1_664_525 &+ 1_013_904_223
      return range.lowerBound
        + Double(state >> 8) / Double(1 << 24) * (range.upperBound - range.lowerBound)
    }
    var pieces: [JointFit.Piece] = []
    var changes: [(gain: Double, delay: Int)] = []
    var first = 100
    for index in 0..<taps {
      pieces.append(JointFit.Piece(event: index, first: first, samples: tap(uniform(80...230))))
      changes.append(
        (pow(10, uniform(-4...4) / 20), index % 5 == 2 ? Int(uniform(-6...6)) : 0))
      first += Int(uniform(0.010...0.030) * rate)
    }
    var samples = (0..<(first + 1_200)).map { _ in
      // Twelve uniform numbers make a normal one.
      noise * ((0..<12).reduce(0.0) { sum, _ in sum + uniform(0...1) } - 6)
    }
    for (piece, change) in zip(pieces, changes) {
      for (index, value) in piece.samples.enumerated() {
        samples[piece.first + change.delay + index] += change.gain * value
      }
    }
    return (pieces, samples)
  }

  private struct Answer {
    let milliseconds: Double
    /// Gains, then delays.
    let values: [Double]
  }

  private func peer(
    _ pieces: [JointFit.Piece], _ samples: [Double]
  ) -> (banded: Answer, sparse: Answer)? {
    var numbers = [
      Double(pieces.count), Double(pieces[0].samples.count), Double(samples.count),
      Self.frequency / Self.rate, Self.q, Self.noise,
    ]
    numbers += pieces.map { Double($0.first) }
    numbers += pieces.flatMap(\.samples)
    numbers += samples
    let text = PythonPeer(corpus: corpus, script: "joint_peer.py")
      .output(for: numbers.withUnsafeBytes { Data($0) })
    let lines = (text ?? "").split(separator: "\n").map { line in
      line.split(separator: " ").compactMap { Double($0) }
    }
    guard lines.count == 3, lines[0].count == 2,
      lines[1].count == 2 * pieces.count, lines[2].count == 2 * pieces.count
    else { return nil }
    return (
      Answer(milliseconds: lines[0][0], values: lines[1]),
      Answer(milliseconds: lines[0][1], values: lines[2])
    )
  }

  /// The largest distance of gains and delays, in standard uncertainties.
  private static func distance(_ values: [Double], _ result: JointFit.Result) -> Double {
    zip(values, result.parts.map(\.gain) + result.parts.map(\.delay))
      .reduce(0) { max($0, abs($1.0 - $1.1.value) / $1.1.uncertainty) }
  }
}
