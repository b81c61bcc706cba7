private import Glibc

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
