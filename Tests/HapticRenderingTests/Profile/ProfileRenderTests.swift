// SPDX-License-Identifier: Apache-2.0

import AHAP
import Actuators
import AllocationCounter
import Glibc
import HapticRendering
import Perception
import Profiles
import SeededRandom
import Testing
import Units

/// With a profile the drive makes unlike actuators do the same, judged by integrating their motion.
struct ProfileRenderTests {
  /// An actuator as its equation of motion: z'' + w0/Q z' + w0^2 z = (g/Q) V, and a = z''.
  struct Actuator {
    let frequency: Double
    let quality: Double
    let gain: Double

    /// The acceleration under a drive in volts, by the classical Runge-Kutta step, each sample held.
    func response(to volts: [Double], rate: Double) -> [Double] {
      let w = 2 * Double.pi * frequency
      let (damping, force) = (w / quality, gain / quality)
      let h = 1 / rate
      var (z, v) = (0.0, 0.0)
      func acceleration(_ z: Double, _ v: Double, _ u: Double) -> Double {
        force * u - damping * v - w * w * z
      }
      return volts.map { u in
        let a1 = acceleration(z, v, u)
        let a2 = acceleration(z + h / 2 * v, v + h / 2 * a1, u)
        let a3 = acceleration(z + h / 2 * (v + h / 2 * a1), v + h / 2 * a2, u)
        let a4 = acceleration(z + h * (v + h / 2 * a2), v + h * a3, u)
        z += h * (v + h / 6 * (a1 + a2 + a3))
        v += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        return a1
      }
    }

    var profile: CalibrationProfile {
      func quantity(_ value: Double, _ unit: ProfileUnit) -> MeasuredQuantity {
        MeasuredQuantity(value, unit, uncertainty: 0)
      }
      let model = ActuatorModel(
        kind: .resonator,
        modes: [
          .init(
            f0: quantity(frequency, .hertz), q: quantity(quality, .one),
            gain: quantity(gain, .metrePerSecondSquaredPerVolt))
        ], delay: quantity(0, .second))
      return CalibrationProfile(
        actuator: Actuators.Actuator(
          id: "a", model: "m", limits: DriveLimits(continuousVolts: 20, peakVolts: 30)),
        rig: "r", model: model,
        feedForward: FeedForward(inverting: model)
          ?? FeedForward(sections: [], gain: 1, leak: 0),
        ceiling: ReachableCeiling(
          points: [60, 120, 250].map {
            .init(frequency: $0, acceleration: 100, binding: .continuous)
          }), laws: ProfileLaws(referenceLevel: 24),
        uncertainty: UncertaintyBudget(lines: []),
        source: ProfileSource(run: "", hash: "", program: "", date: ""))
    }

    /// What the actuator does under a pattern, in m/s2, and the drive in volts.
    func play(_ pattern: HapticPattern) -> (felt: [Double], volts: [Double]) {
      let configuration = RenderConfiguration(
        profile: ProfileRendering(
          profile: profile, fullScaleVolts: 30, rate: .standard,
          transientLength: TransientShape.standard.length))
      let drive = Rendered.drive(pattern, configuration, extraFrames: 9600)
      let volts = drive.map { 30 * Double($0) }
      return (response(to: volts, rate: SampleRate.standard.hertz), volts)
    }
  }

  static let actuators = [
    Actuator(frequency: 150, quality: 10, gain: 8),
    Actuator(frequency: 230, quality: 4, gain: -5),
    Actuator(frequency: 65, quality: 2.5, gain: 12),
  ]

  /// The amplitude at a frequency over a stretch, by projection on cosine and sine.
  private func amplitude(_ signal: [Double], at frequency: Double, _ frames: Range<Int>) -> Double {
    let step = 2 * Double.pi * frequency / SampleRate.standard.hertz
    var (real, imaginary) = (0.0, 0.0)
    for frame in frames {
      real += signal[frame] * cos(step * Double(frame))
      imaginary += signal[frame] * sin(step * Double(frame))
    }
    return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(frames.count)
  }

  @Test(arguments: actuators.indices, [(0.3, 0.2), (0.6, 0.6), (1.0, 1.0)])
  func `a steady vibration has the acceleration that the laws ask for`(
    index: Int, asked: (intensity: Double, sharpness: Double)
  ) {
    let actuator = Self.actuators[index]
    let pattern = HapticPattern(events: [
      continuous(at: 0, for: 0.6, intensity: asked.intensity, sharpness: asked.sharpness)
    ])
    let frequency = SharpnessLaw.log80To230.frequency(of: asked.sharpness)
    let target = actuator.profile.laws.target.acceleration(
      intensity: asked.intensity, frequency: frequency)
    let period = SampleRate.standard.hertz / frequency
    let frames = 14_400..<(14_400 + Int((period * 30).rounded()))
    let measured = amplitude(actuator.play(pattern).felt, at: frequency, frames)
    #expect(abs(measured / target - 1) < 0.01, "\(measured) m/s2 of \(target)")
  }

