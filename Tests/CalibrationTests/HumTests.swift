// SPDX-License-Identifier: Apache-2.0

import Perception
import SeededRandom
import Testing
import Units

@testable import Calibration

/// Hum that was taken off counts by what may be left of it.
struct HumTests {
  private static let sentence =
    "axis z of the accelerometer hums with 0.3 m/s2 at 49.93 Hz: break the ground loop "
    + "or shield the cable"

  private func rest(_ hum: SegmentResponse.Hum?) throws -> RestCheck {
    var random = SeededRandom(seed: 0x4e57)
    let samples = (0..<8_000).map { _ in Float(0.01 * random.gaussian()) }
    let silence = SegmentResponse(
      rate: SampleRate(hertz: 8_000), input: samples.map { _ in 0 }, inputIsMeasured: true,
      axes: [.init(name: "z", samples: samples, hum: hum)])
    return try RestCheck(
      silence, contour: testSubject().target.contour, sensorUncertainty: nil)
  }

  @Test func `it is noted, and what may be left widens the noise`() throws {
    let plain = try rest(nil)
    let humming = try rest(.init(sentence: Self.sentence, left: 0.005))
    #expect(!plain.notes.contains { $0.contains("hums") })
    #expect(humming.notes.contains { $0.hasPrefix("Axis z of the accelerometer hums with 0.3") })
    func widened(_ noise: Double) -> Double { (noise * noise + 0.005 * 0.005).squareRoot() }
    #expect(abs(humming.sigmas[0] - widened(plain.sigmas[0])) < 1e-12)
    #expect(abs(humming.bandNoise[0] - widened(plain.bandNoise[0])) < 1e-12)
  }

  @Test func `it is refused by what may be left, not by what hummed`() throws {
    // 0.084 m/s2 are allowed.
    _ = try rest(.init(sentence: Self.sentence, left: 0.05))
    let refusal = #expect(throws: CalibrationRefusal.self) {
      try rest(.init(sentence: Self.sentence, left: 0.065))
    }
    #expect(refusal?.code == .sensorHum)
    #expect(
      refusal?.description.contains("0.09192 m/s2 of it may be left") == true, "\(refusal as Any)")
  }

  @Test func `what was not taken off is seen, and told`() throws {
    let told = try rest(.init(sentence: Self.sentence, left: nil))
    #expect(told.notes.contains { $0.contains("hums") })
    #expect(told.sigmas == (try rest(nil)).sigmas)
  }
}
