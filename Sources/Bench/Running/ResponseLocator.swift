// SPDX-License-Identifier: Apache-2.0

import Devices
import SignalAnalysis
import Units

package enum ResponseLocator {
  /// The frames to skip so that frame 0 of the response stands for frame 0 of the stimulus.
  ///
  /// A recorder that ran with the player keeps its true delay: nothing is skipped. One that was
  /// started by hand is lined up by the first marker on the reference, or by the drive itself where
  /// there is none; the electrical latency is then arbitrary, and `isArbitrary` says so.
  package struct Location: Sendable, Equatable {
    package let skip: Int
    /// Whether the delay that remains was set here and is no measurement.
    package let isArbitrary: Bool
  }

  /// Looks for the first take in the reference channel, or in the acceleration where there is none.
  package static func locate(
    _ take: TakeDrive, in samples: [Float], isReference: Bool
  ) throws(InputError) -> Location {
    let rate = take.rate
    let layout = take.layout
    let template: [Double]
    let first: Int
    if isReference {
      template = Sweep.marker.samples(at: rate)
      first = layout.startMarker
    } else {
      let start = layout.probe ?? layout.pattern
      let end =
        layout.probe.map { $0 + layout.probeLength } ?? layout.pattern + layout.patternLength
      template = (take.channels[.haptic]?[start..<end] ?? []).map(Double.init)
      first = start
    }
    let found = try earliest(template, in: samples, limit: layout.frameCount, rate: rate)
    let lag = Int(found.delay.rounded()) - first
    if (-rate.wholeFrames(0.005)...rate.wholeFrames(TakeLayout.longestDelay)).contains(lag) {
      return Location(skip: 0, isArbitrary: false)
    }
    let skip = lag - rate.wholeFrames(0.01)
    guard skip >= 0 else {
      throw InputError(
        "the response begins \(EngineeringFormat.text(-Double(lag) / rate.hertz, .second)) after "
          + "the stimulus: start the recorder before the player")
    }
    if isReference {
      try expectPartner(of: found, template, in: samples, layout: layout, rate: rate)
    }
    return Location(skip: skip, isArbitrary: true)
  }

  private static func earliest(
    _ template: [Double], in samples: [Float], limit: Int, rate: SampleRate
  ) throws(InputError) -> DelayEstimate {
    let estimator = DelayEstimator(template: template)
    // A minute is as long as a person takes between starting recorder and player.
    let last = min(samples.count, limit + rate.wholeFrames(60)) - template.count
    // Two markers stand further apart than one step, and two takes further than their template.
    let step = max(rate.wholeFrames(0.25), template.count)
    let overlap = rate.wholeFrames(0.02)
    var reason = "the response is shorter than what is looked for"
    for first in stride(from: 0, through: max(0, last), by: step) {
      do throws(DelayError) {
        let rough = try estimator.estimate(in: samples, lags: first...(first + step + overlap))
        // Near the end of a step the top of the correlation may lie just beyond it.
        let lag = Int(rough.delay.rounded())
        return try estimator.estimate(
          in: samples, lags: max(0, lag - 2 * overlap)...(lag + 2 * overlap))
      } catch {
        reason = error.description
      }
    }
    throw InputError(
      "the stimulus was not found in the response: \(reason): "
        + "check that the recording belongs to this plan and rig")
  }

  /// Checks that the marker that was found is a first one: its partner follows.
  private static func expectPartner(
    of found: DelayEstimate, _ marker: [Double], in samples: [Float], layout: TakeLayout,
    rate: SampleRate
  ) throws(InputError) {
    let due = Int(found.delay.rounded()) + layout.endMarker - layout.startMarker
    // A millisecond, and what clocks of 0.1 % make of the way between.
    let slack = rate.wholeFrames(0.001) + (layout.endMarker - layout.startMarker) / 1000
    do throws(DelayError) {
      _ = try DelayEstimator(template: marker).estimate(
        in: samples, lags: (due - slack)...(due + slack))
    } catch {
      throw InputError(
        "the response lacks the beginning or the end of the first take: start the recorder before "
          + "the player, and stop it after")
    }
  }
}
