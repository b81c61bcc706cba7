// SPDX-License-Identifier: Apache-2.0

import Glibc
import Profiles
import SeededRandom

@testable import Calibration

/// The curves of the sample calibrations.
enum SampleFigures {
  private static let frequencies = (0...160).map { 40 * pow(12, Double($0) / 160) }

  static func lra(of profile: CalibrationProfile) -> CalibrationFigures {
    var random = SeededRandom(seed: 5)
    var figures = CalibrationFigures()
    for (index, volts) in [0.21, 0.42, 0.88, 1.77, 3.54].enumerated() {
      let f0 = 150.37 * (1 + 2e-3 * volts)
      func response(_ frequency: Double) -> (magnitude: Double, phase: Double) {
        SampleCalibration.response(
          at: frequency, f0: f0, q: 10.12 * (1 - 0.01 * volts), gain: 7.318 * (1 - 0.012 * volts))
      }
      let label = "\(volts) V \(index.isMultiple(of: 2) ? "up" : "down")"
      figures.responses.append(
        .init(
          label: label, x: frequencies,
          y: frequencies.map { response($0).magnitude * (1 + random.uniform(-0.01...0.01)) }))
      figures.phases.append(
        .init(label: label, x: frequencies, y: frequencies.map { response($0).phase }))
      figures.distortion.append(
        .init(
          label: label, x: frequencies.filter { $0 < 240 },
          y: frequencies.filter { $0 < 240 }.map { _ in 0.008 * volts * random.uniform(0.5...1) }))
    }
    figures.model = .init(
      label: "model at small signal", x: frequencies,
      y: frequencies.map { SampleCalibration.response(at: $0).magnitude })
    figures.impulse = .init(
      label: "impulse response", x: (0..<7200).map { Double($0) / 48_000 },
      y: (0..<7200).map { index in
        let t = Double(index) / 48_000
        return exp(-t * .pi * 150.37 / 10.12) * cos(2 * .pi * 150 * t)
      })
    let levels = profile.model.levels
    figures.levels = [
      .init(label: "f0", x: levels.map(\.drive), y: levels.map(\.mode.f0.value)),
      .init(label: "Q", x: levels.map(\.drive), y: levels.map(\.mode.q.value)),
      .init(label: "gain", x: levels.map(\.drive), y: levels.map(\.mode.gain.value)),
    ]
    figures.noise = .init(
      label: "noise", x: (1...500).map { 4 * Double($0) },
      y: (1...500).map { _ in 7e-4 * random.uniform(0.6...1.4) })
    let points = profile.verification?.grid ?? []
    figures.grid = points.filter { !$0.isHeldOut }.map { point in
      .init(
        intensity: point.intensity, sharpness: point.sharpness, targetLevel: point.targetLevel,
        targetFrequency: point.targetFrequency,
        beforeLevel: point.targetLevel + 9
          - 0.004 * pow(point.targetFrequency - 150, 2), level: point.level,
        frequency: point.frequency, uncertainty: 0.05, mapped: !point.isInside)
    }
    figures.taps = [tap(1, 8), tap(0.5, 2.9)]
    return figures
  }

  private static func tap(_ intensity: Double, _ peak: Double) -> CalibrationFigures.Tap {
    let times = (0..<1920).map { Double($0) / 48_000 }
    func wanted(_ t: Double) -> Double {
      t < 0.0134 ? peak * sin(.pi * t / 0.0134) * sin(2 * .pi * 150 * t) : 0
    }
    func ring(_ t: Double) -> Double {
      t < 0.0134 ? 0 : 0.12 * peak * exp(-(t - 0.0134) / 0.006) * sin(2 * .pi * 150 * t)
    }
    return CalibrationFigures.Tap(
      intensity: intensity, sharpness: 0.6, time: times, wanted: times.map(wanted),
      measured: times.map { 0.97 * wanted($0) + ring($0) },
      volts: times.map { $0 < 0.016 ? 0.6 * wanted($0 + 0.0016) : 0 }, end: 0.0134,
      t20: intensity == 1 ? 0.0091 : 0.0161, pulseToRing: intensity == 1 ? 21.4 : nil)
  }

  static func erm(of profile: CalibrationProfile) -> CalibrationFigures {
    var figures = CalibrationFigures()
    let points = profile.motorCurve?.points ?? []
    figures.motor = [
      .init(label: "speed", x: points.map(\.volts), y: points.map(\.frequency)),
      .init(label: "acceleration", x: points.map(\.volts), y: points.map(\.acceleration)),
      .init(
        label: "spin-up", x: (0..<400).map { Double($0) / 1000 },
        y: (0..<400).map { 190 * (1 - exp(-Double($0) / 60.7)) }),
    ]
    return figures
  }
}
