// SPDX-License-Identifier: Apache-2.0

import Glibc
import SoundFiles
import Testing
import Units

struct ResamplerTests {
  @Test(arguments: [(44_100.0, 48_000.0), (48_000, 44_100), (8_000, 48_000), (96_000, 48_000)])
  func `a sine keeps frequency, amplitude and phase`(from: Double, to: Double) throws {
    let frequency = 231.7
    let signal = Signal(
      samples: (0..<Int(from)).map {
        Float(0.7 * sin(2 * .pi * frequency * Double($0) / from + 1))
      },
      rate: SampleRate(hertz: from), unit: .volt)
    let result = try Resampler.resample(signal, to: SampleRate(hertz: to))
    #expect(result.unit == .volt && result.rate.hertz == to)
    let count = result.samples.count
    // Away from the ends, where the signal was cut off.
    for frame in (count / 10)..<(9 * count / 10) {
      let expected = 0.7 * sin(2 * .pi * frequency * Double(frame) / to + 1)
      #expect(abs(Double(result.samples[frame]) - expected) < 1e-4, "frame \(frame)")
    }
  }

  @Test(arguments: [(44_100.0, 48_000.0), (48_000, 44_100), (48_000, 16_000)])
  func `an impulse stays at its time`(from: Double, to: Double) throws {
    var samples = [Float](repeating: 0, count: Int(from))
    let place = Int(from) / 2
    samples[place] = 1
    let result = try Resampler.resample(
      Signal(samples: samples, rate: SampleRate(hertz: from), unit: .one),
      to: SampleRate(hertz: to))
    // The centre of the square of the response.
    var (sum, moment) = (0.0, 0.0)
    for (frame, sample) in result.samples.enumerated() {
      let power = Double(sample) * Double(sample)
      sum += power
      moment += power * Double(frame)
    }
    let error = moment / sum / to - Double(place) / from
    #expect(abs(error) < 0.2e-6, "\(error) s")
  }

  @Test func `the length is the ratio, rounded`() throws {
    for count in [1, 2, 3, 7, 100, 441, 4_410, 4_411, 10_007] {
      for (from, to) in [(44_100.0, 48_000.0), (48_000, 44_100), (22_050, 48_000), (48_000, 8_000)]
      {
        let signal = Signal(
          samples: [Float](repeating: 0.5, count: count), rate: SampleRate(hertz: from), unit: .one)
        let result = try Resampler.resample(signal, to: SampleRate(hertz: to))
        #expect(result.samples.count == Int((Double(count) * to / from).rounded()))
      }
    }
  }

  @Test func `the same rate and no samples change nothing`() throws {
    let signal = Signal(samples: [1, 2, 3], rate: .standard, unit: .one)
    #expect(try Resampler.resample(signal, to: .standard) == signal)
    let nothing = Signal(samples: [], rate: SampleRate(hertz: 8_000), unit: .one)
    #expect(try Resampler.resample(nothing, to: .standard).samples.isEmpty)
  }

  @Test func `a tone above half of the lower rate is gone`() throws {
    let signal = tones([15_000], count: 48_000)[0]
    let result = try Resampler.resample(signal, to: SampleRate(hertz: 22_050))
    let top = result.samples[2_000..<20_000].map(abs).max() ?? 1
    #expect(top < 1e-4)
  }
}
