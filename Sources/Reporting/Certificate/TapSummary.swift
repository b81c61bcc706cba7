import Calibration
private import Glibc
import Profiles

/// What the taps of a calibration come to.
struct TapSummary {
  struct Tap {
    let intensity: Double
    let sharpness: Double
    /// What was asked for, and what mapping made of it; nil where it is not known.
    var asked: CalibrationFigures.Tap.Asked?
    /// The measured peak in m/s2: the greatest size of the waveform from 10 to 3,000 Hz.
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
