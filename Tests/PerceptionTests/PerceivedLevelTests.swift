// SPDX-License-Identifier: Apache-2.0

import Glibc
import Perception
import SeededRandom
import Testing

struct PerceivedLevelTests {
  private func component(_ frequency: Double, _ level: Double) -> VibrationComponent {
    VibrationComponent(
      frequency: frequency,
      acceleration: PerceptionContour.aosp16.acceleration(sensationLevel: level, at: frequency))
  }

  @Test func `one component feels as strong as it is`() {
    for (frequency, level) in [(80.0, 10.0), (150, 30), (230, -3)] {
      #expect(abs(PerceivedLevel.of([component(frequency, level)]) - level) < 1e-9)
    }
  }

  @Test func `two equal components are 3 dB more and one 20 dB weaker hardly counts`() {
    let two = PerceivedLevel.of([component(100, 20), component(200, 20)])
    #expect(abs(two - 20 - 10 * log10(2)) < 1e-9)
    let faint = PerceivedLevel.of([component(150, 30), component(300, 10)])
    #expect(abs(faint - 30.0432) < 1e-3)
  }

  @Test func `nothing feels like nothing`() {
    #expect(PerceivedLevel.of([]) == -.infinity)
    #expect(PerceivedLevel.of([.init(frequency: 100, acceleration: 0)]) == -.infinity)
  }

  @Test func `more of any component is more`() {
    var random = SeededRandom(seed: 0xb1)
    for _ in 0..<200 {
      var components = (0..<3).map { _ in
        VibrationComponent(
          frequency: random.uniform(30...400), acceleration: random.uniform(0.01...20))
      }
      let before = PerceivedLevel.of(components)
      components[random.integer(0...2)].acceleration *= 1.5
      #expect(PerceivedLevel.of(components) > before, "\(random)")
    }
  }
}

struct SharpnessCentroidTests {
  private func component(_ frequency: Double, _ level: Double) -> VibrationComponent {
    VibrationComponent(
      frequency: frequency,
      acceleration: PerceptionContour.aosp16.acceleration(sensationLevel: level, at: frequency))
  }

  @Test func `one component is where it is, however weak`() {
    #expect(SharpnessCentroid.of([component(150, 2)]) == 150)
  }

  @Test func `two equally strong components meet at their geometric mean`() throws {
    let centroid = try #require(SharpnessCentroid.of([component(100, 25), component(200, 25)]))
    #expect(abs(centroid - 100 * 2.0.squareRoot()) < 1e-9)
  }

  // Weights 1000 and 100: exp((1000 ln 100 + 100 ln 200) / 1100)
  @Test func `the stronger draws the centroid to itself by energy`() throws {
    let centroid = try #require(SharpnessCentroid.of([component(100, 30), component(200, 20)]))
    #expect(abs(centroid - 106.504) < 1e-3, "\(centroid)")
  }

  @Test func `what is less than 10 dB above threshold is not counted`() throws {
    let centroid = try #require(
      SharpnessCentroid.of([component(100, 30), component(300, 9.9)]))
    #expect(abs(centroid - 100) < 1e-9)
    #expect(SharpnessCentroid.of([component(100, 9), component(300, 9)]) == nil)
    #expect(SharpnessCentroid.of([]) == nil)
  }
}
