// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Profiles
import SignalAnalysis
import Units

struct SweepPlan: Sendable {
  let sweep: SynchronizedSweep
  /// The silence after it in seconds, in which the actuator rings out.
  let silence: Double
  /// Whether the ring may be longer than what its response is cut out by.
  let cutsRing: Bool

  func volts(at rate: SampleRate) -> [Float] {
    sweep.samples(at: rate).map(Float.init)
      + [Float](repeating: 0, count: rate.wholeFrames(silence))
  }

  /// A sweep by the resonances that are known so far.
  ///
  /// The separation of the harmonics, L ln 2 times 0.75, holds the ring down to -60 dB, 2.2 Q / f0, up to
  /// the longest sweep: beyond, the model takes off what is cut. The silence after it lasts for what the
  /// rest of the sweep leaves of the ring.
  static func identification(
    near modes: [(frequency: Double, q: Double)], level: Double,
    direction: SynchronizedSweep.Direction, rate: SampleRate
  ) -> SweepPlan {
    let frequencies = modes.map(\.frequency)
    let (lowest, highest) = (frequencies.min() ?? 200, frequencies.max() ?? 200)
    let low = max(15, min(50, lowest / 3))
    let high = min(0.4 * rate.hertz, max(600, min(1_000, 4 * highest), 1.7 * highest))
    let ring = modes.map { 2.2 * $0.q / $0.frequency }.max() ?? 0.01
    let span = log(high * SynchronizedSweep.upperGuard * SynchronizedSweep.lowerGuard / low)
    let needed = span * ring / (0.75 * log(2))
    let duration = max(0.8, min(longest, needed))
    // Each mode rings on from when the sweep passed it.
    let silence =
      modes.map { mode -> Double in
        let rest = direction == .up ? log(high / mode.frequency) : log(mode.frequency / low)
        return 1.3 * 2.2 * mode.q / mode.frequency - rest / span * duration
      }.max() ?? 0
    return SweepPlan(
      sweep: SynchronizedSweep(
        band: low...high, duration: duration, amplitude: level, direction: direction),
      silence: max(0.15, min(1, silence)), cutsRing: needed > longest)
  }

  static let longest = 2.0

  static func search(level: Double, rate: SampleRate, isPiezo: Bool) -> SweepPlan {
    let high = min(isPiezo ? 2_000 : 1_000, 0.4 * rate.hertz)
    return SweepPlan(
      sweep: SynchronizedSweep(band: 20...high, duration: 1.2, amplitude: level), silence: 0.3,
      cutsRing: true)
  }

  func level(keeping slope: Double?) -> Double {
    guard let slope else { return sweep.amplitude }
    return min(sweep.amplitude, slope / (2 * .pi * sweep.guardedBand.upperBound))
  }
}

struct TonePlan: Sendable {
  struct Tone: Sendable {
    var frequency: Double
    /// The peak: volts, or the command to the inverse filter in m/s2.
    var amplitude: Double
  }

  var tones: [Tone]
  /// How long each is given to become steady, in seconds.
  var settling: Double
  /// How long each is then measured, in seconds.
  var window: Double
  /// The filter that turns amplitudes into volts; nil where they are volts.
  var inverse: FeedForward?

  private var silence: Double { max(0.1, settling) }

  private var steps: SteppedTones {
    SteppedTones(
      steps: tones.map {
        .init(frequency: $0.frequency, amplitude: $0.amplitude, duration: settling + window)
      }, ramp: 0.010)
  }

  func volts(at rate: SampleRate, peak: Double) -> [Float] {
    var samples = steps.samples(at: rate).map(Float.init)
    samples += [Float](repeating: 0, count: rate.wholeFrames(silence))
    guard let inverse else { return samples }
    var filter = FeedForwardFilter(inverse, rate: rate.hertz, peakVolts: peak)
    for index in samples.indices { samples[index] = filter.advance(samples[index]) }
    return samples
  }

  func windows(at rate: SampleRate) -> [Range<Int>] {
    steps.steadyRanges(at: rate, settling: settling)
  }
}

/// Taps one after the other, each through an inverse filter of its own.
struct TapPlan: Sendable {
  struct Tap: Sendable {
    var intensity: Double
    var sharpness: Double
    var frequency: Double
    /// The command's peak in m/s2.
    var amplitude: Double
    var wanted: Double
    var inverse: FeedForward
    /// What the laws ask for, and what mapping made of it; nil for a tap that tries an inverse.
    var command: DriveCommand?
  }

