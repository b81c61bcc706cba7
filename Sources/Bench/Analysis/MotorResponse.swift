// SPDX-License-Identifier: Apache-2.0

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
  /// From the reference to the first motion, in seconds, the sensor's own delay included.
  let delay: Estimate
  /// The time constant of the speed, in seconds.
  let spinUp: Estimate
  let motion: MotorMotion
  /// From the drive to the course of the speed that this makes, in seconds after the reference.
  let lag: Double
  /// Peak acceleration over the square of the speed, in m/s2 s2.
  let strength: Double
  /// What the model leaves of the probe's response, as a share of the amplitude.
  let misfit: Double

  /// The 10-90 % rise of the acceleration, in seconds.
  var rise: Estimate {
    let spread = spinUp.widened(by: 2 * misfit * spinUp.value).uncertainty
    return Estimate(SpinUpFit.rise * spinUp.value, uncertainty: SpinUpFit.rise * spread)
  }

  /// A rotor slower than this, in turns a second, shows one axis no strength but single crests: what it is read
  /// as there counts for less.
  static let slowestTold = 25.0

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

  init(
    _ alignment: TakeAlignment, _ samples: Samples, noise: NoiseFloor
  ) throws(NotMeasured) {
    let (take, volts) = (alignment.take, alignment.driveVolts)
    let bandwidth = alignment.rig.capture.channel(.acceleration)?.sensor?.bandwidth
    guard let probe = take.layout.probe else {
      throw NotMeasured(reason: "the take has no probe")
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
      throw NotMeasured(
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
    else { throw NotMeasured(reason: "the motor's start could not be read") }
    guard fit.misfit < Self.largestMisfit else {
      let share = Int((100 * fit.misfit).rounded())
      throw NotMeasured(
        reason:
          "a motor's start does not describe the response to the step: \(share) % are left over")
    }
    // The sensor's low-pass delays what lies far below its corner by this.
    let sensor = bandwidth.map { 0.5.squareRoot() / (.pi * $0) } ?? 0
    delay = Estimate(fit.delay.value - sensor, uncertainty: fit.delay.uncertainty)
      .widened(by: Self.form * fit.time.value)
    spinUp = fit.time
    misfit = fit.misfit
    strength = fit.amplitude.value / (fit.frequency.value * fit.frequency.value)
    let highest = (volts: abs(top.volts), speed: fit.frequency.value)
    // What is left of the higher speed in the window that the lower one was read in.
    let (from, to) = ((1 - Self.read) * second.seconds, second.seconds - 0.005)
    let time = fit.time.value
    let left = time * (exp(-from / time) - exp(-to / time)) / (to - from)
    let slow = half.speed.map { ($0 - left * highest.speed) / (1 - left) } ?? 0
    guard slow > 0, slow < 0.9 * highest.speed else {
      // One state tells neither friction nor drag.
      motion = MotorMotion(slope: highest.speed / highest.volts, time: time, friction: 0, drag: 0)
      lag = delay.value
      return
    }
    let frames = (probe - rate.wholeFrames(0.01))..<take.layout.pattern
    let course = alignment.strength(of: samples, offset: noise.offset.value, over: frames)
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
      states: (highest, (abs(half.volts), slow)), time: time,
      delay: delay.value)
  }
}

/// How the speed of a motor follows its voltage: T w' = k V - w - friction - drag.
///
/// Friction takes k f while the rotor turns, drag of the air b w^2. A rotor does not turn backwards here.
struct MotorMotion: Equatable {
  /// k, in turns a second per volt.
  let slope: Double
  /// T, in seconds.
  let time: Double
  /// f, in volts.
  let friction: Double
  /// b, per turn a second.
  let drag: Double

  /// The speed after each of some steps of steady voltage, from rest, and what is kept of the sum of the speed before
  /// and of what the voltage adds in a step.
  ///
  /// What several voltages add up to loses the same share as each of them: so each has a speed of its own, and these
  /// add up as well.
  func run(_ volts: [Double], rate: Double) -> (speeds: [Double], kept: [Double]) {
    let pace = 1 / (time * rate)
    var speed = 0.0
    var speeds: [Double] = []
    var kept: [Double] = []
    speeds.reserveCapacity(volts.count)
    kept.reserveCapacity(volts.count)
    func loss(_ speed: Double) -> Double {
      pace * (speed + drag * speed * speed + slope * friction)
    }
    for volt in volts {
      let added = pace * slope * volt
      let middle = max(0, speed + 0.5 * (added - loss(speed)))
      let next = max(0, speed + added - loss(middle))
      let whole = speed + added
      kept.append(whole > 1e-12 ? min(1, next / whole) : 0)
      speed = next
      speeds.append(next)
    }
    return (speeds, kept)
  }

