// SPDX-License-Identifier: Apache-2.0

import AHAP
import HapticRendering
import SeededRandom
import Testing

/// A dynamic parameter over a pattern: steps and curves by one rule, the newest wins.
struct ControlTrackTests {
  /// The track of a pattern that has nothing but these entries.
  private func intensity(
    _ curves: [ParameterCurve] = [], _ steps: [DynamicParameter] = []
  ) -> ControlTrack {
    let pattern = HapticPattern(parameters: steps, curves: curves)
    return Timeline(pattern, configuration: .init()).controls.intensity
  }

  private func close(_ a: Double, _ b: Double) -> Bool { abs(a - b) < 1e-12 }

  @Test func `before its first point a curve changes nothing`() {
    let track = intensity([curve(.hapticIntensity, at: 0.2, [(0.1, 0.4), (0.2, 0.8)])])
    #expect(track.value(at: 0) == 1)
    #expect(track.value(at: 0.2) == 1)
    #expect(track.value(at: 0.2999) == 1)
    #expect(close(track.value(at: 0.30001), 0.40004))
  }

  @Test func `before its first point a later curve leaves what was in force`() {
    let track = intensity(
      [curve(.hapticIntensity, at: 0.5, [(0.5, 0.9)])], [step(.hapticIntensity, at: 0.1, 0.3)])
    #expect(track.value(at: 0.7) == 0.3)
    #expect(track.value(at: 1.1) == 0.9)
  }

  @Test func `points count from the curve's own time and lines join them`() {
    let track = intensity([curve(.hapticIntensity, at: 1, [(0, 0), (0.5, 1), (1, 0.5)])])
    #expect(close(track.value(at: 1.25), 0.5))
    #expect(close(track.value(at: 1.5), 1))
    #expect(close(track.value(at: 1.75), 0.75))
  }

  @Test func `after its last point a curve holds`() {
    let track = intensity([curve(.hapticIntensity, at: 0, [(0, 1), (0.5, 0.25)])])
    #expect(close(track.value(at: 0.5), 0.25))
    #expect(close(track.value(at: 400), 0.25))
  }

  @Test func `a curve of one point is a step that holds`() {
    let track = intensity([curve(.hapticIntensity, at: 0.25, [(0.25, 0.6)])])
    #expect(track.value(at: 0.4999) == 1)
    #expect(track.value(at: 0.5) == 0.6)
    #expect(track.value(at: 30) == 0.6)
  }

  @Test func `a later curve takes over in the middle of an earlier one`() {
    let track = intensity([
      curve(.hapticIntensity, at: 0.5, [(0, 0.2), (1, 0.4)], order: 0),
      curve(.hapticIntensity, at: 0, [(0, 1), (1, 0)], order: 1),
    ])
    #expect(close(track.value(at: 0.49), 0.51))
    #expect(close(track.value(at: 0.5), 0.2))
    // The earlier curve's end at 1 is not heard of again.
    #expect(close(track.value(at: 1.2), 0.34))
    #expect(close(track.value(at: 3), 0.4))
  }

  @Test func `a step stands until the next entry and curves may follow it`() {
    let track = intensity(
      [curve(.hapticIntensity, at: 1, [(0, 0.5), (1, 0.1)])],
      [step(.hapticIntensity, at: 0.5, 0.8), step(.hapticIntensity, at: 1.5, 0.9)])
    #expect(track.value(at: 0.75) == 0.8)
    #expect(close(track.value(at: 1.25), 0.4))
    #expect(track.value(at: 1.5) == 0.9)
    #expect(track.value(at: 2.5) == 0.9)
  }

  @Test func `of two that begin together the later in the file wins`() {
    for (first, second) in [(0, 1), (1, 0)] {
      let track = intensity(
        [curve(.hapticIntensity, at: 0, [(0.5, 0.2)], order: first)],
        [step(.hapticIntensity, at: 0.5, 0.7, order: second)])
      #expect(track.value(at: 0.6) == (second > first ? 0.7 : 0.2))
    }
  }

  // Apple's Sparkle: one curve ends at the instant the next begins, at another value.
  @Test func `a curve that begins where another ends starts from its own value`() {
    let track = intensity([
      curve(.hapticIntensity, at: 0.024, [(0, 1), (0.15, 0)], order: 0),
      curve(.hapticIntensity, at: 0.174, [(0, 0.75), (0.1, 0)], order: 1),
    ])
    #expect(track.value(at: 0.1739) < 0.01)
    #expect(abs(track.value(at: 0.1741) - 0.75) < 0.01)
  }

