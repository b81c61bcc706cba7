// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import SignalAnalysis

struct JointFitTests {
  private let period = 48_000.0 / 170

  /// A tap's response: a ringing that begins at a frame.
  private func ring(at start: Double, frequency: Double = 170, count: Int = 6_000) -> [Double] {
    (0..<count).map { frame in
      let age = (Double(frame) - start) / 48_000
      guard age > 0 else { return 0 }
      // A soft beginning, so that it can be moved by parts of a frame.
      return (1 - exp(-age * 2_000)) * (1 - exp(-age * 2_000)) * exp(-age / 0.015)
        * sin(2 * .pi * frequency * age)
    }
  }

  private func sum(_ parts: [[Double]]) -> [Double] {
    parts[0].indices.map { index in parts.reduce(0) { $0 + $1[index] } }
  }

  private func fit(
    _ templates: [[Double]], noise: Double, reach: Double = 200, gaps: [Range<Int>] = []
  ) -> JointFit {
    let fixed = JointFit.Resonance(period: period, prior: (0.01, 0.05)) { _, _, _ in Complex(1) }
    return JointFit(
      templates.enumerated().map { JointFit.Piece(event: $0, first: 0, samples: $1) },
      eventCount: templates.count, resonance: fixed, reach: reach, noise: noise, gaps: gaps)
  }

  @Test func `two responses that ring into each other keep their own gains and delays`() {
    let templates = [ring(at: 800), ring(at: 1_600)]
    // The first 0.37 frames late and 0.9 as strong, the second 14.6 frames early and 1.2.
    let truth = sum([
      placed(templates[0], at: 0.37, of: 6_000, gain: 0.9),
      placed(templates[1], at: -14.6, of: 6_000, gain: 1.2),
    ])
    var joint = fit(templates, noise: 1e-5)
    let found = joint.fit(truth)
    for (event, (gain, delay)) in [(0.9, 0.37), (1.2, -14.6)].enumerated() {
      let part = found.parts[event]
      #expect(abs(part.gain.value - gain) < 1e-4, "\(part.gain)")
      #expect(abs(part.delay.value - delay) < 1e-2, "\(part.delay)")
      #expect(!joint.isAmbiguous(event, in: found))
    }
    #expect(found.misfit < 1e-3)
  }

  @Test func `noise moves gain and delay by no more than is stated`() {
    let templates = [ring(at: 800), ring(at: 1_300), ring(at: 1_500, frequency: 90)]
    let clean = sum(templates)
    var noise = Noise(seed: 71)
    let sigma = 0.03
    var pulls: [Double] = []
    for _ in 0..<60 {
      var joint = fit(templates, noise: sigma)
      for part in joint.fit(noise.added(to: clean, sigma: sigma).map(Double.init)).parts {
        pulls.append(part.delay.value / part.delay.uncertainty)
        pulls.append((part.gain.value - 1) / part.gain.uncertainty)
      }
    }
    let inside = pulls.count { abs($0) <= 2 }
    #expect(Double(inside) >= 0.93 * Double(pulls.count), "seed 71: \(inside) of \(pulls.count)")
    // The bound is met, not passed by far.
    #expect(rms(pulls) > 0.5, "seed 71: \(rms(pulls))")
  }

  @Test func `what no waveform explains widens all of them`() {
    let templates = [ring(at: 800), ring(at: 1_600)]
    let other = ring(at: 1_000, frequency: 230).map { 0.3 * $0 }
    var plain = fit(templates, noise: 1e-4)
    let clean = plain.fit(sum(templates))
    var disturbed = fit(templates, noise: 1e-4)
    let spoilt = disturbed.fit(sum(templates + [other]))
    #expect(spoilt.misfit > 0.05)
    for (part, before) in zip(spoilt.parts, clean.parts) {
      #expect(part.delay.uncertainty > 10 * before.delay.uncertainty)
      #expect(abs(part.delay.value) < 2 * part.delay.uncertainty, "\(part.delay)")
      #expect(abs(part.gain.value - 1) < 2 * part.gain.uncertainty, "\(part.gain)")
    }
  }

  @Test func `one waveform twice at one place is not told apart, and each names the other`() {
    let template = ring(at: 800)
    var joint = fit([template, template], noise: 1e-3)
    let found = joint.fit(template)
    for (index, part) in found.parts.enumerated() {
      #expect(part.gain.uncertainty > 10 * abs(part.gain.value), "\(part.gain)")
      #expect(part.partner == 1 - index)
    }
  }

  @Test func `a waveform beyond its reach is not found elsewhere`() {
    let late = placed(ring(at: 800), at: 900, of: 6_000)
    var joint = fit([ring(at: 800)], noise: 1e-3, reach: 100)
    let found = joint.fit(late)
    #expect(found.misfit > 0.5, "\(found.parts[0].delay)")
  }

