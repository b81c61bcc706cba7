import Devices
private import Glibc
import HapticRendering
import Profiles
import SignalAnalysis
import Units

/// How a motor with an eccentric mass answers its drive, by the take's own probe.
///
/// Its speed goes to what the voltage asks for with one time constant, after a pure delay; the acceleration goes
/// with the square of the speed and turns with the rotor.
struct MotorResponse {
  /// One steady state.
  struct Point: Equatable {
    let volts: Double
    /// Turns a second.
    let speed: Double
  }

  /// Why a probe tells no motor.
  struct Refusal: Error {
    let reason: String
    /// Whether nothing moved at all.
    let isDead: Bool
  }

  /// From the reference to the first motion, in seconds, the sensor's own delay included.
  let delay: Estimate
  /// The time constant of the speed, in seconds.
  let spinUp: Estimate
  /// How its speed follows the voltage.
  let motion: MotorMotion
  /// From the drive to the course of the speed that this makes, in seconds after the reference.
  let lag: Double
  /// Peak acceleration over the square of the speed, in m/s2 s2.
  let strength: Double
  /// What the model leaves of the probe's response, as a share of the amplitude.
  let misfit: Double

  /// The 10-90 % rise of the acceleration, in seconds.
  var rise: Estimate {
    let form = 2 * misfit * spinUp.value
    let spread = (spinUp.uncertainty * spinUp.uncertainty + form * form).squareRoot()
    return Estimate(SpinUpFit.rise * spinUp.value, uncertainty: SpinUpFit.rise * spread)
  }

  /// A rotor slower than this, in turns a second, shows one axis no strength but single crests: what it is read
  /// as there counts for less.
  static let slowestTold = 25.0

  /// How far a speed is trusted, 0 to 1.
  static func weight(_ speed: Double) -> Double {
    speed / (speed * speed + slowestTold * slowestTold).squareRoot()
  }

  /// What of the time constant looks like a delay where a motor's torque is not a straight line of its speed: drag of
  /// the air that takes 4 % of it makes 1.4 %, the force of turning up 0.6 %, friction until the start 0.1 %.
  private static let form = 0.01
  /// The last share of a step that its steady speed is read in.
  private static let read = 0.4
  /// Above this share of the amplitude the model describes no motor.
  private static let largestMisfit = 0.6

  /// Reads the probe of a take; `volts` is what a drive of 1 is, `bandwidth` the sensor's corner in hertz.
  ///
  /// - Throws: `Refusal` where no motor answers.
  init(
    _ take: TakeDrive, _ alignment: TakeAlignment, _ samples: Samples, noise: NoiseFloor,
    volts: Double, bandwidth: Double?
  ) throws(Refusal) {
    guard let probe = take.layout.probe else {
      throw Refusal(reason: "the take has no probe", isDead: false)
    }
    let rate = take.rate
    let sent = take.channels[.haptic]
    let first = MotorProbe.steps[0]
    let firstEnd = probe + rate.wholeFrames(first.seconds)
    let secondEnd = firstEnd + rate.wholeFrames(MotorProbe.steps[1].seconds)
    func steady(_ end: Int, _ seconds: Double) -> (speed: Double?, volts: Double) {
      let late = Int(alignment.electricalFrames(at: Double(end)).rounded())
      let stop = end - rate.wholeFrames(0.005)
      let frames = (stop - rate.wholeFrames(Self.read * seconds))..<stop
      let answer = (frames.lowerBound + late)..<(frames.upperBound + late)
      let level =
        volts * (sent?[frames] ?? []).reduce(0.0) { $0 + Double($1) } / Double(frames.count)
      guard answer.upperBound <= samples.count else { return (nil, level) }
      let stretch = samples[answer].map { $0 - Float(noise.offset.value) }
      guard Amplitude.rms(stretch) > 3 * noise.sigma.value else { return (nil, level) }
      return (
        DominantFrequency.estimate(stretch, rate: rate, band: 12...600)?.frequency.value, level
      )
    }
    let second = MotorProbe.steps[1]
    let (top, half) = (steady(firstEnd, first.seconds), steady(secondEnd, second.seconds))
    guard top.speed != nil else {
      throw Refusal(
        reason: "the motor does not turn on its probe: check that it is connected and free to turn",
        isDead: true)
    }
    let grid = AnalysisGrid(over: (probe - rate.wholeFrames(0.01))..<firstEnd, rate: rate)
    let stretch = grid.sample(
      samples, offset: Float(noise.offset.value), delay: { alignment.electricalFrames(at: $0) })
    let middle = Double(probe) + MotorProbe.ramp / 2 * rate.hertz
    guard
      let fit = SpinUpFit(
        stretch, start: grid.place(of: middle), rate: grid.rate,
        noise: noise.sigma.value / Double(grid.factor).squareRoot())
    else { throw Refusal(reason: "the motor's start could not be read", isDead: false) }
    guard fit.misfit < Self.largestMisfit else {
      let share = Int((100 * fit.misfit).rounded())
      throw Refusal(
        reason:
          "a motor's start does not describe the response to the step: \(share) % are left over",
        isDead: false)
    }
    // The sensor's low-pass delays what lies far below its corner by this.
    let sensor = bandwidth.map { 0.5.squareRoot() / (.pi * $0) } ?? 0
    let form = Self.form * fit.time.value
    delay = Estimate(
      fit.delay.value - sensor,
      uncertainty: (fit.delay.uncertainty * fit.delay.uncertainty + form * form).squareRoot())
    spinUp = fit.time
    misfit = fit.misfit
    strength = fit.amplitude.value / (fit.frequency.value * fit.frequency.value)
    let highest = Point(volts: abs(top.volts), speed: fit.frequency.value)
    // What is left of the higher speed in the window that the lower one was read in.
    let (from, to) = ((1 - Self.read) * second.seconds, second.seconds - 0.005)
    let time = fit.time.value
    let left = time * (exp(-from / time) - exp(-to / time)) / (to - from)
    let slow = half.speed.map { ($0 - left * highest.speed) / (1 - left) } ?? 0
    guard slow > 0, slow < 0.9 * highest.speed else {
      // One state tells neither friction nor drag.
      motion = MotorMotion(
        slope: highest.speed / highest.volts, time: time, friction: 0, drag: 0)
      lag = delay.value
      return
    }
    let frames = (probe - rate.wholeFrames(0.01))..<take.layout.pattern
    let course = StrengthCourse(
      samples, offset: noise.offset.value, over: frames, rate: rate, quiet: take.quietFrames,
      delay: { alignment.electricalFrames(at: $0) })
    let strength = strength
    let speeds = course.amplitudes.map { ($0 / strength).squareRoot() }
    let sentThere = sent?.padded(frames) ?? [Float](repeating: 0, count: frames.count)
    let driven = speeds.indices.map { index in
      let from = course.first + Int((Double(index) - 0.5) * course.step)
      let to = course.first + Int((Double(index) + 0.5) * course.step)
      let inside = (from..<to).clamped(to: frames)
      let sum = inside.reduce(0.0) { $0 + Double(sentThere[$1 - frames.lowerBound]) }
      return volts * sum / max(1, Double(inside.count))
    }
    (motion, lag) = MotorMotion.fitted(
      speeds, weights: speeds.map(Self.weight), volts: driven.map(abs), rate: StrengthCourse.rate,
      width: Int(StrengthCourse.width * StrengthCourse.rate),
      states: ((highest.volts, highest.speed), (abs(half.volts), slow)), time: time,
      delay: delay.value)
  }
}
