// SPDX-License-Identifier: Apache-2.0

import Calibration
import Glibc
import SeededRandom
import SignalAnalysis
import Units

/// A rig in the process: it answers a calibration's segments with the physics of `TestMotion`.
///
/// Independent of the product's own simulated plants.
struct TestRig: Sendable {
  var modes: [TestMotion]
  var motor: TestMotor?
  /// After the reference, in seconds.
  var delay = 0.0007
  /// m/s2 per root hertz.
  var noise = 0.0007
  /// m/s2 peak at 50 Hz.
  var hum = 0.0
  /// m/s2 on each axis at rest.
  var gravity: [Double] = [0]
  var axisNames = ["z"]
  /// The share of the motion that each axis sees.
  var direction: [Double] = [1]
  /// What a true m/s2 is read as.
  var scale = 1.0
  /// m/s2 as read at which the converter ends.
  var fullScale: Double?
  /// Corner of the sensor's Butterworth low-pass.
  var bandwidth: Double?
  var hasReference = true
  /// What the reference reads of a volt.
  var referenceScale = 1.0
  var referenceNoise = 1e-5
  /// Volts at which the amplifier clips.
  var amplifierPeak: Double?
  /// Whether the reference shows what the amplifier was asked for.
  var referenceIsBeforeAmplifier = false
  /// The drive channel that moves the actuator, where it is not the actuator's own.
  var wiredChannel: Int?
  /// The relative change of gain, and of resonance, per second of drive.
  var gainDrift = 0.0
  var frequencyDrift = 0.0
  /// Something that rattles: noise as a share of the acceleration above a threshold in m/s2.
  var rattle: (share: Double, above: Double)?
  var isConstant = false
  /// By segment number: m/s2 of a blow and when it comes, in seconds; it comes once.
  var blows: [Int: (strength: Double, time: Double)] = [:]
  /// By segment number: frames that are lost, once.
  var losses: [Int: Range<Int>] = [:]
  /// From this segment on another actuator stands on the rig.
  var swap: (segment: Int, modes: [TestMotion])?
  /// What each remount multiplies the sensor's scale of the first mounting by.
  var mountings: [Double] = []
  /// From this segment on the reference is unplugged.
  var unplugged: Int?
  /// Capture clock against drive clock, as a share.
  var clock = 0.0
  /// What the response says of a clock that was off and is taken out, as a share.
  var takenClock: Double?
  /// The actuator hangs on the reference, which carries a marker behind each silence.
  var isOnReference = false
  /// Something that slips: above a threshold in m/s2 every 2 ms another share of the motion is felt.
  var slipping: Double?
  /// Ohm and henry of a coil whose voltage and current are measured.
  var coil: (resistance: Double, inductance: Double)?
  /// A part of the fixture on a spring of its own: hertz at which it rings on the mount, Q, share of the mass.
  var fixture: (frequency: Double, q: Double, share: Double)?
  var leadSeconds = 0.1

  /// Seconds of drive so far.
  private(set) var elapsed = 0.0
  private(set) var random: SeededRandom

  init(modes: [TestMotion], motor: TestMotor? = nil, seed: UInt64) {
    self.modes = modes
    self.motor = motor
    random = SeededRandom(seed: seed)
  }

