// SPDX-License-Identifier: Apache-2.0

import SignalAnalysis
import Testing

/// The line with a height for each stretch against lines and steps that are known.
struct SteppedClockLineTests {
  private typealias Point = SteppedClockLine.Point

  @Test func `one stretch is a clock line`() throws {
    let frames = [1000.0, 50_000, 90_000, 200_000]
    let delays = [400.1, 400.9, 401.2, 403.3]
    let line = try ClockLine(
      through: zip(frames, delays).map {
        ClockLine.Point(frame: $0, delay: $1, uncertainty: 0.1)
      })
    let stepped = try SteppedClockLine(
      through: zip(frames, delays).map {
        Point(stretch: 0, frame: $0, delay: $1, uncertainty: 0.1)
      }, stretchCount: 1, step: 1)
    #expect(abs(stepped.drift.value - line.drift.value) < 1e-9)
    #expect(abs(stepped.drift.uncertainty - line.drift.uncertainty) < 1e-9)
    for frame in [0.0, 77_000, 1e6] {
      let (one, other) = (stepped.delay(at: frame, stretch: 0), line.delay(at: frame))
      #expect(abs(one.value - other.value) < 1e-9)
      #expect(abs(one.uncertainty - other.uncertainty) < 1e-9)
    }
  }

  @Test func `steps that are large beside their points leave slope and heights exact`() throws {
    let heights = [100.0, 130, 90, 115]
    var points: [Point] = []
    for (stretch, height) in heights.enumerated() {
      for place in 0..<3 {
        let frame = Double(stretch * 60_000 + place * 20_000)
        points.append(
          Point(
            stretch: stretch, frame: frame, delay: height + 25e-6 * frame, uncertainty: 0.01))
      }
    }
    let line = try SteppedClockLine(through: points, stretchCount: 4, step: 1000)
    #expect(abs(line.drift.value - 25) < 1e-3)
    for (stretch, height) in heights.enumerated() {
      #expect(abs(line.delay(at: 0, stretch: stretch).value - height) < 1e-3)
    }
    #expect(abs((line.typicalStep ?? 0) - (2_200 / 3.0 + 1_000 / 3.0 - 58.333).squareRoot()) < 2)
  }

  @Test func `a stretch without a point is as sure as the steps to its neighbours`() throws {
    let points = [0, 2].flatMap { stretch in
      (0..<20).map { place in
        Point(
          stretch: stretch, frame: Double(stretch * 48_000 + place * 2_000),
          delay: 200 + 3 * Double(stretch), uncertainty: 0.001)
      }
    }
    let line = try SteppedClockLine(through: points, stretchCount: 3, step: 4)
    let between = line.delay(at: 70_000, stretch: 1)
    #expect(abs(between.value - 203) < 1e-2)
    // Two steps of 4 frames, one from either side.
    #expect(abs(between.uncertainty - 4 / 2.0.squareRoot()) < 0.01, "\(between)")
  }

  @Test func `two points in two stretches leave the drift as vague as the step`() throws {
    let points = [
      Point(stretch: 0, frame: 0, delay: 10, uncertainty: 1e-3),
      Point(stretch: 1, frame: 1e6, delay: 30, uncertainty: 1e-3),
    ]
    let line = try SteppedClockLine(through: points, stretchCount: 2, step: 5)
    #expect(abs(line.drift.value - 20) < 1e-6)
    #expect(abs(line.drift.uncertainty - 5) < 1e-5)
    #expect(throws: ClockLine.FitError.tooFewPoints(count: 1)) {
      try SteppedClockLine(through: [points[0]], stretchCount: 2, step: 5)
    }
    let guessed = try SteppedClockLine(
      through: [points[0]], stretchCount: 2, step: 5, likelyDrift: 100)
    #expect(guessed.delay(at: 1e6, stretch: 1).value == 10)
    #expect(abs(guessed.delay(at: 1e6, stretch: 1).uncertainty - 10_025.0.squareRoot()) < 1e-6)
  }

  @Test func `what it says of any take holds the truth as often as it should`() throws {
    var noise = Noise(seed: 0x57e9)
    var (inside, all) = (0, 0)
    for _ in 0..<60 {
      let count = 2 + Int(noise.uniform() * 40)
      let (drift, step) = (noise.uniform(-80...80), noise.uniform(0.2...20))
      var heights = [400.0]
      for _ in 1..<count { heights.append(heights[heights.count - 1] + step * noise.gaussian()) }
      var points: [Point] = []
      for stretch in 0..<count where stretch == 0 || noise.uniform() < 0.7 {
        for place in 0..<(1 + Int(noise.uniform() * 4)) {
          let frame = Double(stretch) * 50_000 + Double(place) * 10_000
          let sigma = noise.uniform(0.005...0.3)
          points.append(
            Point(
              stretch: stretch, frame: frame,
              delay: heights[stretch] + drift * 1e-6 * frame + sigma * noise.gaussian(),
              uncertainty: sigma))
        }
      }
      guard points.count > 4 else { continue }
      let line = try SteppedClockLine(through: points, stretchCount: count, step: step)
      for stretch in 0..<count {
        let frame = (Double(stretch) + noise.uniform()) * 50_000
        let found = line.delay(at: frame, stretch: stretch)
        let truth = heights[stretch] + drift * 1e-6 * frame
        all += 1
        if abs(found.value - truth) <= 2 * found.uncertainty { inside += 1 }
      }
    }
    #expect(Double(inside) >= 0.95 * Double(all), "\(inside) of \(all), seed \(noise.seed)")
  }
}