  /// What one voltage of several has of the speed, from a step on; ends where it has run out.
  func share(
    of volts: [Double], from first: Int, kept: [Double], rate: Double, tail: Int
  ) -> [Double] {
    let pace = slope / (time * rate)
    var speed = 0.0
    return (0..<(volts.count + tail)).map { index in
      guard kept.indices.contains(first + index) else { return 0 }
      speed = (speed + (index < volts.count ? pace * volts[index] : 0)) * kept[first + index]
      return speed
    }
  }

  /// The motion that follows a course of speeds best, and the delay in seconds that it does so with.
  ///
  /// Both steady speeds hold: `states` of voltage and speed, the higher first. So one of friction and drag follows from
  /// the other. Drags are tried one after the other, time constant and delay found for each.
  static func fitted(
    _ speeds: [Double], weights: [Double], volts: [Double], rate: Double, width: Int,
    states: (high: (volts: Double, speed: Double), low: (volts: Double, speed: Double)),
    time: Double, delay: Double
  ) -> (motion: MotorMotion, delay: Double) {
    func motion(drag share: Double, time: Double) -> MotorMotion? {
      let (high, low) = (states.high, states.low)
      let drag = share / high.speed
      let ratio = (high.speed * (1 + drag * high.speed)) / (low.speed * (1 + drag * low.speed))
      guard ratio > 1 else { return nil }
      let friction = (ratio * low.volts - high.volts) / (ratio - 1)
      guard friction < low.volts, time > 1e-3 else { return nil }
      let slope = high.speed * (1 + drag * high.speed) / (high.volts - max(0, friction))
      return MotorMotion(slope: slope, time: time, friction: max(0, friction), drag: drag)
    }
    func rest(_ share: Double, _ time: Double, _ delay: Double) -> [Double]? {
      guard let motion = motion(drag: share, time: time) else { return nil }
      let smooth = Smoothing.mean(motion.run(volts, rate: rate).speeds, width: width)
      let late = delay * rate
      return speeds.indices.map { index in
        let place = Double(index) - late
        let base = Int(place.rounded(.down))
        let part = place - Double(base)
        func at(_ index: Int) -> Double {
          index >= 0 ? smooth[min(index, smooth.count - 1)] : 0
        }
        return weights[index]
          * (speeds[index] - (1 - part) * at(base) - part * at(base + 1))
      }
    }
    func energy(_ values: [Double]) -> Double { values.reduce(0) { $0 + $1 * $1 } }
    var best = (energy: Double.infinity, share: 0.0, time: time, delay: delay)
    func search(_ share: Double, _ start: (time: Double, delay: Double)) {
      var (time, delay) = start
      guard var now = rest(share, time, delay) else { return }
      for _ in 0..<8 {
        let (dTime, dDelay) = (0.01 * time, 0.2e-3)
        guard let byTime = rest(share, time + dTime, delay),
          let byDelay = rest(share, time, delay + dDelay)
        else { return }
        var (aa, ab, bb, a, b) = (0.0, 0.0, 0.0, 0.0, 0.0)
        for index in now.indices {
          let (p, q) = (
            (byTime[index] - now[index]) / dTime, (byDelay[index] - now[index]) / dDelay
          )
          (aa, ab, bb) = (aa + p * p, ab + p * q, bb + q * q)
          (a, b) = (a - p * now[index], b - q * now[index])
        }
        let determinant = aa * bb - ab * ab
        guard determinant > 0 else { break }
        let (moreTime, moreDelay) = (
          (bb * a - ab * b) / determinant, (aa * b - ab * a) / determinant
        )
        let next = (max(0.5 * time, time + moreTime), delay + max(-0.005, min(0.005, moreDelay)))
        guard let values = rest(share, next.0, next.1), energy(values) < energy(now) else { break }
        (time, delay) = next
        now = values
      }
      let left = energy(now)
      if left < best.energy { best = (left, share, time, delay) }
    }
    for step in 0...10 { search(0.05 * Double(step), (time * (1 + 0.05 * Double(step)), delay)) }
    let coarse = best
    for step in -4...4 where coarse.share + 0.01 * Double(step) >= 0 {
      search(coarse.share + 0.01 * Double(step), (coarse.time, coarse.delay))
    }
    let plain = MotorMotion(
      slope: states.high.speed / states.high.volts, time: time, friction: 0, drag: 0)
    return (motion(drag: best.share, time: best.time) ?? plain, best.delay)
  }
}
