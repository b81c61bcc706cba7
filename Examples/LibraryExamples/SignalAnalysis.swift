// SPDX-License-Identifier: Apache-2.0

import SignalAnalysis
import Units

func signalAnalysis() throws {
  let marker = Sweep.marker.samples(at: .standard)
  // The marker, half as strong, 1000.25 frames late: between two samples.
  var recording = [Float](repeating: 0, count: 10_000)
  for frame in recording.indices {
    let seconds = (Double(frame) - 1_000.25) / SampleRate.standard.hertz
    if (0...Sweep.marker.duration).contains(seconds) {
      recording[frame] = Float(0.5 * Sweep.marker.value(at: seconds))
    }
  }

  let found = try DelayEstimator(template: marker).estimate(in: recording)
  print("delay: \((found.delay * 1_000).rounded() / 1_000) frames")
  print("gain: \((found.gain * 1_000).rounded() / 1_000)")
  print("polarity is turned:", found.gain < 0)
}
