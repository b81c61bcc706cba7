// SPDX-License-Identifier: Apache-2.0

import Glibc
import SeededRandom
import SignalAnalysis
import Testing
import Units

/// Hum of known frequency, amplitude and phase in white noise, quiet at both ends.
struct MainsHumTests {
  private static let rate = SampleRate(hertz: 8_000)
  private static let sigma = 0.006
  private static let start = 0..<rate.wholeFrames(0.29)
  private static let end = rate.wholeFrames(2.7)..<rate.wholeFrames(3.2)
  private static let count = rate.wholeFrames(3.2)

  private func find(
    _ samples: [Float], start: Range<Int> = Self.start, end: Range<Int>? = Self.end
  ) -> MainsHum? {
    func stretch(_ frames: Range<Int>) -> MainsHum.Stretch {
      MainsHum.Stretch(first: frames.lowerBound, samples: Array(samples[frames]))
    }
    return MainsHum.find(start: stretch(start), end: end.map(stretch), rate: Self.rate)
  }

  /// What is left of the hum between the ends, rms.
  private func left(of hum: MainsHum, _ truth: [Double]) -> Double {
    var samples = floats(truth)
    hum.remove(from: &samples, first: 0)
    return rms(samples[Self.start.upperBound..<Self.end.lowerBound].map(Double.init))
  }

