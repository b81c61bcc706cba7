// SPDX-License-Identifier: Apache-2.0

import Glibc
import Profiles
import Testing

/// A spring that is not linear, against an oscillator that is integrated.
struct SpringTests {
  /// y'' + y' w0/Q + w0^2 (1 + h y^2) y = volts / gain; y'' is what is felt.
  private struct Oscillator {
    let w0: Double
    let q: Double
    let spring: Double
    let gain: Double
    var y = 0.0
    var v = 0.0

    private func force(_ y: Double, _ v: Double, _ volts: Double) -> Double {
      volts / gain - w0 / q * v - w0 * w0 * (1 + spring * y * y) * y
    }

    /// A step of Runge and Kutta; the acceleration at its beginning.
    mutating func step(_ volts: Double, length: Double) -> Double {
      let a = force(y, v, volts)
      let b = force(y + length / 2 * v, v + length / 2 * a, volts)
      let c = force(y + length / 2 * (v + length / 2 * a), v + length / 2 * b, volts)
      let d = force(y + length * (v + length / 2 * b), v + length * c, volts)
      y += length * v + length * length / 6 * (a + b + c)
      v += length / 6 * (a + 2 * b + 2 * c + d)
      return a
    }
  }

  private static let f0 = 150.0
  private static let gain = 5.0
  private static let rate = 48_000.0

  private func inverse(q: Double, spring: Double?) throws -> FeedForward {
    let model = SampleProfiles.model([SampleProfiles.mode(Self.f0, q, gain: Self.gain)])
    var inverse = try #require(FeedForward(inverting: model))
    inverse.spring = spring.map { SampleProfiles.quantity($0, .perSquareMetre) }
    return inverse
  }

  /// What an oscillator of the given spring does behind an inverse, frame by frame.
  private func answer(
    to wanted: [Double], _ inverse: FeedForward, q: Double, spring: Double, peak: Double = 1e9
  ) -> (moved: [Double], volts: [Double]) {
    var filter = FeedForwardFilter(inverse, rate: Self.rate, peakVolts: peak)
    var oscillator = Oscillator(
      w0: 2 * .pi * Self.f0, q: q, spring: spring, gain: q / Self.gain)
    var volts: [Double] = []
    let moved = wanted.map { sample in
      volts.append(Double(filter.advance(Float(sample))))
      let last = volts.count > 1 ? volts[volts.count - 2] : 0
      let first = oscillator.step((3 * last + volts[volts.count - 1]) / 4, length: 0.5 / Self.rate)
      _ = oscillator.step((last + 3 * volts[volts.count - 1]) / 4, length: 0.5 / Self.rate)
      return first
    }
    return (moved, volts)
  }

  /// The h at which a vibration of the resonance, in m/s2, changes the spring by a share.
  private func spring(share: Double, at acceleration: Double) -> Double {
    let w = 2 * Double.pi * Self.f0
    let travel = acceleration / (w * w)
    return share / (travel * travel)
  }

  /// A tone that glides from 130 to 170 Hz while it rises and falls.
  private func glide(_ acceleration: Double, length: Double) -> [Double] {
    let count = Int(length * Self.rate)
    return (0..<count).map { frame in
      let time = Double(frame) / Self.rate
      let turns = 130 * time + 20 * time * time / length
      return acceleration * sin(.pi * time / length) * sin(2 * .pi * turns)
    }
  }

  /// The greatest of how far levels of 10 ms are off, in dB, where at least half is wanted.
  private func furthest(_ moved: [Double], from wanted: [Double]) -> Double {
    let size = Int(0.01 * Self.rate)
    func level(_ samples: [Double], _ first: Int) -> Double {
      samples[first..<first + size].reduce(0) { $0 + $1 * $1 }
    }
    let starts = stride(from: 0, to: wanted.count - size, by: size)
    let most = starts.map { level(wanted, $0) }.max() ?? 0
    return starts.filter { level(wanted, $0) > most / 4 }.map {
      abs(10 * log10(level(moved, $0) / level(wanted, $0)))
    }.max() ?? .infinity
  }

  @Test(arguments: [0.1, -0.1], [20.0, 60])
  func `a glide through a resonance that its spring moves comes out as asked`(
    share: Double, q: Double
  ) throws {
    let wanted = glide(8, length: 0.2)
    let spring = spring(share: share, at: 8)
    let known = try inverse(q: q, spring: spring)
    let found = furthest(answer(to: wanted, known, q: q, spring: spring).moved, from: wanted)
    #expect(found < 0.2, "\(found) dB")
    let linear = try inverse(q: q, spring: nil)
    let without = furthest(answer(to: wanted, linear, q: q, spring: spring).moved, from: wanted)
    #expect(without > 1, "\(without) dB")
    // An h that is 3 % off.
    let near = try inverse(q: q, spring: 1.03 * spring)
    #expect(furthest(answer(to: wanted, near, q: q, spring: spring).moved, from: wanted) < 1)
  }

