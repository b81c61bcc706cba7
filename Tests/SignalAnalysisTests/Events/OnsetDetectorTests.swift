// SPDX-License-Identifier: Apache-2.0

import Glibc
import SeededRandom
import SignalAnalysis
import Testing
import Units

struct OnsetDetectorTests {
  private let quiet = 2_000

  private func floor(_ sigma: Double, offset: Double = 0) -> NoiseFloor {
    NoiseFloor(
      offset: Estimate(offset, uncertainty: 0), sigma: Estimate(sigma, uncertainty: 0), count: 1_000
    )
  }

  /// The response of a plant to a tone that begins at frame `quiet`, at a multiple of the rate.
  private func burst(frequency: Double, q: Double, start: Double, oversampling: Int) -> [Double] {
    let plant = Plant(delay: 0, frequency: frequency, q: q, gain: 1)
    let rate = 48_000.0 * Double(oversampling)
    let motion = plant.respond(
      to: { $0 < start / 48_000 ? 0 : sin(2 * .pi * frequency * ($0 - start / 48_000)) },
      count: (quiet + 1_000) * oversampling, rate: rate, oversampling: max(1, 16 / oversampling))
    return motion.acceleration
  }

  @Test(arguments: [(65.0, 4.0), (170.0, 8.0), (240.0, 16.0)], [40.0, 30, 20])
  func `noise moves the onset by no more than is stated`(
    plant: (frequency: Double, q: Double), decibels: Double
  ) throws {
    let start = Double(quiet) + 0.37
    let clean = burst(frequency: plant.frequency, q: plant.q, start: start, oversampling: 1)
    let fine = burst(frequency: plant.frequency, q: plant.q, start: start, oversampling: 32)
    let sigma = rms(Array(clean[quiet...])) * pow(10, -decibels / 20)
    let level = 6 * sigma
    let over = try #require(fine.firstIndex { abs($0) > level })
    let step = abs(fine[over]) - abs(fine[over - 1])
    let truth = (Double(over - 1) + (level - abs(fine[over - 1])) / step) / 32

    var noise = Noise(seed: 51)
    var errors: [Double] = []
    var pulls: [Double] = []
    for _ in 0..<100 {
      let onset = try #require(
        OnsetDetector().first(
          in: noise.added(to: clean, sigma: sigma), frames: 0..<clean.count, noise: floor(sigma)))
      errors.append(onset.frame - truth)
      pulls.append((onset.frame - truth) / onset.uncertainty)
    }
    let bias = errors.reduce(0, +) / 100
    let context =
      "seed 51, \(plant), \(decibels) dB: bias \(bias), spread \(rms(errors)), pull \(rms(pulls))"
    #expect(rms(pulls) < 1.5, "\(context)")
    #expect(decibels < 40 || (rms(errors) < 1 && abs(bias) < 0.3), "\(context)")
  }

  @Test(arguments: UInt64(0)..<2_000)
  func `an onset lies among the frames that were looked at, whatever the samples`(seed: UInt64) {
    var random = SeededRandom(seed: 0xA0 + seed)
    // Noise of any colour about as strong as the threshold, and a ring that is too fast to be followed: the
    // smoothed signal and the samples disagree about where it passes.
    let (strength, colour) = (random.uniform(0.5...8), random.uniform(-0.95...0.95))
    let (ring, rate, decay) = (
      pow(10, random.uniform(0...4)), random.uniform(0.3...3.1), random.uniform(0...0.05)
    )
    let (begin, hasRing) = (random.integer(0...300), random.chance(0.7))
    var last = 0.0
    let samples = (0..<400).map { frame -> Float in
      last = colour * last + random.gaussian()
      let time = Double(frame - begin)
      let sound = hasRing && time >= 0 ? ring * exp(-decay * time) * sin(rate * time) : 0
      return Float(strength * last + sound)
    }
    let first = random.integer(0...200)
    let frames = first..<first + random.integer(30...200)
    let detector = OnsetDetector(threshold: 6)
    guard let onset = detector.first(in: samples, frames: frames, noise: floor(1)) else { return }
    let room = Double(2 * detector.reach)
    #expect(onset.frame >= Double(frames.lowerBound) - room, "seed \(seed): \(onset)")
    #expect(onset.frame <= Double(frames.upperBound) + room, "seed \(seed): \(onset)")
    #expect(onset.uncertainty > 0, "seed \(seed): \(onset)")
  }

  @Test(arguments: [24_000.0, 48_000, 96_000])
  func `a tap's front is timed at any rate as surely as is stated`(rate: Double) throws {
    // What a plant does at the first instant of a tone: a ramp that bends, 12 m/s2 a millisecond.
    let start = 1_000.37
    func height(_ frame: Double) -> Double {
      let time = (frame - start) / rate
      return time > 0 ? 12 * sin(2 * .pi * 160 * time) * exp(-time / 0.02) : 0
    }
    let count = 1_000 + Int(0.03 * rate)
    var noise = Noise(seed: 54)
    var pulls: [Double] = []
    for sigma in [0.01, 0.05, 0.2] {
      let level = 6 * sigma
      let time = asin(level / 12) / (2 * .pi * 160)
      // One step of Newton for the decay.
      let truth = start + rate * (time + level / 12 * time / 0.02 / (2 * .pi * 160))
      for _ in 0..<40 {
        let samples = noise.added(to: (0..<count).map { height(Double($0)) }, sigma: sigma)
        let onset = try #require(
          OnsetDetector(rate: SampleRate(hertz: rate)).first(
            in: samples, frames: 0..<count, noise: floor(sigma)))
        pulls.append((onset.frame - truth) / onset.uncertainty)
      }
    }
    let inside = pulls.count { abs($0) <= 2 }
    #expect(inside >= 112, "seed 54, \(rate) Hz: \(inside) of 120, pull \(rms(pulls))")
  }

  @Test func `a threshold that is not known well is passed less surely`() throws {
    let samples = (0..<500).map { Float(max(0, Double($0) - 300.25)) * 0.01 }
    let vague = NoiseFloor(
      offset: Estimate(0, uncertainty: 0.01), sigma: Estimate(0.05, uncertainty: 0.005), count: 50)
    let sure = try #require(
      OnsetDetector().first(in: samples, frames: 0..<500, noise: floor(0.05)))
    let onset = try #require(OnsetDetector().first(in: samples, frames: 0..<500, noise: vague))
    // 6 * 0.005 and 0.01 on a slope of 0.01 a frame.
    let more = (9 + 1.0).squareRoot()
    #expect(onset.uncertainty > more && onset.uncertainty < more + sure.uncertainty)
  }

  @Test func `without noise a straight rise is crossed exactly`() throws {
    let samples = (0..<500).map { Float(max(0, Double($0) - 300.25)) * 0.01 + 2 }
    let onset = try #require(
      OnsetDetector().first(in: samples, frames: 0..<500, noise: floor(0.05, offset: 2)))
    // 6 * 0.05 = 0.3 is reached 30 frames after 300.25.
    #expect(abs(onset.frame - 330.25) < 1e-3)
    #expect(abs(onset.slope - 0.01) < 1e-6)
    #expect(abs(onset.threshold - 0.3) < 1e-12)
  }

  @Test func `a fall is an onset with a negative slope`() throws {
    let samples = (0..<500).map { Float(-max(0, Double($0) - 300.25)) * 0.01 }
    let onset = try #require(
      OnsetDetector().first(in: samples, frames: 0..<500, noise: floor(0.05)))
    #expect(abs(onset.frame - 330.25) < 1e-3)
    #expect(abs(onset.slope + 0.01) < 1e-6)
  }

  @Test func `noise alone has no onset`() {
    var noise = Noise(seed: 52)
    let samples = noise.added(to: [Double](repeating: 0, count: 48_000), sigma: 1)
    #expect(OnsetDetector().first(in: samples, frames: 0..<48_000, noise: floor(1)) == nil)
  }

  @Test func `a click is no onset`() {
    var noise = Noise(seed: 53)
    var samples = noise.added(to: [Double](repeating: 0, count: 4_800), sigma: 1)
    samples[2_000] = 30
    #expect(OnsetDetector().first(in: samples, frames: 0..<4_800, noise: floor(1)) == nil)
  }

  @Test func `where noise decides which wave passes first the uncertainty spans both`() throws {
    // Two bumps, the first of which ends a hair above the threshold of 0.6.
    let samples = (0..<1_000).map { frame -> Float in
      let (a, b) = (Double(frame - 300) / 30, Double(frame - 600) / 30)
      return Float(0.61 * exp(-a * a) + 2 * exp(-b * b))
    }
    let onset = try #require(
      OnsetDetector().first(in: samples, frames: 0..<1_000, noise: floor(0.1)))
    #expect(onset.frame < 310)
    #expect(onset.uncertainty > 100)
  }

  @Test func `a range that begins beyond the threshold has no onset`() {
    let samples = [Float](repeating: 1, count: 100)
    #expect(OnsetDetector().first(in: samples, frames: 10..<100, noise: floor(0.01)) == nil)
  }

  @Test func `only the range asked for is searched`() throws {
    var samples = [Float](repeating: 0, count: 1_000)
    for frame in 100..<200 { samples[frame] = 1 }
    for frame in 600..<1_000 { samples[frame] = Float(frame - 600) * 0.1 }
    let onset = try #require(
      OnsetDetector().first(in: samples, frames: 300..<1_000, noise: floor(0.1)))
    #expect(abs(onset.frame - 606) < 0.05)
  }
}
