// SPDX-License-Identifier: Apache-2.0

import Glibc
import Perception
import SeededRandom
import Testing

struct PerceptionContourTests {
  // The curve of Android 16 in m/s2 peak, as published thresholds round it: three digits.
  @Test(
    arguments: [
      (30, 0.189), (50, 0.248), (80, 0.253), (100, 0.249), (150, 0.265), (200, 0.281),
      (230, 0.319), (250, 0.349), (300, 0.448), (400, 1.00),
    ])
  func `the threshold is the published acceleration`(frequency: Double, acceleration: Double) {
    let threshold = PerceptionContour.aosp16.acceleration(sensationLevel: 0, at: frequency)
    #expect(abs(threshold - acceleration) < 0.005 * acceleration, "\(threshold) m/s2")
  }

  // 36 dB above threshold, in g: 1.63 at 80 Hz, 1.71 at 150 Hz, 2.88 at 300 Hz.
  @Test(arguments: [(80, 1.63), (150, 1.71), (300, 2.88)])
  func `levels above threshold multiply it`(frequency: Double, gravities: Double) {
    let level = PerceptionContour.aosp16.acceleration(sensationLevel: 36, at: frequency)
    #expect(abs(level / 9.80665 - gravities) < 0.005 * gravities)
  }

  // numpy.interp([275, 65, 225], f, thr) on the published points gives these.
  @Test(arguments: [(275, -27.923095238095237), (65, -31.68), (225, -29.958571428571428)])
  func `between its points the curve is linear in hertz`(frequency: Double, level: Double) {
    #expect(abs(PerceptionContour.aosp16.threshold(at: frequency) - level) < 1e-9)
  }

  @Test func `outside its points the curve holds its ends`() {
    let contour = PerceptionContour.aosp16
    #expect(contour.threshold(at: 0.1) == -97.81)
    #expect(contour.threshold(at: 0) == -97.81)
    #expect(contour.threshold(at: 5000) == -19.81)
  }

  @Test func `every point is met and frequencies rise`() {
    let contour = PerceptionContour.aosp16
    #expect(
      zip(contour.points, contour.points.dropFirst()).allSatisfy { $0.frequency < $1.frequency })
    for point in contour.points {
      #expect(abs(contour.threshold(at: point.frequency) - point.level) < 1e-12)
    }
    #expect(contour.name == "aosp16")
  }

  @Test func `acceleration and level are each other's inverse`() {
    var random = SeededRandom(seed: 0xc0)
    for _ in 0..<1000 {
      let (level, frequency) = (random.uniform(-20...60), random.uniform(1...500))
      let contour = PerceptionContour.aosp16
      let acceleration = contour.acceleration(sensationLevel: level, at: frequency)
      let back = contour.sensationLevel(acceleration: acceleration, at: frequency)
      #expect(abs(back - level) < 1e-9, "\(level) dB at \(frequency) Hz, \(random)")
    }
  }

  @Test func `equal velocity is acceleration in proportion to frequency`() {
    let contour = PerceptionContour.velocity
    #expect(abs(contour.threshold(at: 150) - PerceptionContour.aosp16.threshold(at: 150)) < 0.01)
    for frequency in [16, 33, 80, 119, 230, 400.0] {
      let expected = -31.35 + 20 * log10(frequency / 150)
      #expect(abs(contour.threshold(at: frequency) - expected) < 0.01, "\(frequency) Hz")
    }
  }

  // Anchored at 150 Hz an equal level above threshold takes 9 dB more than equal velocity at 50 Hz.
  @Test func `the contours differ as published`() {
    for (frequency, difference) in [(50.0, 9.0), (80, 5), (100, 3), (215, -2)] {
      let found =
        PerceptionContour.aosp16.threshold(at: frequency)
        - PerceptionContour.velocity.threshold(at: frequency)
      #expect(abs(found - difference) < 0.6, "\(found) dB at \(frequency) Hz")
    }
  }

  @Test func `contours are found by name`() {
    for contour in PerceptionContour.named {
      #expect(PerceptionContour.named(contour.name) == contour)
    }
    #expect(PerceptionContour.named("loudness") == nil)
  }
}
