// SPDX-License-Identifier: Apache-2.0

import AHAP
import HapticRendering
import Perception
import Testing

/// The intent over all events at evenly spaced times.
struct MomentTests {
  private func intent(_ pattern: HapticPattern) -> Intent {
    let configuration = RenderConfiguration()
    return Intent(
      timeline: Timeline(pattern, configuration: configuration), configuration: configuration)
  }

  @Test func `a moment is that of the strongest event in force`() {
    let intent = intent(
      HapticPattern(events: [
        continuous(at: 0, for: 1, intensity: 0.4, sharpness: 0.1),
        continuous(at: 0.5, for: 0.2, intensity: 0.8, sharpness: 0.9),
      ]))
    let moments = intent.moments(from: 0.25, step: 0.125, count: 8)
    #expect(abs(moments[0].intensity - 0.4) < 1e-12)
    #expect(moments[0].sharpness == 0.1)
    #expect(abs(moments[3].intensity - 0.8) < 1e-12)
    #expect(moments[3].sharpness == 0.9)
    #expect(abs(moments[4].intensity - 0.4) < 1e-12)
    #expect(moments[7].intensity == 0 && moments[7].sharpness == 0)
  }

  @Test func `a tap between two columns still shows`() {
    let intent = intent(HapticPattern(events: [transient(at: 0.33, intensity: 0.7)]))
    let moments = intent.moments(from: 0, step: 0.1, count: 10)
    #expect(moments.map(\.intensity).max() == 0.7)
    #expect(moments.filter { $0.intensity > 0 }.count == 1)
  }

  @Test func `times outside the pattern ask for nothing`() {
    let intent = intent(HapticPattern(events: [continuous(at: 0, for: 0.5)]))
    #expect(intent.moments(from: -1, step: 0.1, count: 5).allSatisfy { $0.intensity == 0 })
    #expect(intent.moments(from: 2, step: 0.1, count: 5).allSatisfy { $0.intensity == 0 })
    #expect(intent.moments(from: 0, step: 0.1, count: 0).isEmpty)
  }

  @Test func `one vibration asks for the target's acceleration`() {
    let intent = intent(HapticPattern(events: [continuous(at: 0, for: 1, intensity: 0.6)]))
    let target = IntensityTarget()
    let expected = target.acceleration(intensity: 0.6, frequency: 135.64659966250537)
    let values = intent.acceleration(target, from: 0.25, step: 0.25, count: 2)
    #expect(values.allSatisfy { abs($0 - expected) < 1e-9 })
  }

  @Test func `vibrations together add as energies`() {
    let event = continuous(at: 0, for: 1, intensity: 0.5)
    let target = IntensityTarget()
    let one = intent(HapticPattern(events: [event]))
      .acceleration(target, from: 0.5, step: 1, count: 1)
    let four = intent(HapticPattern(events: [event, event, event, event]))
      .acceleration(target, from: 0.5, step: 1, count: 1)
    #expect(abs(four[0] / one[0] - 2) < 1e-9)
  }

  @Test func `a tap's acceleration falls with its shape`() {
    let intent = intent(HapticPattern(events: [transient(at: 0, intensity: 1)]))
    let values = intent.acceleration(IntensityTarget(), from: 0, step: 0.011, count: 3)
    #expect(abs(values[1] / values[0] - 0.5) < 1e-9)
    #expect(values[2] < 1e-9)
  }
}