  /// Plays a segment and gives what the sensors saw.
  mutating func answer(_ segment: CalibrationSegment) -> SegmentResponse {
    if segment.purpose == .remount, let mounting = mountings.first {
      scale = mounting
      mountings.removeFirst()
    }
    if let swap, segment.number >= swap.segment { modes = swap.modes }
    let rate = segment.rate.hertz
    let lead = Int(leadSeconds * rate)
    let isDriven = (segment.otherChannel ?? 0) == (wiredChannel ?? 0)
    var volts = [Double](repeating: 0, count: lead) + segment.volts.map(Double.init)
    if segment.purpose == .quiet, hasReference {
      volts += (Sweep.marker.samples(at: segment.rate) + [Double](repeating: 0, count: lead))
    }
    if clock != 0 { volts = stretched(volts, lead: lead) }
    let asked = volts
    if let amplifierPeak { volts = volts.map { max(-amplifierPeak, min(amplifierPeak, $0)) } }
    let moves = isDriven && (segment.purpose != .quiet || isOnReference)
    let moved = move(moves ? volts : volts.map { _ in 0 }, rate: rate)
    let isUnplugged = unplugged.map { segment.number >= $0 } ?? false
    let isMeasured = hasReference && !isUnplugged
    let axes = axisNames.indices.map { axis in
      SegmentResponse.Axis(
        name: axisNames[axis], samples: sensed(moved, axis: axis, segment: segment, rate: rate),
        fullScale: fullScale)
    }
    let input: [Float] =
      hasReference
      ? (referenceIsBeforeAmplifier ? asked : volts).map {
        Float((isUnplugged ? 0 : referenceScale * $0) + referenceNoise * random.gaussian())
      } : segment.volts.reduce(into: [Float](repeating: 0, count: lead)) { $0.append($1) }
    elapsed += Double(volts.count) / rate
    return SegmentResponse(
      rate: segment.rate, input: input, inputIsMeasured: isMeasured || hasReference, axes: axes,
      voltage: coil == nil ? nil : volts.map(Float.init),
      current: coil.map { current(volts, coil: $0, rate: rate) },
      gaps: losses.removeValue(forKey: segment.number).map { [$0] } ?? [], lead: lead,
      drift: clock == 0 ? nil : 1e6 * clock,
      clock: takenClock.map { Estimate($0, uncertainty: 1e-8) })
  }

  /// What a capture whose clock is off sees of a drive: more frames for the same seconds.
  private func stretched(_ volts: [Double], lead: Int) -> [Double] {
    let count = lead + Int(Double(volts.count - lead) * (1 + clock))
    return (0..<count).map { frame in
      guard frame >= lead else { return 0 }
      return Self.interpolate(volts, at: Double(lead) + Double(frame - lead) / (1 + clock))
    }
  }

  /// Lagrange through four samples.
  private static func interpolate(_ volts: [Double], at position: Double) -> Double {
    let base = Int(position.rounded(.down))
    let u = position - Double(base)
    guard base >= 1, base + 2 < volts.count else {
      return base >= 0 && base < volts.count ? volts[base] : 0
    }
    let (p, q, r, s) = (volts[base - 1], volts[base], volts[base + 1], volts[base + 2])
    return -u * (u - 1) * (u - 2) / 6 * p + (u + 1) * (u - 1) * (u - 2) / 2 * q
      - (u + 1) * u * (u - 2) / 2 * r + (u + 1) * u * (u - 1) / 6 * s
  }

  /// The motion along the axis and across it.
  private mutating func move(_ volts: [Double], rate: Double) -> (along: [Double], across: [Double])
  {
    let step = 1 / rate
    // Everything is counted in frames of the capture, which a clock that is off stretches.
    let shift = delay * rate * (1 + clock)
    var along: [Double] = []
    var across: [Double] = []
    along.reserveCapacity(volts.count)
    func at(_ position: Double) -> Double { Self.interpolate(volts, at: position) }
    var (a, warm) = (at(-shift), elapsed)
    let original = modes.map { ($0.frequency, $0.gain) }
    for index in modes.indices { modes[index].frequency = original[index].0 / (1 + clock) }
    for frame in volts.indices {
      let b = at(Double(frame) + 0.5 - shift)
      let c = at(Double(frame) + 1 - shift)
      if var spinning = motor {
        let (x, y) = spinning.step(b, length: step)
        motor = spinning
        along.append(x)
        across.append(y)
      } else {
        var sum = 0.0
        for index in modes.indices {
          if frequencyDrift != 0 || gainDrift != 0 {
            modes[index].frequency =
              original[index].0 / (1 + clock) * (1 + frequencyDrift * warm)
            modes[index].gain = original[index].1 * (1 + gainDrift * warm)
          }
          sum += modes[index].step(a, b, c, length: step)
        }
        along.append(sum)
      }
      a = c
      warm += step
    }
    for index in modes.indices {
      modes[index].frequency = original[index].0
      modes[index].gain = original[index].1
    }
    if let fixture { along = Self.shaken(along, by: fixture, rate: rate) }
    return (along, across)
  }

