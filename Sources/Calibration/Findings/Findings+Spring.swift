// SPDX-License-Identifier: Apache-2.0

import Perception
import SignalAnalysis

extension Findings {
  /// From how many standard deviations on a spring is not linear.
  private static let certain = 8.0
  /// The share of the resonance's half width by which the strongest vibration must move it to count.
  private static let telling = 1.0

  /// The h of the spring, in 1/m2, as all sweeps tell it; nil where it is none, or too little to matter.
  var spring: Estimate? {
    guard let found = foundSpring, let limit = resonance?.limit, resonance?.second == nil,
      abs(found.value) > Self.certain * found.uncertainty
    else { return nil }
    let f0 = limit.frequency.value
    let w = 2 * Double.pi * f0
    let travel = subject.target.acceleration(intensity: 1, frequency: f0) / (w * w)
    let moved = 0.375 * abs(found.value) * travel * travel
    return moved * 2 * limit.q.value > Self.telling ? found : nil
  }

  /// The mean over the sweeps, by what each knows; its uncertainty is grown by what they differ more.
  private var foundSpring: Estimate? {
    let all = sweeps.all.compactMap(\.spring).filter { $0.uncertainty > 0 }
    guard all.count > 1,
      let fit = LinearFit(
        rows: all.map { _ in [1] }, values: all.map(\.value), uncertainties: all.map(\.uncertainty))
    else { return nil }
    return Estimate(fit.parameters[0], uncertainty: fit.uncertainty(of: 0))
  }
}