  @Test func `a tap ends within fifteen milliseconds of where it is to end`() {
    let actuator = Self.actuators[0]
    for sharpness in [0.2, 0.6, 1] {
      let pattern = HapticPattern(events: [
        transient(at: 0.01, intensity: 0.7, sharpness: sharpness)
      ])
      let played = actuator.play(pattern)
      let peak = played.felt.map(abs).max() ?? 0
      let end = Int((0.01 + 0.022 + 0.015) * SampleRate.standard.hertz)
      let after = played.felt[end...].map(abs).max() ?? .infinity
      #expect(after < 0.1 * peak, "sharpness \(sharpness): \(after) of \(peak) m/s2")
      #expect(played.volts.allSatisfy { abs($0) <= 30.0001 })
    }
  }

  @Test(arguments: 0..<8)
  func `blocks of any size give the same bits as the whole`(index: Int) {
    var random = SeededRandom(seed: 0x9f0f_0000 + UInt64(index))
    let pattern = random.pattern(length: 0.25, hapticOnly: true)
    let configuration = RenderConfiguration(
      profile: ProfileRendering(
        profile: Self.actuators[index % 3].profile, fullScaleVolts: 30, rate: .standard,
        transientLength: TransientShape.standard.length))
    let whole = Rendered.drive(pattern, configuration, block: 1_000_000)
    let parts = Rendered.drive(pattern, configuration, block: random.integer(1...700))
    #expect(whole.map(\.bitPattern) == parts.map(\.bitPattern), "\(random)")
    #expect(whole.allSatisfy { $0.isFinite && abs($0) <= 1 }, "\(random)")
  }

  @Test(.enabled(if: allocationCounterIsAvailable() != 0, "a sanitizer brings its own heap"))
  func `rendering with a profile touches no heap`() {
    var random = SeededRandom(seed: 0x9f0f)
    let configuration = RenderConfiguration(
      profile: ProfileRendering(
        profile: Self.actuators[0].profile, fullScaleVolts: 30, rate: .standard,
        transientLength: TransientShape.standard.length))
    let timeline = Timeline(
      random.pattern(length: 0.2, hapticOnly: true), configuration: configuration)
    var renderer = HapticRenderer(timeline: timeline, configuration: configuration)
    var drive = [Float](repeating: 0, count: 480)
    let blocks = renderer.frameCount / 480 + 2
    allocationCounterStart()
    for _ in 0..<blocks {
      var span = drive.mutableSpan
      renderer.render(haptic: &span)
    }
    let counts = allocationCounterStop()
    #expect(counts.allocations == 0)
    #expect(counts.releases == 0)
  }

  @Test func `samples held at the profile's peak are counted as such, none as mixing`() {
    let configuration = RenderConfiguration(
      profile: ProfileRendering(
        profile: Self.actuators[0].profile, fullScaleVolts: 3, rate: .standard,
        transientLength: TransientShape.standard.length))
    let pattern = HapticPattern(events: [
      continuous(at: 0, for: 0.2, intensity: 1, sharpness: 0.9),
      continuous(at: 0.05, for: 0.1, intensity: 1, sharpness: 0.2),
    ])
    var renderer = HapticRenderer(
      timeline: Timeline(pattern, configuration: configuration), configuration: configuration)
    var drive = [Float](repeating: 0, count: renderer.frameCount)
    var span = drive.mutableSpan
    renderer.render(haptic: &span)
    let atPeak = drive.count { abs($0) >= 1 }
    #expect(atPeak > 0 && renderer.heldFrames == atPeak)
    #expect(renderer.limitedFrames == 0)
  }

  @Test func `silence stays silence`() {
    let configuration = RenderConfiguration(
      profile: ProfileRendering(
        profile: Self.actuators[0].profile, fullScaleVolts: 30, rate: .standard,
        transientLength: TransientShape.standard.length))
    let pattern = HapticPattern(events: [continuous(at: 0, for: 0.1, intensity: 0)])
    #expect(Rendered.drive(pattern, configuration).allSatisfy { $0 == 0 })
  }
}