  @Test(arguments: [-150.0, -90, 90, 150])
  func `one that comes a third of a period late or early is found there`(late: Double) {
    let templates = (0..<6).map { ring(at: 600 + 700 * Double($0)) }
    let truth = sum(
      templates.enumerated().map { $0 == 3 ? placed($1, at: late, of: 6_000) : $1 })
    var joint = fit(templates, noise: 1e-4, reach: 400)
    for (index, part) in joint.fit(truth).parts.enumerated() {
      #expect(abs(part.delay.value - (index == 3 ? late : 0)) < 0.1, "\(index): \(part.delay)")
      #expect(abs(part.gain.value - 1) < 0.01, "\(index): \(part.gain)")
    }
  }

  @Test func `one that is missing has no gain, and its neighbours keep theirs`() {
    let templates = (0..<6).map { ring(at: 600 + 700 * Double($0)) }
    let truth = sum(templates.enumerated().map { $0 == 2 ? $1.map { _ in 0 } : $1 })
    var joint = fit(templates, noise: 1e-4)
    for (index, part) in joint.fit(truth).parts.enumerated() {
      #expect(abs(part.gain.value - (index == 2 ? 0 : 1)) < 0.01, "\(index): \(part.gain)")
    }
  }

  /// Two of many are joined: only those near them are fitted again, and all read as in a fit of all.
  @Test func `a fit with two events joined is that of all from the beginning`() {
    let (count, step, length) = (60, 2_000, 3_000)
    let tap = ring(at: 60, count: length)
    let pieces = (0..<count).map { JointFit.Piece(event: $0, first: 200 + step * $0, samples: tap) }
    var noise = Noise(seed: 97)
    var truth = [Double](repeating: 0, count: step * count + 2 * length)
    for piece in pieces {
      let gain = 1 + 0.1 * sin(Double(piece.event))
      for (frame, sample) in tap.enumerated() { truth[piece.first + frame] += gain * sample }
    }
    let samples = noise.added(to: truth, sigma: 0.01).map(Double.init)
    let fixed = JointFit.Resonance(period: period, prior: (0.01, 0.05)) { _, _, _ in Complex(1) }
    func fit(_ pieces: [JointFit.Piece], _ count: Int) -> JointFit {
      JointFit(pieces, eventCount: count, resonance: fixed, reach: 200, noise: 0.01)
    }
    var before = fit(pieces, count)
    let first = before.fit(samples)

    let joined = JointFit.Piece(
      event: count - 2, first: pieces[30].first,
      samples: (0..<length + step).map { frame in
        (frame < length ? tap[frame] : 0) + (frame >= step ? tap[frame - step] : 0)
      })
    let others = Array(0..<30) + Array(32..<count)
    var after = before.regrouped(others + [nil], new: [joined])
    #expect(!after.isWhole && after.active.count < count / 2, "\(after.active.count)")
    let found = after.fit(samples)
    var anew = fit(
      others.enumerated().map {
        JointFit.Piece(event: $0, first: pieces[$1].first, samples: tap)
      } + [joined], count - 1)
    for (event, (part, other)) in zip(found.parts, anew.fit(samples).parts).enumerated() {
      for (value, other) in [(part.gain, other.gain), (part.delay, other.delay)] {
        #expect(
          abs(value.value - other.value) < 0.01 * other.uncertainty, "\(event): \(value), \(other)")
        #expect(
          abs(value.uncertainty / other.uncertainty - 1) < 0.01, "\(event): \(value), \(other)")
      }
    }
    // Those far away stand where they stood.
    for event in Array(0..<15) + Array(45..<58) {
      #expect(found.parts[event].gain.value == first.parts[others[event]].gain.value)
    }
  }

  @Test func `frames that are left out say nothing`() {
    let templates = [ring(at: 800), ring(at: 1_600)]
    var truth = sum(templates)
    for frame in 2_000..<2_300 { truth[frame] = 5 }
    var joint = fit(templates, noise: 1e-4, gaps: [2_000..<2_300])
    for part in joint.fit(truth).parts {
      #expect(abs(part.gain.value - 1) < 1e-3 && abs(part.delay.value) < 0.01, "\(part.gain)")
    }
  }
}

struct BandedMatrixTests {
  @Test func `the inverse in the band is that of the whole matrix`() throws {
    let (size, width) = (9, 3)
    var matrix = BandedMatrix(size: size, bandwidth: width)
    for column in 0..<size {
      for row in column...min(size - 1, column + width) {
        matrix[row, column] = row == column ? 4 + Double(row) : 1 / Double(1 + row - column)
      }
    }
    let factor = try #require(matrix.factored())
    let inverse = factor.inverseBand()
    for column in 0..<size {
      var unit = [Double](repeating: 0, count: size)
      unit[column] = 1
      // The columns of the inverse, solved one by one by LAPACK.
      let solved = factor.solve(unit)
      for row in column...min(size - 1, column + width) {
        #expect(abs(inverse[row, column] - solved[row]) < 1e-14)
      }
    }
  }

  @Test func `a matrix that is not positive definite has no factor`() {
    var matrix = BandedMatrix(size: 2, bandwidth: 1)
    matrix[0, 0] = 1
    matrix[1, 0] = 2
    matrix[1, 1] = 1
    #expect(matrix.factored() == nil)
  }
}
