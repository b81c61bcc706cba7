// SPDX-License-Identifier: Apache-2.0

import Glibc
import SignalAnalysis
import Units

/// Hum of the mains as a sensor shows it, steady or with a frequency and an amplitude that walk at
/// random.
struct Mains {
  var frequency = 49.93
  /// The peak amplitude and the phase in radians by order.
  var lines: [Int: (amplitude: Double, phase: Double)] = [1: (0.3, 0.4), 3: (0.09, -1.1)]
  /// What the frequency in hertz, and the amplitude as a share, walk by every half second, one
  /// standard deviation.
  var walk = (frequency: 0.0, amplitude: 0.0)

  /// The hum frame by frame; the walk goes straight from knot to knot.
  func samples(_ count: Int, rate: SampleRate, _ random: inout Noise) -> [Double] {
    let knots = Int(2 * rate.seconds(Double(count))) + 2
    var (frequencies, shares) = ([frequency], [1.0])
    for _ in 0..<knots {
      frequencies.append(frequencies[frequencies.count - 1] + walk.frequency * random.gaussian())
      shares.append(shares[shares.count - 1] + walk.amplitude * random.gaussian())
    }
    let orders = lines.sorted { $0.key < $1.key }
    var turns = 0.0
    return (0..<count).map { frame in
      let place = 2 * rate.seconds(Double(frame))
      let (knot, part) = (Int(place), place - place.rounded(.down))
      func at(_ values: [Double]) -> Double {
        values[knot] + part * (values[knot + 1] - values[knot])
      }
      let value = orders.reduce(0.0) {
        $0 + $1.value.amplitude * sin(2 * .pi * Double($1.key) * turns + $1.value.phase)
      }
      turns += at(frequencies) / rate.hertz
      return at(shares) * value
    }
  }
}