  @Test(arguments: [49.93, 50.31, 60.04, 59.6])
  func `steady hum is found within its uncertainty, and less is left than is said`(
    frequency: Double
  ) throws {
    var (frequencies, amplitudes, lefts, trials) = (0, 0, 0, 0)
    var (said, found) = (0.0, 0.0)
    for seed in UInt64(1)...100 {
      var noise = Noise(seed: seed)
      var mains = Mains(frequency: frequency)
      mains.lines = [
        1: (noise.uniform(0.02...0.5), noise.uniform(-3...3)),
        3: (noise.uniform(0.005...0.1), noise.uniform(-3...3)),
      ]
      let truth = mains.samples(Self.count, rate: Self.rate, &noise)
      let samples = noise.added(to: truth.map { $0 + 9.8 }, sigma: Self.sigma)
      let hum = try #require(find(samples), "seed \(seed)")
      #expect(hum.isSteady, "seed \(seed): \(hum)")
      #expect(abs(hum.frequency.value - frequency) < 5 * hum.frequency.uncertainty, "seed \(seed)")
      if abs(hum.frequency.value - frequency) < 2 * hum.frequency.uncertainty { frequencies += 1 }
      for line in hum.lines where mains.lines[line.order] != nil {
        let off = abs(line.amplitude.value - (mains.lines[line.order]?.amplitude ?? 0))
        #expect(off < 5 * line.amplitude.uncertainty, "seed \(seed): \(line)")
        trials += 1
        if off < 2 * line.amplitude.uncertainty { amplitudes += 1 }
      }
      #expect(hum.lines.contains { $0.order == 1 } && hum.lines.contains { $0.order == 3 })
      let rest = left(of: hum, truth)
      if rest < 2 * hum.left { lefts += 1 }
      said += hum.left * hum.left
      found += rest * rest
    }
    #expect(frequencies >= 88, "\(frequencies) of 100")
    #expect(amplitudes * 100 >= 88 * trials, "\(amplitudes) of \(trials)")
    #expect(
      lefts >= 95 && found < said, "\(lefts) of 100, \(found.squareRoot()) \(said.squareRoot())")
  }

  @Test func `without hum nothing is found in a thousand quiet takes`() {
    for seed in UInt64(1)...1_000 {
      var noise = Noise(seed: seed)
      let quiet = noise.added(to: [Double](repeating: 9.8, count: 4_200), sigma: Self.sigma)
      #expect(find(quiet, start: Self.start, end: 2_400..<4_200) == nil, "seed \(seed)")
    }
  }

  @Test(arguments: [(3e-3, 1e-3), (10e-3, 5e-3), (50e-3, 20e-3)])
  func `mains that drift are told as not steady, or less is left than is said`(
    frequency: Double, amplitude: Double
  ) throws {
    var (steady, held) = (0, 0)
    for seed in UInt64(1)...100 {
      var noise = Noise(seed: seed)
      let mains = Mains(walk: (frequency, amplitude))
      let truth = mains.samples(Self.count, rate: Self.rate, &noise)
      let samples = noise.added(to: truth, sigma: Self.sigma)
      let hum = try #require(find(samples), "seed \(seed)")
      guard hum.isTakenOff else { continue }
      steady += 1
      // Lines that stay where they are show in the quiet stretch, as any noise does.
      let stays = hum.lines.filter { !$0.isSteady }.reduce(0) {
        $0 + $1.amplitude.value * $1.amplitude.value / 2
      }
      let said = (4 * hum.left * hum.left + stays).squareRoot()
      if left(of: hum, truth) < said { held += 1 }
    }
    #expect(held * 100 >= 93 * steady, "\(held) of \(steady)")
    if frequency < 5e-3 { #expect(steady == 100) }
    if frequency > 20e-3 { #expect(steady <= 50, "\(steady) of 100") }
  }

  @Test func `hum that jumps by a fifth of a hertz is found and stays where it is`() throws {
    var noise = Noise(seed: 31)
    let before = Mains(frequency: 49.9).samples(Self.count, rate: Self.rate, &noise)
    let after = Mains(frequency: 50.1).samples(Self.count, rate: Self.rate, &noise)
    let truth = zip(before, after).enumerated().map { $0 < Self.count / 2 ? $1.0 : $1.1 }
    var samples = noise.added(to: truth, sigma: Self.sigma)
    let hum = try #require(find(samples))
    #expect(!hum.isSteady && !hum.isTakenOff)
    #expect(abs(hum.strongest.amplitude.value - 0.3) < 0.002)
    let raw = samples
    hum.remove(from: &samples, first: 0)
    #expect(samples == raw)
  }

  @Test(arguments: [44.0, 47.7, 48.9, 51.2, 53, 56.5, 58.6, 61.3, 75, 97, 103, 155, 235])
  func `a tone beside the mains and their harmonics is no hum`(frequency: Double) {
    for seed in UInt64(1)...8 {
      var noise = Noise(seed: seed)
      let mains = Mains(frequency: frequency, lines: [1: (0.3, noise.uniform(-3...3))])
      let truth = mains.samples(Self.count, rate: Self.rate, &noise)
      #expect(find(noise.added(to: truth, sigma: Self.sigma)) == nil, "seed \(seed)")
    }
  }

  /// The start is quiet; what is driven or rings afterwards is none of it.
  @Test func `an actuator that is driven and rings at the mains' multiples is no hum`() {
    var noise = Noise(seed: 33)
    for frequency in [50.0, 60, 100, 150, 180] {
      let driven = (0..<Self.count).map { frame -> Double in
        let time = Self.rate.seconds(Double(frame - Self.start.upperBound))
        guard time > 0 else { return 0 }
        return 10 * min(1, exp(-(time - 2.2) / 0.127)) * sin(2 * .pi * frequency * time)
      }
      #expect(find(noise.added(to: driven, sigma: Self.sigma)) == nil, "\(frequency) Hz")
    }
  }

  @Test(arguments: [0.02, 0.06, 0.127, 0.3])
  func `a blow that rings at a multiple of the mains is no hum`(decay: Double) {
    for seed in UInt64(1)...20 {
      var noise = Noise(seed: seed)
      let (blow, frequency) = (noise.uniform(0...0.1), seed % 2 == 0 ? 150.0 : 60.0)
      let ring = (0..<Self.count).map { frame -> Double in
        let time = Self.rate.seconds(Double(frame)) - blow
        return time < 0 ? 0 : 0.5 * exp(-time / decay) * sin(2 * .pi * frequency * time)
      }
      #expect(find(noise.added(to: ring, sigma: Self.sigma)) == nil, "seed \(seed)")
    }
  }

  @Test func `noise that rises to low frequencies is no hum`() {
    for seed in UInt64(1)...200 {
      var noise = Noise(seed: seed)
      var (slow, samples): (Double, [Float]) = (0, [])
      // A corner of 60 Hz, ten times above the white noise.
      for _ in 0..<Self.count {
        slow += 0.046 * (-slow + noise.gaussian())
        samples.append(Float(0.06 * slow + Self.sigma * noise.gaussian()))
      }
      #expect(find(samples) == nil, "seed \(seed)")
    }
  }

  @Test func `a stretch too short to tell the frequency tells no hum`() {
    var noise = Noise(seed: 35)
    let truth = Mains().samples(Self.count, rate: Self.rate, &noise)
    let samples = noise.added(to: truth, sigma: Self.sigma)
    #expect(find(samples, start: 0..<1_200) == nil)
    #expect(find(samples, start: 0..<1_400) != nil)
  }

  @Test func `an end that is not quiet is cut shorter, and without one hum is only told`() throws {
    var noise = Noise(seed: 36)
    let truth = Mains().samples(Self.count, rate: Self.rate, &noise)
    // A motor that coasts down through 50 Hz in the first part of the end.
    var turns = 0.0
    let coasting = (0..<Self.count).map { frame -> Double in
      let time = Self.rate.seconds(Double(frame - Self.end.lowerBound))
      guard time > 0 else { return 0 }
      let speed = 90 * exp(-time / 0.05)
      turns += speed / Self.rate.hertz
      return 2 * (speed / 90) * (speed / 90) * sin(2 * .pi * turns)
    }
    let samples = noise.added(to: zip(truth, coasting).map(+), sigma: Self.sigma)
    let hum = try #require(find(samples))
    #expect(hum.isSteady)
    #expect(left(of: hum, truth) < 2 * hum.left)
    for end in [nil, Self.end.lowerBound..<Self.end.lowerBound + 1_400] {
      let told = try #require(find(samples, end: end))
      #expect(!told.isTakenOff && abs(told.strongest.amplitude.value - 0.3) < 0.002)
    }
  }

  @Test func `what is taken off does not hang on how the samples are cut`() throws {
    var noise = Noise(seed: 37)
    let truth = Mains(frequency: 60.04).samples(Self.count, rate: Self.rate, &noise)
    let samples = noise.added(to: truth, sigma: Self.sigma)
    let hum = try #require(find(samples))
    var whole = samples
    hum.remove(from: &whole, first: 0)
    var part = Array(samples[7_777...])
    hum.remove(from: &part, first: 7_777)
    #expect(zip(whole[7_777...], part).allSatisfy { abs($0 - $1) < 1e-6 })
  }

  @Test func `it says what hums, how strongly, and whether it is taken off`() throws {
    var noise = Noise(seed: 38)
    let truth = Mains().samples(Self.count, rate: Self.rate, &noise)
    let samples = noise.added(to: truth, sigma: Self.sigma)
    let words =
      "the quiet of the take hums with 0.3 m/s2 at 49.93 Hz and 0.09 at 149.8 Hz: break the ground "
      + "loop or shield the cable"
    let steady = try #require(find(samples))
    let unit = MeasurementUnit.metrePerSecondSquared
    #expect(steady.sentence(about: "the quiet of the take", unit: unit) == words)
    let loose = try #require(find(samples, end: nil))
    #expect(
      loose.sentence(about: "the quiet of the take", unit: unit)
        == words + "; it is not steady or cannot be followed to the end, and is not taken off")
  }

  @Test func `it is the least squares of NumPy, and what a windowed transform shows`() throws {
    // References/mains_hum.py: both ends at once by numpy.linalg.lstsq, the frequency with the
    // least residual; and the peak of a Hann-windowed transform of the whole, by a parabola through
    // its logarithms.
    let samples = (0..<Self.count).map { frame -> Float in
      let (n, w) = (Double(frame), 2 * .pi * Double(frame) / Self.rate.hertz)
      return Float(
        9.8 + 0.3 * sin(49.93 * w + 0.4) + 0.09 * sin(149.79 * w - 1.1) + 0.02 * sin(0.7 * n * n))
    }
    let hum = try #require(find(samples))
    let first = hum.lines[0]
    #expect(hum.lines.map(\.order) == [1, 3])
    #expect(abs(hum.frequency.value - 49.929_852_41) < 0.2 * hum.frequency.uncertainty, "\(hum)")
    #expect(abs(first.amplitude.value - 0.300_034_7) < 1e-5, "\(hum)")
    #expect(abs(hum.lines[1].amplitude.value - 0.089_264_5) < 1e-5, "\(hum)")
    #expect(abs(first.left - 0.006_29) < 5e-5 && abs(hum.lines[1].left - 0.005_67) < 5e-5, "\(hum)")
    #expect(abs(hum.frequency.value - 49.930_105) < 0.002)
    #expect(abs(first.amplitude.value - 0.299_982) < 0.002)
  }

  @Test func `a hum that grows is seen, and is none to be followed`() throws {
    var random = SeededRandom(seed: 0x6872)
    let samples = (0..<Self.rate.wholeFrames(2)).map { frame -> Float in
      let time = Self.rate.seconds(Double(frame))
      let size = 0.2 + 0.2 * time
      return Float(size * sin(2 * .pi * 50.02 * time) + 0.01 * random.gaussian())
    }
    #expect(
      MainsHum.find(start: .init(first: 0, samples: samples), end: nil, rate: Self.rate) == nil)
    let seen = try #require(MainsHum.strongest(in: samples, rate: Self.rate))
    #expect(abs(seen.frequency - 50.02) < 0.05 && abs(seen.amplitude.value - 0.4) < 0.02, "\(seen)")
    let quiet = samples.map { _ in Float(0.01 * random.gaussian()) }
    #expect(MainsHum.strongest(in: quiet, rate: Self.rate) == nil)
  }
}
