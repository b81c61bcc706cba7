import Glibc
import SignalAnalysis
import Testing
import Units

struct AxisTests {
  /// Two tones along different directions, turned by Euler angles.
  private func axes(turnedBy angles: (Double, Double) = (0, 0)) -> [[Float]] {
    let (a, b) = angles
    return (0..<3).map { axis in
      (0..<4_096).map { frame in
        let time = Double(frame)
        let first = sin(2 * .pi * time * 32 / 4_096)
        let second = 0.5 * sin(2 * .pi * time * 100 / 4_096 + 1)
        let (x, y, z) = (first, second, 0.3 * first)
        let (u, v) = (cos(a) * x - sin(a) * y, sin(a) * x + cos(a) * y)
        let turned = [u, cos(b) * v - sin(b) * z, sin(b) * v + cos(b) * z]
        return Float(turned[axis])
      }
    }
  }

  @Test(arguments: [(0.3, 0.1), (1.2, -0.7), (2.9, 2.2)])
  func `turning the sensor leaves the amplitudes of DFT321 as they are`(
    angles: (Double, Double)
  ) {
    var transform = FourierTransform(length: 4_096)
    let plain = AxisReduction.dft321(axes())
    let turned = AxisReduction.dft321(axes(turnedBy: angles))
    let (one, other) = (transform.forward(plain.span), transform.forward(turned.span))
    for bin in [32, 100] {
      #expect(abs(one[bin].magnitude / other[bin].magnitude - 1) < 1e-5)
    }
    // sqrt(1 + 0.09) and 0.5, times half the length.
    #expect(abs(one[32].magnitude / (2_048 * 1.09.squareRoot()) - 1) < 1e-5)
    #expect(abs(one[100].magnitude / 1_024 - 1) < 1e-5)
  }

  @Test func `DFT321 keeps the energy of all axes`() {
    var noise = Noise(seed: 9)
    let random = (0..<3).map { _ in (0..<1_000).map { _ in Float(noise.gaussian()) } }
    let joined = AxisReduction.dft321(random)
    let energy = random.reduce(0) { $0 + $1.reduce(0) { $0 + Double($1) * Double($1) } }
    let length = FourierTransform.fastLength(atLeast: 1_000)
    #expect(length == 1_000, "the energy stays within the frames where nothing is padded")
    let own = joined.reduce(0) { $0 + Double($1) * Double($1) }
    #expect(abs(own / energy - 1) < 1e-4, "seed 9: \(own / energy)")
  }

  @Test func `one axis alone is itself`() {
    let single = axes()[0]
    let joined = AxisReduction.dft321([single, single.map { _ in 0 }, single.map { _ in 0 }])
    #expect(zip(single, joined).allSatisfy { abs($0 - $1) < 1e-5 })
    #expect(AxisReduction.dft321([]).isEmpty && AxisReduction.dft321([[], []]).isEmpty)
  }

  @Test func `a rotating mass has a constant root of squares`() {
    let circle = [
      (0..<500).map { Float(2 * cos(0.05 * Double($0))) },
      (0..<500).map { Float(2 * sin(0.05 * Double($0))) },
    ]
    #expect(AxisReduction.rootSumOfSquares(circle).allSatisfy { abs($0 - 2) < 1e-5 })
  }

  @Test func `a straight motion is found along its direction`() throws {
    let direction = [2.0 / 7, -6.0 / 7, 3.0 / 7]
    let motion = (0..<2_000).map { sin(0.1 * Double($0)) }
    let axes = direction.map { part in motion.map { Float(5 + part * $0) } }
    let found = try #require(PrincipalAxis.find(axes))
    // The largest part is made positive.
    for (part, truth) in zip(found.direction, direction) { #expect(abs(part + truth) < 1e-5) }
    #expect(found.offAxisRatio < 1e-3)
    #expect(abs(found.strength - 0.5.squareRoot()) < 0.01)
    let seen = found.project(axes)
    let mean = seen.reduce(0, +) / Float(seen.count)
    #expect(zip(seen, motion).allSatisfy { abs(Double($0 - mean) + $1) < 0.02 })
  }

  private func sine(
    _ amplitude: Double, turns: Double, count: Int, phase: Double = 0
  ) -> [Float] {
    (0..<count).map { frame in
      Float(amplitude * sin(2 * Double.pi * turns * Double(frame) + phase))
    }
  }

  @Test func `a tenth across is an off-axis ratio of a tenth`() throws {
    let axes = [
      sine(1, turns: 1 / 64, count: 4_096), sine(0.1, turns: 1 / 64, count: 4_096, phase: .pi / 2),
      [Float](repeating: 1, count: 4_096),
    ]
    let found = try #require(PrincipalAxis.find(axes))
    #expect(abs(found.offAxisRatio - 0.1) < 1e-4)
    #expect(abs(found.direction[0] - 1) < 1e-9)
  }

  @Test func `a band leaves a shaking table out`() throws {
    let rate = SampleRate(hertz: 4_000)
    let axes = [
      sine(1, turns: 170 / 4_000, count: 8_000), sine(5, turns: 4 / 4_000, count: 8_000),
    ]
    let blind = try #require(PrincipalAxis.find(axes))
    #expect(blind.direction[1] > 0.99)
    let found = try #require(PrincipalAxis.find(axes, band: 50...500, rate: rate))
    #expect(found.direction[0] > 0.99)
  }

  @Test func `without motion there is no axis`() {
    #expect(PrincipalAxis.find([]) == nil)
    #expect(PrincipalAxis.find([[Float](repeating: 9.8, count: 100)]) == nil)
  }
}