  /// The mount's acceleration with what the fixture's part gives back.
  ///
  /// y'' + w/q y' + w^2 y = -a, and r (w^2 y + w/q y') are added. Sixteen steps a frame.
  private static func shaken(
    _ along: [Double], by fixture: (frequency: Double, q: Double, share: Double), rate: Double
  ) -> [Double] {
    let steps = 16
    let h = 1 / rate / Double(steps)
    let w = 2 * Double.pi * fixture.frequency
    var (place, speed) = (0.0, 0.0)
    return along.indices.map { frame in
      let next = frame + 1 < along.count ? along[frame + 1] : along[frame]
      let felt = along[frame] + fixture.share * (w * w * place + w / fixture.q * speed)
      for step in 0..<steps {
        let a = along[frame] + (next - along[frame]) * Double(step) / Double(steps)
        speed += h * (-a - w / fixture.q * speed - w * w * place)
        place += h * speed
      }
      return felt
    }
  }

  private mutating func sensed(
    _ moved: (along: [Double], across: [Double]), axis: Int, segment: CalibrationSegment,
    rate: Double
  ) -> [Float] {
    let sigma = noise * (rate / 2).squareRoot()
    let lead = Int(leadSeconds * rate)
    let blow = axis == 0 ? blows.removeValue(forKey: segment.number) : nil
    var filter = LowPass(corner: bandwidth, rate: rate)
    let phase = random.uniform(0...6)
    var (share, held) = (1.0, 0)
    return moved.along.indices.map { frame in
      if isConstant { return Float(gravity[axis]) }
      var value = direction[axis] * moved.along[frame]
      if !moved.across.isEmpty, axis == 1 { value = moved.across[frame] }
      if let slipping, abs(moved.along[frame]) > slipping {
        if frame >= held { (share, held) = (random.uniform(0.1...0.9), frame + Int(0.002 * rate)) }
        value *= share
      }
      if let rattle, abs(moved.along[frame]) > rattle.above {
        value += rattle.share * moved.along[frame] * random.gaussian()
      }
      let time = Double(frame - lead) / rate
      if let blow, time >= blow.time {
        value +=
          blow.strength * exp(-(time - blow.time) / 0.03) * sin(2 * .pi * 37 * (time - blow.time))
      }
      value = filter.advance(value)
      value += gravity[axis] + hum * sin(2 * .pi * 50 * (elapsed + time) + phase)
      value = scale * (value + sigma * random.gaussian())
      if let fullScale { value = max(-fullScale, min(fullScale, value)) }
      return Float(value)
    }
  }

  private func current(
    _ volts: [Double], coil: (resistance: Double, inductance: Double), rate: Double
  ) -> [Float] {
    var now = 0.0
    let decay = exp(-coil.resistance / coil.inductance / rate)
    return volts.map { value in
      now = decay * now + (1 - decay) * value / coil.resistance
      return Float(now)
    }
  }
}

/// A Butterworth low-pass of second order, by the bilinear transform with its corner warped.
private struct LowPass {
  private var b0 = 1.0
  private var a1 = 0.0
  private var a2 = 0.0
  private var z1 = 0.0
  private var z2 = 0.0

  init(corner: Double?, rate: Double) {
    guard let corner else { return }
    let k = tan(.pi * corner / rate)
    let norm = 1 / (1 + 2.0.squareRoot() * k + k * k)
    b0 = k * k * norm
    a1 = 2 * (k * k - 1) * norm
    a2 = (1 - 2.0.squareRoot() * k + k * k) * norm
    isOn = true
  }

  private var isOn = false

  mutating func advance(_ x: Double) -> Double {
    guard isOn else { return x }
    let y = b0 * x + z1
    z1 = 2 * b0 * x - a1 * y + z2
    z2 = b0 * x - a2 * y
    return y
  }
}