  @Test(arguments: [0.1, -0.1])
  func `a tone stands up to the limit that the spring sets, and runs away above`(
    share: Double
  ) throws {
    let spring = spring(share: share, at: 8)
    // The inverse's Q is 2 % off.
    let inverse = try inverse(q: 59, spring: spring)
    let frequency = share > 0 ? 158.0 : 142
    let limit = inverse.steadyLimit(at: frequency)
    #expect(limit > 3 && limit < 8, "\(limit)")
    func error(_ acceleration: Double) -> Double {
      let wanted = (0..<Int(2 * Self.rate)).map { frame in
        let time = Double(frame) / Self.rate
        return acceleration * min(1, time / 0.1) * sin(2 * .pi * frequency * time)
      }
      let moved = answer(to: wanted, inverse, q: 60, spring: spring).moved
      return furthest(Array(moved.suffix(9600)), from: Array(wanted.suffix(9600)))
    }
    #expect(error(limit) < 1, "\(error(limit))")
    #expect(error(1.3 * limit) > 2, "\(error(1.3 * limit))")
    #expect(try self.inverse(q: 60, spring: nil).steadyLimit(at: frequency) == .infinity)
  }

  @Test func `volts of a steady tone are those that the filter gives`() throws {
    let inverse = try inverse(q: 30, spring: spring(share: 0.08, at: 8))
    for frequency in [120.0, 140, 150, 160, 220] {
      var filter = FeedForwardFilter(inverse, rate: Self.rate, peakVolts: 1e9)
      let volts = (0..<Int(Self.rate)).map { frame in
        Double(filter.advance(Float(8 * sin(2 * .pi * frequency * Double(frame) / Self.rate))))
      }
      // The fundamental, over the last tenth.
      let (first, count) = (volts.count * 9 / 10, volts.count / 10)
      var (real, imaginary) = (0.0, 0.0)
      for frame in first..<volts.count {
        let turn = 2 * .pi * frequency * Double(frame) / Self.rate
        real += 2 / Double(count) * volts[frame] * cos(turn)
        imaginary += 2 / Double(count) * volts[frame] * sin(turn)
      }
      let told = inverse.volts(of: 8, at: frequency)
      #expect(abs(hypot(real, imaginary) / told - 1) < 0.02, "\(told) V at \(frequency) Hz")
    }
  }

  @Test(arguments: [0.3, -0.3, -100])
  func `whatever is asked, a spring's voltage stays within the peak and ends`(share: Double) throws
  {
    let q = 60.0
    let inverse = try inverse(q: q, spring: spring(share: share, at: 8))
    var filter = FeedForwardFilter(inverse, rate: Self.rate, peakVolts: 5)
    // A hundred times what the spring was measured at, cut off at once.
    var highest: Float = 0
    for frame in 0..<Int(Self.rate) {
      let time = Double(frame) / Self.rate
      let wanted = time < 0.5 ? 800 * sin(2 * .pi * 150 * time) : 0
      highest = max(highest, abs(filter.advance(Float(wanted))))
    }
    #expect(highest <= 5)
    var rest: Float = 0
    for _ in 0..<Int(Self.rate) { rest = max(rest, abs(filter.advance(0))) }
    #expect(rest < 0.05, "\(rest) V")
  }

  @Test(arguments: [0.06, -0.06])
  func `a tap that the peak holds back ends as its curve says`(share: Double) throws {
    let (q, peak) = (30.0, 12.0)
    let spring = spring(share: share, at: 8)
    let inverse = try inverse(q: q, spring: spring)
    let shape = TapShape(length: 22e-3)
    let curve = inverse.tapCurve(frequency: 150, shape: shape, peakVolts: peak)
    let asked = curve.asked[curve.asked.count - 1]
    let wanted = (0..<4800).map {
      asked * shape.value(at: Double($0) / Self.rate, frequency: 150)
    }
    let (moved, volts) = answer(to: wanted, inverse, q: q, spring: spring, peak: peak)
    #expect((volts.map(abs).max() ?? 0) > 0.999 * peak)
    let energy = moved.reduce(0) { $0 + $1 * $1 }
    let ideal = wanted.reduce(0) { $0 + $1 * $1 } / (asked * asked)
    let given = curve.given[curve.given.count - 1]
    let byEnergy = (energy / ideal).squareRoot()
    #expect(abs(20 * log10(byEnergy / given)) < 1, "\(byEnergy), \(given)")
    let ring = moved.dropFirst(Int(0.022 * Self.rate)).reduce(0) { $0 + $1 * $1 }
    #expect(ring < 0.05 * energy, "\(ring / energy)")
  }

  @Test func `a spring is a key of its own, and none where there is none`() throws {
    var profile = try SampleProfiles.lra(q: 60)
    #expect(!profile.text.contains("spring"))
    let before = profile.text
    profile.feedForward.spring = MeasuredQuantity(-3.5e8, .perSquareMetre, uncertainty: 1e7)
    let text = profile.text
    let back = try CalibrationProfile(parsing: Array(text.utf8))
    #expect(back == profile)
    #expect(back.text == text)
    profile.feedForward.spring = nil
    #expect(profile.text == before)
    var two = try SampleProfiles.tone(
      modes: [SampleProfiles.mode(160, 8, gain: 3.3), SampleProfiles.mode(320, 8, gain: 2.8)])
    two.feedForward.spring = MeasuredQuantity(1e8, .perSquareMetre, uncertainty: 1e7)
    for wrong in [
      two.text, text.replacing("-350000000", with: "0"), text.replacing("1/m2", with: "1/m"),
      text.replacing("\"uncertainty\": 10000000", with: "\"uncertainty\": 1000000000"),
    ] {
      #expect(throws: ProfileError.self) { try CalibrationProfile(parsing: Array(wrong.utf8)) }
    }
  }
}
