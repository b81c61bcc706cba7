private import Glibc
import SignalAnalysis

/// What a sweep says of an amplifier that clips.
///
/// Volts that are cut off hold a third harmonic of one size, whatever the frequency and however far the
/// actuator moves. Over the actuator's own response at three times the frequency it is the drive's. A
/// spring or a magnet that is not linear, and an end stop, have harmonics near the resonance alone, where
/// the mass moves far.
struct AmplifierClipping: Sendable, Equatable {
  /// The voltage at which it clips.
  let volts: Double
  /// The third harmonic over the fundamental.
  let thirdHarmonic: Double

  /// The least third harmonic that is taken for clipping.
  private static let least = 0.02
  /// How far from a resonance a harmonic is the drive's, in nepers.
  private static let distance = 0.3

  /// Reads a sweep of an actuator of known resonances in hertz; nil where nothing speaks of clipping.
  init?(_ response: SweepResponse, resonances: [Double]) {
    guard let third = response.harmonics.first(where: { $0.order == 3 })?.transfer else {
      return nil
    }
    let (low, high) = (1.05 * third.band.lowerBound / 3, third.band.upperBound / 3.05)
    guard low < high else { return nil }
    let shares = (0...32).compactMap { step -> Double? in
      let frequency = low * pow(high / low, Double(step) / 32)
      guard resonances.allSatisfy({ abs(log(frequency / $0)) > Self.distance }),
        let harmonic = third.magnitude(at: 3 * frequency),
        let linear = response.linear.magnitude(at: 3 * frequency),
        harmonic.relativeUncertainty < 0.15, linear.relativeUncertainty < 0.15
      else { return nil }
      return harmonic.value / linear.value
    }.sorted()
    guard shares.count >= 6 else { return nil }
    let (few, middle, most) = (
      shares[shares.count / 6], shares[shares.count / 2], shares[shares.count * 5 / 6]
    )
    guard middle > Self.least, most < 1.7 * few else { return nil }
    thirdHarmonic = middle
    volts = ClippedSine.share(ofThirdHarmonic: middle) * response.sweep.amplitude
  }
}
