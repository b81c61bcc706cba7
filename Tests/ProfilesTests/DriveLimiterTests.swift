// SPDX-License-Identifier: Apache-2.0

import Actuators
import Glibc
import Profiles
import SeededRandom
import Testing

/// What an actuator bears holds whatever is sent, and what it bears passes untouched.
struct DriveLimiterTests {
  private let rate = 48_000.0

  private func tone(_ amplitude: Double, _ frequency: Double, _ count: Int) -> [Float] {
    (0..<count).map { Float(amplitude * sin(2 * .pi * frequency * Double($0) / rate)) }
  }

  private func limited(
    _ samples: [Float], by limiter: inout DriveLimiter
  ) -> [Float] {
    var output = samples
    var span = output.mutableSpan
    limiter.process(&span)
    return output
  }

  /// Drives of every kind of harm: noise, steps, tones, spikes, and what is no number.
  private func harmful(_ random: inout SeededRandom, count: Int) -> [Float] {
    var samples: [Float] = []
    while samples.count < count {
      let strength = [0.3, 1, 3, 1e6][random.integer(0...3)]
      let length = random.integer(1...2000)
      switch random.integer(0...5) {
      case 0: samples += (0..<length).map { _ in Float(strength * random.gaussian()) }
      case 1: samples += [Float](repeating: Float(random.uniform(-1...1) * strength), count: length)
      case 2: samples += tone(strength, random.uniform(20...8000), length)
      case 3: samples += [Float](repeating: 0, count: length)
      case 4: samples += (0..<length).map { $0 % 2 == 0 ? Float(strength) : Float(-strength) }
      default: samples += [.nan, .infinity, -.infinity, .greatestFiniteMagnitude, -0.0, .nan]
      }
    }
    return Array(samples.prefix(count))
  }

  @Test(arguments: 0..<60)
  func `no drive passes peak, slope or thermal limit`(index: Int) {
    var random = SeededRandom(seed: 0x11_0000 + UInt64(index))
    let fullScale = random.uniform(0.5...20)
    let continuous = random.uniform(0.2...1.2) * fullScale
    let limits = DriveLimits(
      continuousVolts: continuous, peakVolts: random.uniform(0.2...1.1) * fullScale,
      slope: random.chance(0.6) ? fullScale * rate * pow(10, random.uniform(-3...0)) : nil,
      thermalTime: pow(10, random.uniform(-2.5...0)))
    var limiter = DriveLimiter(limits: limits, fullScaleVolts: fullScale, rate: rate)
    let output = limited(harmful(&random, count: 24_000), by: &limiter)

    let decay = exp(-1 / (limits.thermalTime * rate))
    let step = (limits.slope ?? .infinity) / rate
    var (last, meanSquare) = (0.0, 0.0)
    var (highest, steepest, hottest) = (0.0, 0.0, 0.0)
    for sample in output {
      // What is not a number fails every comparison below, so it is turned into a failing one.
      let volts = sample.isFinite ? Double(sample) * fullScale : .infinity
      highest = max(highest, abs(volts))
      steepest = max(steepest, abs(volts - last))
      meanSquare = decay * meanSquare + (1 - decay) * volts * volts
      hottest = max(hottest, meanSquare)
      last = volts
    }
    let detail = "\(limits) at \(fullScale) V full scale, \(random)"
    #expect(highest <= limits.peakVolts * (1 + 1e-6), "\(detail)")
    #expect(steepest <= step + 1e-6 * fullScale, "\(detail)")
    #expect(hottest <= continuous * continuous * (1 + 1e-5), "\(detail)")
  }

  @Test func `a drive within all limits passes to the bit and counts nothing`() {
    let limits = DriveLimits(continuousVolts: 2.5, peakVolts: 5, slope: 20_000)
    var limiter = DriveLimiter(limits: limits, fullScaleVolts: 5, rate: rate)
    // 3.3 V peak is 2.33 Vrms; at 170 Hz its slope is 3.5 V/ms.
    let drive = tone(3.3 / 5, 170, 5 * 48_000)
    #expect(limited(drive, by: &limiter) == drive)
    #expect(limiter.counts.total == 0)
  }

  @Test func `the safe full scale is borne for seconds`() {
    let limits = DriveLimits(continuousVolts: 2.5, peakVolts: 5, slope: 20_000)
    let safe = limits.safeFullScale(fullScaleVolts: 5, isTone: true)
    var limiter = DriveLimiter(limits: limits, fullScaleVolts: 5, rate: rate)
    let drive = tone(safe / 5, 170, 30 * 48_000)
    let output = limited(drive, by: &limiter)
    // The ripple of the average over half a period, 1 / (4 pi f T), is all that is taken off.
    let worst = zip(drive, output).map { abs($0 - $1) }.max() ?? .infinity
    #expect(worst < 0.05 * Float(safe / 5), "\(worst)")
    let power = output.suffix(48_000).reduce(0.0) { $0 + Double($1) * Double($1) } / 48_000
    #expect(abs(power.squareRoot() * 5 - 2.5) < 2.5e-3, "\(power.squareRoot() * 5) V")
  }