  @Test func `two points at one time are a jump`() {
    let track = intensity([
      curve(.hapticIntensity, at: 0, [(0, 0.2), (0.5, 0.4), (0.5, 0.9), (1, 0.5)])
    ])
    #expect(close(track.value(at: 0.4999999), 0.39999996))
    #expect(track.value(at: 0.5) == 0.9)
    #expect(close(track.value(at: 0.75), 0.7))
  }

  @Test func `jumps at the first and at the last point count too`() {
    let track = intensity([
      curve(.hapticIntensity, at: 0.5, [(0, 0.1), (0, 0.6), (0.5, 0.6), (0.5, 0.2)])
    ])
    #expect(track.value(at: 0.4) == 1)
    #expect(track.value(at: 0.5) == 0.6)
    #expect(track.value(at: 0.9) == 0.6)
    #expect(track.value(at: 2) == 0.2)
  }

  // Apple's Recharge: sixteen points, every jump drawn as two points 0.1 ms apart.
  @Test func `sixteen points with jumps of a tenth of a millisecond draw a sawtooth`() {
    let points = (0..<8).flatMap { tooth -> [(Double, Double)] in
      let start = 0.1 * Double(tooth)
      return [(start + 1e-4, 0.2), (start + 0.1, 1)]
    }
    let track = intensity([curve(.hapticIntensity, at: 0, points)])
    for tooth in 0..<8 {
      let start = 0.1 * Double(tooth)
      let middle = track.value(at: start + 0.05005)
      #expect(abs(middle - 0.6) < 1e-9, "tooth \(tooth): \(middle)")
      if tooth > 0 { #expect(abs(track.value(at: start + 0.5e-4) - 0.6) < 1e-9) }
    }
    #expect(track.value(at: 5) == 1)
  }

  @Test func `twenty-four steps draw the sawtooth that a curve draws`() {
    let steps = (0..<24).map { step(.hapticIntensity, at: 0.05 * Double($0), Double($0 % 8) / 8) }
    let track = intensity([], steps)
    for index in 0..<24 {
      #expect(track.value(at: 0.05 * Double(index) + 0.025) == Double(index % 8) / 8)
    }
  }

  @Test func `values beyond the range are moved to its end`() {
    let pattern = HapticPattern(
      parameters: [step(.hapticSharpness, at: 0, -4.64)],
      curves: [curve(.hapticIntensity, at: 0, [(0, -1), (1, 3)])])
    let controls = Timeline(pattern, configuration: .init()).controls
    #expect(controls.sharpness.value(at: 1) == -1)
    #expect(controls.intensity.value(at: 0) == 0)
    #expect(close(controls.intensity.value(at: 0.5), 0.5))
    #expect(controls.intensity.value(at: 2) == 1)
  }

  @Test func `a parameter that nothing touches is neutral`() {
    let controls = Timeline(HapticPattern(), configuration: .init()).controls
    for track in [controls.intensity, controls.volume] {
      #expect(track.isNeutral)
      #expect(track.value(at: 3) == 1)
    }
    for track in [controls.sharpness, controls.pan, controls.pitch, controls.brightness] {
      #expect(track.isNeutral)
      #expect(track.value(at: 3) == 0)
    }
    #expect(intensity([], [step(.hapticIntensity, at: 1, 1)]).isNeutral)
    #expect(!intensity([], [step(.hapticIntensity, at: 1, 0.9)]).isNeutral)
    #expect(!intensity([curve(.hapticIntensity, at: 0, [(0, 1), (1, 0.5)])]).isNeutral)
  }

  @Test func `any mix of steps and curves is the plain model's`() {
    var random = SeededRandom(seed: 0xc7)
    for _ in 0..<60 {
      let pattern = random.pattern(length: 1)
      let controls = Timeline(pattern, configuration: .init()).controls
      let model = NaiveModel(pattern)
      for _ in 0..<60 {
        let time = random.uniform(0...1.5)
        for (id, track) in [
          (DynamicParameterID.hapticIntensity, controls.intensity),
          (.hapticSharpness, controls.sharpness), (.audioVolume, controls.volume),
          (.audioPan, controls.pan), (.audioPitch, controls.pitch),
          (.audioBrightness, controls.brightness),
        ] {
          let (value, expected) = (track.value(at: time), model.control(id, at: time))
          #expect(abs(value - expected) < 1e-9, "\(id) at \(time) s, \(random)")
        }
      }
    }
  }
}
