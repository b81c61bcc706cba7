// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis
import Testing

struct ClockLineTests {
  @Test func `two points give the line through them and its uncertainty`() throws {
    let line = try ClockLine(through: [
      .init(frame: 0, delay: 100, uncertainty: 0.01),
      .init(frame: 480_000, delay: 112, uncertainty: 0.02),
    ])
    #expect(abs(line.offset.value - 100) < 1e-12)
    #expect(abs(line.offset.uncertainty - 0.01) < 1e-12)
    #expect(abs(line.drift.value - 25) < 1e-9)
    // sqrt(0.01^2 + 0.02^2) / 480,000.
    #expect(abs(line.drift.uncertainty - 1e6 * 0.0005.squareRoot() / 480_000) < 1e-12)
    #expect(abs(line.delay(at: 480_000).uncertainty - 0.02) < 1e-12)
  }

  @Test func `offset and drift agree with SciPy`() throws {
    // x=[0,1e5,2.5e5,4e5,9e5]; y=[10.02,11.01,12.48,14.03,18.99]; s=[.02,.01,.03,.02,.01]
    // scipy.optimize.curve_fit(lambda x,a,b: a+b*x*1e-6, x, y, sigma=s,
    //   absolute_sigma=True, p0=[10, 10])
    let frames = [0, 1e5, 2.5e5, 4e5, 9e5]
    let delays = [10.02, 11.01, 12.48, 14.03, 18.99]
    let sigmas = [0.02, 0.01, 0.03, 0.02, 0.01]
    let points = frames.indices.map {
      ClockLine.Point(frame: frames[$0], delay: delays[$0], uncertainty: sigmas[$0])
    }
    let line = try ClockLine(through: points)
    #expect(abs(line.offset.value - 10.015301078280329) < 1e-8)
    #expect(abs(line.drift.value - 9.97368715866133) < 1e-8)
    // sum(((y-a-b*x*1e-6)/s)**2) is 2.66, less than the three degrees of freedom: nothing grows.
    #expect(abs(line.offset.uncertainty - 0.009349370348933746) < 1e-9)
    #expect(abs(line.drift.uncertainty - 0.016225549324796938) < 1e-9)
  }

  @Test func `the stated uncertainty covers the truth`() throws {
    var noise = Noise(seed: 31)
    var covered = 0
    for _ in 0..<500 {
      let points = (0..<6).map { index in
        let frame = 1e5 * Double(index)
        return ClockLine.Point(
          frame: frame, delay: 50 - 80e-6 * frame + 0.05 * noise.gaussian(), uncertainty: 0.05)
      }
      let line = try ClockLine(through: points)
      if abs(line.drift.value + 80) < 2 * line.drift.uncertainty { covered += 1 }
    }
    #expect(covered > 470, "seed 31: \(covered) of 500 within two uncertainties")
  }

  @Test func `points off the line widen its uncertainty`() throws {
    let points = [0.0, 1, 0, 1, 0].enumerated().map {
      ClockLine.Point(frame: 1e4 * Double($0.offset), delay: $0.element, uncertainty: 0.01)
    }
    let line = try ClockLine(through: points)
    #expect(line.offset.uncertainty > 0.3)
  }

  @Test func `one frame makes no line`() {
    let point = ClockLine.Point(frame: 5, delay: 1, uncertainty: 0.1)
    #expect(throws: ClockLine.FitError.tooFewPoints(count: 1)) {
      try ClockLine(through: [point, point])
    }
  }

  @Test func `a point without uncertainty is refused`() {
    #expect(throws: ClockLine.FitError.unusablePoint(index: 1)) {
      try ClockLine(through: [
        .init(frame: 0, delay: 1, uncertainty: 0.1), .init(frame: 9, delay: 1, uncertainty: 0),
      ])
    }
  }
}