  @Test func `each reason is counted by the sample`() {
    var peaks = DriveLimiter(
      limits: DriveLimits(continuousVolts: 10, peakVolts: 1), fullScaleVolts: 2, rate: rate)
    #expect(limited([0.4, 0.6, -0.9, 0.5, .infinity], by: &peaks) == [0.4, 0.5, -0.5, 0.5, 0.5])
    #expect(counted(peaks) == [3, 0, 0])

    var slopes = DriveLimiter(
      limits: DriveLimits(continuousVolts: 10, peakVolts: 10, slope: 0.25 * rate),
      fullScaleVolts: 1, rate: rate)
    #expect(limited([0.25, 0.75, 0.75, 0, 0.25], by: &slopes) == [0.25, 0.5, 0.75, 0.5, 0.25])
    #expect(counted(slopes) == [0, 2, 0])
  }

  private func counted(_ limiter: DriveLimiter) -> [Int] {
    [limiter.counts.peak, limiter.counts.slope, limiter.counts.thermal]
  }

  @Test func `what is no number drives zero and counts as a peak`() {
    var limiter = DriveLimiter(
      limits: DriveLimits(continuousVolts: 1, peakVolts: 1), fullScaleVolts: 1, rate: rate)
    #expect(limited([0.5, .nan, 0.25], by: &limiter) == [0.5, 0, 0.25])
    #expect(counted(limiter) == [1, 0, 0])
  }

  // A steady 2 V on a limit of 1 Vrms with T = 0.1 s: E = 4 (1 - exp(-t / T)) reaches 1 at
  // T ln(4 / 3) = 28.77 ms, frame 1381; from then on 1 V is what keeps it there.
  @Test func `overdrive lasts as long as the thermal budget does`() throws {
    var limiter = DriveLimiter(
      limits: DriveLimits(continuousVolts: 1, peakVolts: 2, thermalTime: 0.1), fullScaleVolts: 2,
      rate: rate)
    let output = limited([Float](repeating: 1, count: 9600), by: &limiter)
    let first = try #require(output.firstIndex { $0 < 1 })
    #expect(abs(first - 1381) <= 1)
    #expect(output[(first + 2)...].allSatisfy { abs($0 - 0.5) < 1e-4 })
    #expect(counted(limiter) == [0, 0, 9600 - first])
  }

  @Test func `rest gives the budget back`() {
    var limiter = DriveLimiter(
      limits: DriveLimits(continuousVolts: 1, peakVolts: 2, thermalTime: 0.1), fullScaleVolts: 2,
      rate: rate)
    _ = limited([Float](repeating: 1, count: 9600), by: &limiter)
    // Ten time constants at zero leave less than one part in ten thousand of the budget spent.
    _ = limited([Float](repeating: 0, count: 48_000), by: &limiter)
    let output = limited([Float](repeating: 1, count: 1300), by: &limiter)
    #expect(output.allSatisfy { $0 == 1 })
  }

  @Test(arguments: 0..<20)
  func `blocks of any size give the same samples`(index: Int) {
    var random = SeededRandom(seed: 0x12_0000 + UInt64(index))
    let limits = DriveLimits(
      continuousVolts: 0.8, peakVolts: 1.5, slope: random.chance(0.5) ? 8000 : nil,
      thermalTime: 0.05)
    let drive = harmful(&random, count: 12_000)
    var whole = DriveLimiter(limits: limits, fullScaleVolts: 2, rate: rate)
    let expected = limited(drive, by: &whole)
    var parts = DriveLimiter(limits: limits, fullScaleVolts: 2, rate: rate)
    var output: [Float] = []
    while output.count < drive.count {
      let size = min(random.integer(1...1000), drive.count - output.count)
      output += limited(Array(drive[output.count..<(output.count + size)]), by: &parts)
    }
    #expect(output.map(\.bitPattern) == expected.map(\.bitPattern), "\(random)")
    #expect(parts.counts == whole.counts)
    var single = DriveLimiter(limits: limits, fullScaleVolts: 2, rate: rate)
    #expect(drive.map { single.limit($0).bitPattern } == expected.map(\.bitPattern), "\(random)")
  }
}
