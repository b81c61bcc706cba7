import Devices
private import Glibc
import SignalAnalysis
import Units

/// The standard uncertainty of levels in the felt band: the sensor's certificate and the noise.
struct LevelUncertainty {
  /// The noise in the band, RMS.
  let sigma: Double
  private let relative: Double
  /// Independent samples of the band in the stretch: twice bandwidth times time.
  private let independent: Double
  /// About how many crests compete to be the highest: two a period at 200 Hz.
  private let crests: Double

  init(rig: RigDescription, sigma: Double, seconds: Double, gain: Double = 0) {
    self.sigma = sigma
    let sensor = rig.capture.channel(.acceleration)?.sensor?.relativeUncertainty ?? 0
    relative = (sensor * sensor + gain * gain).squareRoot()
    let band = FeltBand.filter.band
    independent = max(1, 2 * (band.upperBound - band.lowerBound) * seconds)
    crests = max(1, 2 * 200 * seconds)
  }

  /// Of a response that was fitted, so that it holds no noise but is as unsure as its gain.
  init(rig: RigDescription, gain: Double, seconds: Double) {
    self.init(rig: rig, sigma: 0, seconds: seconds, gain: gain)
  }

  /// Whether an effective value stands out of the noise: by three deviations of the noise's own power.
  func isResponse(_ rms: Double) -> Bool {
    let noise = sigma * sigma
    return rms * rms - noise > 3 * noise * (2 / independent).squareRoot()
  }

  /// An effective value with the noise's share taken off.
  func withoutNoise(_ rms: Double) -> Double {
    max(0, rms * rms - sigma * sigma).squareRoot()
  }

  /// Of an effective value v: noise of power s^2 gives its square a variance of (4 v^2 s^2 + 2 s^4) / n.
  func rms(_ value: Double) -> Double {
    guard value > 0 else { return sigma }
    let noise = sigma * sigma
    let variance = (4 * value * value * noise + 2 * noise * noise) / independent
    let own = variance.squareRoot() / (2 * value)
    return (relative * relative * value * value + own * own).squareRoot()
  }

  /// Of a power v^2, the sensor's sensitivity apart.
  func power(_ value: Double) -> Double {
    let noise = sigma * sigma
    return ((4 * value * noise + 2 * noise * noise) / independent).squareRoot()
  }

  /// Of a crest whose place the noise did not choose.
  func crest(_ crest: Estimate) -> Double {
    let own = relative * crest.value
    return (own * own + crest.uncertainty * crest.uncertainty).squareRoot()
  }

  /// Of the highest of n crests, each with the noise's own: the noise lifts it by up to s sqrt(2 ln n).
  func peak(_ value: Double) -> Double {
    let lift = max(1, 2 * log(crests))
    return (relative * relative * value * value + sigma * sigma * lift).squareRoot()
  }
}
