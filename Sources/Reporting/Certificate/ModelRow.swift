// SPDX-License-Identifier: Apache-2.0

import Calibration
private import Glibc
import Profiles
import Units

/// One number of the fitted model under the names that people know it by.
struct ModelRow {
  let symbol: String
  let name: String
  let quantity: MeasuredQuantity

  /// The name in plain words, with the symbol that people know it by.
  var words: String {
    let plain = name.prefix { $0 != "," }.lowercased()
    return plain.hasPrefix(symbol) ? plain : "\(plain) (\(symbol))"
  }

  static func all(of profile: CalibrationProfile) -> [ModelRow] {
    let model = profile.model
    var rows: [ModelRow] = []
    func add(_ symbol: String, _ name: String, _ quantity: MeasuredQuantity?) {
      guard let quantity else { return }
      rows.append(ModelRow(symbol: symbol, name: name, quantity: quantity))
    }
    for (index, mode) in model.modes.enumerated() {
      let suffix = model.modes.count > 1 ? " \(index + 1)" : ""
      let words = model.modes.count > 1 ? ", mode \(index + 1)" : ""
      add("f0\(suffix)", "Resonance\(words)", mode.f0)
      add("Q\(suffix)", "Quality factor\(words)", mode.q)
      add("gain\(suffix)", "Gain at resonance\(words)", mode.gain)
    }
    let reference = Shown.number(ActuatorModel.piezoReference)
    add("gain", "Gain at \(reference) Hz, growing with f²", model.piezoGain)
    add("spin-up", "Time constant of the speed", profile.motorCurve?.spinUpTime)
    add("delay", "Delay after the reference", model.delay)
    add("R", "Resistance", model.resistance)
    add("L", "Inductance", model.inductance)
    return rows
  }
}

/// A measured quantity in the digits that are known of it.
struct QuantityText {
  let value: String
  let standard: String
  /// The expanded uncertainty, k = 2.
  let expanded: String
  let relative: String
  /// The unit, as a terminal shows it; empty for a bare number.
  let unit: String

  init(_ quantity: MeasuredQuantity) {
    let size = max(abs(quantity.value), quantity.uncertainty.isFinite ? quantity.uncertainty : 0)
    let scale: Double
    switch quantity.unit {
    case .second where size < 1e-3: (scale, unit) = (1e6, "us")
    case .second where size < 1: (scale, unit) = (1e3, "ms")
    case .henry where size < 1: (scale, unit) = (1e3, "mH")
    case .one: (scale, unit) = (1, "")
    default: (scale, unit) = (1, quantity.unit.rawValue)
    }
    let (shown, spread) = (quantity.value * scale, quantity.uncertainty * scale)
    guard spread.isFinite, spread > 0, shown.isFinite else {
      value = Shown.number(shown)
      standard = spread == 0 ? "0" : Shown.notKnown
      (expanded, relative) = (standard, spread == 0 ? "0 %" : Shown.notKnown)
      return
    }
    let parts = EngineeringFormat.text(shown, .one, uncertainty: spread).split(separator: " ± ")
    value = parts.first.map(String.init) ?? Shown.number(shown)
    standard = parts.last.map(String.init) ?? Shown.number(spread)
    let decimals = standard.split(separator: ".").dropFirst().first?.count ?? 0
    // Not less than one of its last digit, which is the value's too.
    let last = (0..<decimals).reduce(1.0) { step, _ in step / 10 }
    expanded = EngineeringFormat.fixed(max(2 * spread, last), decimals)
    relative = shown == 0 ? Shown.notKnown : Shown.percent(2 * spread / abs(shown))
  }

  var line: String {
    let suffix = unit.isEmpty ? "" : " \(unit)"
    return expanded == Shown.notKnown
      ? "\(value)\(suffix), uncertainty not known" : "\(value) ± \(expanded)\(suffix)"
  }

  var typesetUnit: String { unit.replacing("us", with: "µs").replacing("s2", with: "s²") }
}

struct TapSummary {
  struct Tap {
    let intensity: Double
    let sharpness: Double
    var asked: CalibrationFigures.Tap.Asked?
    /// The measured peak in m/s2: the greatest size of the waveform from 10 Hz to 2.5 kHz.
    let peak: Double?
    /// Measured peak over wanted peak, less one.
    let peakError: Double?
    /// Measured energy over wanted energy, in dB.
    let energyError: Double?
    /// The integral of the squared acceleration, in m2/s3.
    let energy: Double?
    /// From the intended end until it stays 20 dB below its peak, in seconds.
    let tail: Double?
    let pulseToRing: Double?
  }

  let taps: [Tap]

  /// Takes the taps from the figures, which know what could not be told, else from the profile.
  init(profile: CalibrationProfile, figures: CalibrationFigures) {
    guard figures.taps.isEmpty else {
      taps = figures.taps.map(Tap.init)
      return
    }
    taps = (profile.verification?.taps ?? []).map { tap in
      Tap(
        intensity: tap.intensity, sharpness: tap.sharpness, peak: tap.peak, peakError: nil,
        energyError: nil, energy: nil, tail: tap.tail, pulseToRing: tap.pulseToRing)
    }
  }

  /// The longest tail; nil where there is a tap whose tail could not be told.
  var longestTail: Double? {
    let tails = taps.compactMap(\.tail)
    return tails.count == taps.count ? tails.max() : nil
  }

  /// The least of those that have a ring above the noise.
  var leastPulseToRing: Double? { taps.compactMap(\.pulseToRing).min() }
  var greatestPeakError: Double? { taps.compactMap { $0.peakError.map(abs) }.max() }
  var greatestEnergyError: Double? { taps.compactMap { $0.energyError.map(abs) }.max() }
}

extension TapSummary.Tap {
  fileprivate init(_ tap: CalibrationFigures.Tap) {
    func peak(_ values: [Double]) -> Double { values.map(abs).max() ?? 0 }
    func sum(_ values: [Double]) -> Double { values.reduce(0) { $0 + $1 * $1 } }
    let (wanted, measured) = (peak(tap.wanted), peak(tap.measured))
    let length = (tap.time.last ?? 0) - (tap.time.first ?? 0)
    let step = tap.time.count > 1 ? length / Double(tap.time.count - 1) : 0
    let energy = sum(tap.measured) - Double(tap.measured.count) * tap.noise * tap.noise
    let isComparable =
      wanted > 0 && measured > 0 && tap.noise <= CalibrationFigures.Tap.highestNoise * wanted
    self.init(
      intensity: tap.intensity, sharpness: tap.sharpness, asked: tap.asked,
      peak: tap.measured.isEmpty ? nil : measured,
      peakError: isComparable ? measured / wanted - 1 : nil,
      energyError: isComparable && energy > 0 ? 10 * log10(energy / sum(tap.wanted)) : nil,
      energy: tap.measured.isEmpty ? nil : energy * step, tail: tap.t20,
      pulseToRing: tap.pulseToRing)
  }
}