  /// How long a tap lasts: 22 ms, as transients are rendered.
  static let length = 22e-3

  var taps: [Tap]
  /// From one tap's beginning to the next one's, in seconds.
  var spacing: Double
  var shape: TapShape

  func start(of index: Int, rate: SampleRate) -> Int {
    Int(rate.frames(0.02 + spacing * Double(index)).rounded())
  }

  func volts(at rate: SampleRate, peak: Double) -> [Float] {
    var output = [Float](
      repeating: 0, count: start(of: taps.count, rate: rate) + rate.wholeFrames(0.05))
    for (index, tap) in taps.enumerated() {
      var filter = FeedForwardFilter(tap.inverse, rate: rate.hertz, peakVolts: peak)
      let start = start(of: index, rate: rate)
      for frame in start..<self.start(of: index + 1, rate: rate) {
        let time = rate.seconds(Double(frame - start))
        output[frame] = filter.advance(
          Float(tap.amplitude * shape.value(at: time, frequency: tap.frequency)))
      }
    }
    return output
  }
}

struct AskedPoint: Sendable {
  let intensity: Double
  let sharpness: Double
  let isHeldOut: Bool
  let command: DriveCommand

  init(_ intensity: Double, _ sharpness: Double, isHeldOut: Bool = true, by map: DriveMap) {
    self.intensity = intensity
    self.sharpness = sharpness
    self.isHeldOut = isHeldOut
    command = map.command(intensity: intensity, sharpness: sharpness)
  }

  var isInside: Bool { command.mapping.isInside }

  /// The grid that calibrations are judged on.
  static let grid: [(Double, Double)] = FeltGrid.intensities.flatMap { intensity in
    FeltGrid.sharpnesses.map { (intensity, $0) }
  }

  /// Points beside that grid and beside what the correction was fitted to.
  static let heldOut: [(Double, Double)] = [
    (0.95, 0.06), (0.4, 0.19), (0.85, 0.31), (0.6, 0.44), (0.95, 0.56), (0.3, 0.62), (0.8, 0.69),
    (0.65, 0.81), (0.9, 0.93), (0.18, 0.4), (0.55, 0.9),
  ]

  /// How many of the points are reached as asked, where the curve passes through the plane at all.
  private static let reached = 6
  /// Points far from most curves: both ends of the plane and its middle.
  private static let others = [(0.2, 0.2), (0.5, 0.5), (1.0, 1.0)]

  /// Where a motor is verified: points of the plane that its curve passes through, by rising sharpness, then
  /// some that show what mapping does.
  ///
  /// Sharpnesses lie evenly over what is reached and beside the grid's; each has the intensity that lies
  /// nearest to the curve, which is the middle of what is reached there.
  static func ofMotor(_ map: DriveMap) -> [AskedPoint] {
    let candidates = (0..<33).compactMap { step -> AskedPoint? in
      let sharpness = Double(3 * step + 2) / 100
      return (1...100).map { AskedPoint(Double($0) / 100, sharpness, by: map) }
        .filter(\.isInside)
        .min { $0.command.mapping.consistency < $1.command.mapping.consistency }
    }
    let (all, count) = (candidates.count, min(reached, candidates.count))
    let spread = (0..<count).map { (step: Int) in candidates[(2 * step + 1) * all / (2 * count)] }
    return spread + others.map { AskedPoint($0.0, $0.1, by: map) }.filter { !$0.isInside }
  }
}

/// Steady voltages one after the other, or a slow rise, for a motor with an eccentric mass.
struct MotorPlan: Sendable {
  struct Step: Sendable {
    var volts: Double
    var duration: Double
    /// Whether the voltage rises to it evenly; otherwise within 2 ms.
    var isRamp = false
    var point: AskedPoint?
  }

  var steps: [Step]
  var silence = 0.5

  func volts(at rate: SampleRate) -> [Float] {
    var output: [Float] = []
    var before = 0.0
    for step in steps + [Step(volts: 0, duration: silence)] {
      let count = rate.wholeFrames(step.duration)
      let rise = step.isRamp ? count : max(1, rate.wholeFrames(0.002))
      for frame in 0..<count {
        let share = min(1, Double(frame) / Double(rise))
        output.append(Float(before + (step.volts - before) * share))
      }
      before = step.volts
    }
    return output
  }

  func ranges(at rate: SampleRate) -> [Range<Int>] {
    var first = 0
    return steps.map { step in
      let count = rate.wholeFrames(step.duration)
      defer { first += count }
      return first..<first + count
    }
  }
}
