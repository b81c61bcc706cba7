// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Perception
import Profiles
import SignalAnalysis
import Units

/// A pattern as a designer would write one, of vibrations with curves and glides, and of taps between.
///
/// Nothing is fitted to it. Half of it stays beside the resonance, where every actuator follows; one
/// glide goes through all sharpnesses.
struct PatternPlan: Sendable {
  /// A vibration whose intensity and sharpness run straight from knot to knot, evenly spaced.
  struct Vibration: Sendable {
    var start: Double
    var length: Double
    var intensities: [Double]
    var sharpnesses: [Double]
  }

  struct Tap: Sendable {
    var start: Double
    var intensity: Double
    var sharpness: Double
  }

  /// From its beginning to the end of the silence after it, in seconds.
  static let duration = 2.6

  var vibrations: [Vibration]
  var taps: [Tap]

  init(strongest sharpness: Double) {
    let middle = min(0.88, max(0.12, sharpness))
    vibrations = [
      Vibration(
        start: 0.02, length: 0.6, intensities: [0.2, 0.8, 0.5, 0.7, 0.15],
        sharpnesses: [middle - 0.06, middle + 0.05]),
      Vibration(start: 0.95, length: 0.6, intensities: [0.35, 0.35], sharpnesses: [0.1, 0.9]),
      Vibration(
        start: 1.85, length: 0.6, intensities: [0.9, 0.5, 0.28, 0.16, 0.1],
        sharpnesses: [middle + 0.1, middle - 0.1]),
    ]
    taps = [
      Tap(start: 0.78, intensity: 0.7, sharpness: 0.5),
      Tap(start: 1.68, intensity: 0.45, sharpness: 0.8),
    ]
  }
}

/// A pattern drawn through a profile: what the inverse is fed with, and what is asked for.
struct PatternCourse: Sendable {
  /// The command at each frame, in m/s2.
  private(set) var command: [Float]
  /// The acceleration that the laws ask for, at each frame, in m/s2; taps left out.
  private(set) var asked: [Float]
  /// Whether a vibration is in force that the actuator reaches.
  private(set) var isInside: [Bool]
  /// The frequency at each frame of a vibration, in hertz.
  private(set) var frequency: [Float]

  init(_ plan: PatternPlan, profile: CalibrationProfile, fullScaleVolts: Double, rate: SampleRate) {
    let map = DriveMap(profile: profile, fullScaleVolts: fullScaleVolts)
    let count = rate.wholeFrames(PatternPlan.duration)
    command = [Float](repeating: 0, count: count)
    asked = command
    frequency = command
    isInside = [Bool](repeating: false, count: count)
    for vibration in plan.vibrations { add(vibration, map, rate) }
    let taps = map.taps(length: TapPlan.length)
    let shape = profile.tapShape(length: TapPlan.length)
    for tap in plan.taps {
      let drive = taps.command(intensity: tap.intensity, sharpness: tap.sharpness)
      let first = Int(rate.frames(tap.start).rounded())
      for frame in 0..<rate.wholeFrames(TapPlan.length) {
        command[first + frame] += Float(
          drive.command
            * shape.value(at: rate.seconds(Double(frame)), frequency: drive.frequency))
      }
    }
  }

  /// How often the map is asked, in seconds; between, amplitude and frequency run straight.
  private static let step = 1e-3

  private mutating func add(_ vibration: PatternPlan.Vibration, _ map: DriveMap, _ rate: SampleRate)
  {
    let first = Int(rate.frames(vibration.start).rounded())
    let count = rate.wholeFrames(vibration.length)
    let step = max(1, rate.wholeFrames(Self.step))
    func drive(_ frame: Int) -> DriveCommand {
      let share = Double(frame) / Double(count)
      return map.command(
        intensity: Self.value(vibration.intensities, at: share),
        sharpness: Self.value(vibration.sharpnesses, at: share))
    }
    let target = map.profile.laws.target
    var turns = 0.0
    var (from, to) = (drive(0), drive(step))
    for frame in 0..<count {
      if frame > 0, frame % step == 0 { (from, to) = (to, drive(frame + step)) }
      let share = Double(frame % step) / Double(step)
      let f = from.frequency + share * (to.frequency - from.frequency)
      let wave = sin(2 * .pi * turns)
      let place = first + frame
      let intensity = Self.value(vibration.intensities, at: Double(frame) / Double(count))
      let wanted = target.acceleration(intensity: intensity, frequency: f)
      command[place] += Float((from.command + share * (to.command - from.command)) * wave)
      asked[place] = Float(wanted * wave)
      frequency[place] = Float(f)
      isInside[place] = from.mapping.isInside && to.mapping.isInside
      turns += f / rate.hertz
    }
  }

  private static func value(_ knots: [Double], at share: Double) -> Double {
    let place = min(1, max(0, share)) * Double(knots.count - 1)
    let lower = min(knots.count - 2, Int(place))
    return knots[lower] + (place - Double(lower)) * (knots[lower + 1] - knots[lower])
  }

  func volts(_ inverse: FeedForward, rate: SampleRate, peak: Double) -> [Float] {
    var filter = FeedForwardFilter(inverse, rate: rate.hertz, peakVolts: peak)
    return command.map { filter.advance($0) }
  }
}

struct PatternReading: Sendable {
  /// The middles of the windows that count, in seconds after the pattern's beginning.
  let times: [Double]
  /// What was asked for there, and what was measured, as peak accelerations in m/s2.
  let asked: [Double]
  let measured: [Double]

  /// The length of a window and the step from one to the next, in seconds.
  private static let window = 0.020
  private static let step = 0.005
  /// With less than this inside, nothing can be said, in seconds.
  private static let shortest = 0.1

  init(
    _ course: PatternCourse, output: [Float], capture: Capture, delay: Double, noise: Double,
    filter: KnownFilter
  ) {
    let rate = capture.rate
    let band = BandPass(20...min(1_000, 0.38 * rate.hertz))
    let found = band.apply(to: output, rate: rate)
    let size = rate.wholeFrames(Self.window)
    let shift = Int(rate.frames(max(0, delay)).rounded())
    var (times, asked, measured): ([Double], [Double], [Double]) = ([], [], [])
    for first in stride(
      from: 0, to: course.asked.count - size, by: rate.wholeFrames(Self.step))
    {
      let frames = first..<first + size
      guard frames.allSatisfy({ course.isInside[$0] }) else { continue }
      let start = capture.frame(of: first) + shift
      guard start >= 0, start + size <= found.count else { continue }
      let wanted = frames.reduce(0.0) { $0 + Double(course.asked[$1]) * Double(course.asked[$1]) }
      let seen = (start..<start + size).reduce(0.0) { $0 + found[$1] * found[$1] }
      let scale = filter.response(at: Double(course.frequency[first + size / 2])).magnitude
      let power = max(1e-12, seen / Double(size) - noise * noise) / (scale * scale)
      times.append(rate.seconds(Double(first + size / 2)))
      asked.append((2 * wanted / Double(size)).squareRoot())
      measured.append((2 * power).squareRoot())
    }
    (self.times, self.asked, self.measured) = (times, asked, measured)
  }

  var account: ProfileVerification.Pattern? {
    let duration = Double(times.count) * Self.step
    let errors = zip(measured, asked).map { 20 * log10($0 / $1) }
    guard duration >= Self.shortest, let spread = ProfileVerification.Spread(of: errors) else {
      return nil
    }
    return ProfileVerification.Pattern(envelope: spread, duration: duration)
  }
}
