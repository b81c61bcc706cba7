// SPDX-License-Identifier: Apache-2.0

import Actuators
import Glibc
import Profiles
import Testing

/// An actuator integrated step by step (Runge and Kutta, fourth order), apart from all filters.
private struct IntegratedActuator {
  let f0: Double
  let q: Double
  let gain: Double

  /// The acceleration at each frame of a drive in volts that is straight between its frames.
  func response(to volts: [Double], rate: Double) -> [Double] {
    let w = 2 * Double.pi * f0
    let h = 1 / rate
    func force(_ x: Double, _ v: Double, _ drive: Double) -> Double {
      drive - w / q * v - w * w * x
    }
    var (x, v) = (0.0, 0.0)
    var response: [Double] = []
    for frame in volts.indices {
      let (a, c) = (volts[frame], frame + 1 < volts.count ? volts[frame + 1] : 0)
      let b = (a + c) / 2
      response.append(gain / q * force(x, v, a))
      let (x1, v1) = (v, force(x, v, a))
      let (x2, v2) = (v + h / 2 * v1, force(x + h / 2 * x1, v + h / 2 * v1, b))
      let (x3, v3) = (v + h / 2 * v2, force(x + h / 2 * x2, v + h / 2 * v2, b))
      let (x4, v4) = (v + h * v3, force(x + h * x3, v + h * v3, c))
      x += h / 6 * (x1 + 2 * x2 + 2 * x3 + x4)
      v += h / 6 * (v1 + 2 * v2 + 2 * v3 + v4)
    }
    return response
  }
}

struct TapTests {
  private let rate = 48_000.0
  private let length = 0.022

  private func tap(_ amplitude: Double, _ frequency: Double) -> [Double] {
    (0..<Int(0.12 * rate)).map { frame in
      let time = Double(frame) / rate
      guard time < length else { return 0 }
      return amplitude * cos(2 * .pi * frequency * time) * 0.5 * (1 + cos(.pi * time / length))
    }
  }

  /// The last moment at which the response is above a tenth of its peak, after the intended end.
  private func tail(_ response: [Double]) -> Double {
    let peak = response.map { abs($0) }.max() ?? 0
    let last = response.lastIndex { abs($0) > peak / 10 } ?? 0
    return Double(last) / rate - length
  }

  private func drive(
    _ inverse: FeedForward, _ wanted: [Double], peakVolts: Double
  ) -> [Double] {
    var filter = FeedForwardFilter(inverse, rate: rate, peakVolts: peakVolts)
    return wanted.map { Double(filter.advance(Float($0))) }
  }

  // f0 0.3 % and Q 5 % are what a calibration may be wrong by.
  @Test(arguments: [
    (150.0, 10.0, 1.0, 1.0), (150, 10, 1.003, 0.95), (150, 10, 0.997, 1.05), (240, 15, 1.003, 0.95),
    (145, 10, 1.003, 1.05), (65, 2.5, 0.997, 0.95),
  ])
  func `a tap ends 20 dB down within 15 ms of where it is meant to end`(
    f0: Double, q: Double, frequencyError: Double, qError: Double
  ) throws {
    let gain = 4.0
    let inverse = try #require(
      FeedForward(inverting: SampleProfiles.model([SampleProfiles.mode(f0, q, gain: gain)])))
    let actuator = IntegratedActuator(f0: f0 * frequencyError, q: q * qError, gain: gain)
    // Steady full strength takes 3.5 V; the peak is hardly half as much again.
    for peakVolts in [5.0, 7, 20] {
      let curve = inverse.tapCurve(
        frequency: f0, shape: TapShape(length: length), peakVolts: peakVolts)
      for strength in [0.1, 0.5, 1] {
        let asked = curve.asked(for: strength * curve.ceiling)
        let volts = drive(inverse, tap(asked, f0), peakVolts: peakVolts)
        #expect(volts.allSatisfy { abs($0) <= peakVolts * 1.000_001 })
        let tail = tail(actuator.response(to: volts, rate: rate))
        #expect(
          tail < 0.015, "\(tail * 1e3) ms, \(strength) of \(curve.ceiling) m/s2 at \(peakVolts) V")
      }
    }
  }

  @Test func `without braking the same tap rings on for long`() {
    let actuator = IntegratedActuator(f0: 150, q: 10, gain: 4)
    let volts = tap(14, 150).map { $0 / 4 }
    let tail = tail(actuator.response(to: volts, rate: rate))
    #expect(tail > 0.03, "\(tail * 1e3) ms")
  }

  @Test func `even a tap far above what the peak can do ends in time`() throws {
    let inverse = try #require(
      FeedForward(inverting: SampleProfiles.model([SampleProfiles.mode(150, 10, gain: 4)])))
    let actuator = IntegratedActuator(f0: 150.45, q: 9.5, gain: 4)
    for amplitude in [14.0, 28] {
      let volts = drive(inverse, tap(amplitude, 150), peakVolts: 5)
      let tail = tail(actuator.response(to: volts, rate: rate))
      #expect(tail < 0.015, "\(tail * 1e3) ms after \(amplitude) m/s2")
    }
  }

  @Test(arguments: [(150.0, 10.0), (240, 15), (65, 2.5)])
  func `a tap has the energy that its curve says, up to its ceiling`(f0: Double, q: Double) throws {
    let inverse = try #require(
      FeedForward(inverting: SampleProfiles.model([SampleProfiles.mode(f0, q, gain: -4)])))
    let actuator = IntegratedActuator(f0: f0, q: q, gain: -4)
    let curve = inverse.tapCurve(frequency: f0, shape: TapShape(length: length), peakVolts: 7)
    for strength in [0.05, 0.2, 0.5, 1] {
      let wanted = strength * curve.ceiling
      let volts = drive(inverse, tap(curve.asked(for: wanted), f0), peakVolts: 7)
      func energy(_ samples: [Double]) -> Double { samples.reduce(0) { $0 + $1 * $1 } }
      let decibels =
        10 * log10(energy(actuator.response(to: volts, rate: rate)) / energy(tap(wanted, f0)))
      #expect(abs(decibels) < 0.5, "\(decibels) dB at \(strength) of the ceiling")
    }
  }

  @Test(arguments: [(150.0, 10.0), (230, 12), (240, 15), (65, 2.5)])
  func `a tap has the peak that its curve says to a tenth, at every frequency`(
    f0: Double, q: Double
  ) throws {
    let inverse = try #require(
      FeedForward(inverting: SampleProfiles.model([SampleProfiles.mode(f0, q, gain: 4)])))
    let actuator = IntegratedActuator(f0: f0, q: q, gain: 4)
    for frequency in [80, 110, 151, 186, 230.0] {
      let curve = inverse.tapCurve(
        frequency: frequency, shape: TapShape(length: length), peakVolts: 7)
      for strength in [0.1, 0.4, 0.7, 1] {
        let wanted = strength * curve.ceiling
        let volts = drive(inverse, tap(curve.asked(for: wanted), frequency), peakVolts: 7)
        let peak = actuator.response(to: volts, rate: rate).map { abs($0) }.max() ?? 0
        #expect(
          abs(peak / wanted - 1) < 0.1,
          "\(peak) of \(wanted) m/s2 at \(frequency) Hz, \(strength) of the ceiling")
      }
    }
  }

  @Test func `a tap starts at its crest, and from zero where a slope is limited`() {
    #expect(TapShape(length: length).value(at: 0, frequency: 150) == 1)
    #expect(DriveLimits(continuousVolts: 1, peakVolts: 2).tapShape(length: length).phase == 0.25)
    let limited = DriveLimits(continuousVolts: 1, peakVolts: 2, slope: 5_000)
    #expect(limited.tapShape(length: length).value(at: 0, frequency: 150) == 0)
  }

  @Test func `a tap on a Q of 10 is as strong as a third of what the peak holds for ever`() throws {
    let inverse = try #require(
      FeedForward(inverting: SampleProfiles.model([SampleProfiles.mode(150, 10, gain: 4)])))
    let curve = inverse.tapCurve(frequency: 150, shape: TapShape(length: length), peakVolts: 7)
    #expect(curve.ceiling > 28 / 3.0, "\(curve.ceiling) m/s2")
    #expect(zip(curve.given, curve.given.dropFirst()).allSatisfy { $0 < $1 })
  }

  // From rest, full strength at once takes far more than the peak: the drive must catch up and then
  // leave the peak for good, also where the peak is hardly above what is needed.
  @Test(arguments: [(10.0, 5.0), (10, 3.6), (30, 5), (30, 3.6)])
  func `a vibration that begins at full strength settles to what is asked`(
    q: Double, peakVolts: Double
  ) throws {
    let inverse = try #require(
      FeedForward(inverting: SampleProfiles.model([SampleProfiles.mode(150, q, gain: 4)])))
    let actuator = IntegratedActuator(f0: 150, q: q, gain: 4)
    for frequency in [80, 120, 150, 200.0] {
      let wanted = 3.5 * 0.97 / inverse.response(at: frequency).magnitude
      var filter = FeedForwardFilter(inverse, rate: rate, peakVolts: peakVolts)
      var volts: [Double] = []
      var limitedBefore = 0
      for frame in 0..<Int(0.8 * rate) {
        if frame == Int(0.7 * rate) { limitedBefore = filter.limitedCount }
        volts.append(
          Double(filter.advance(Float(wanted * sin(2 * .pi * frequency * Double(frame) / rate)))))
      }
      #expect(filter.limitedCount == limitedBefore, "still at the peak at \(frequency) Hz")
      let late = actuator.response(to: volts, rate: rate).suffix(Int(0.1 * rate))
      let rms = (late.reduce(0) { $0 + $1 * $1 } / Double(late.count)).squareRoot()
      let share = rms * 2.0.squareRoot() / (wanted * inverse.leakFactor(at: frequency))
      #expect(abs(share - 1) < 0.02, "\(share) of what is asked at \(frequency) Hz")
    }
  }

  @Test func `the ceiling of a tap grows with the peak`() throws {
    let inverse = try #require(
      FeedForward(inverting: SampleProfiles.model([SampleProfiles.mode(150, 10, gain: -4)])))
    let one = inverse.tapCurve(frequency: 150, shape: TapShape(length: length), peakVolts: 1)
      .ceiling
    let five = inverse.tapCurve(frequency: 150, shape: TapShape(length: length), peakVolts: 5)
      .ceiling
    #expect(one > 0)
    #expect(abs(five / one - 5) < 0.01, "\(five / one)")
  }

  @Test func `an end stop ends the taps that may be asked for`() throws {
    let inverse = try #require(
      FeedForward(inverting: SampleProfiles.model([SampleProfiles.mode(150, 10, gain: 5)])))
    let free = inverse.tapCurve(frequency: 100, shape: TapShape(length: length), peakVolts: 5)
    // As far as 2 m/s2 at 150 Hz move it.
    let w = 2 * Double.pi * 150
    let held = inverse.tapCurve(
      frequency: 100, shape: TapShape(length: length), peakVolts: 5, travel: 2 / (w * w))
    #expect(held.ceiling < 0.5 * free.ceiling, "\(held.ceiling), \(free.ceiling)")
    let actuator = IntegratedActuator(f0: 150, q: 10, gain: 5)
    let command = tap(held.asked(for: held.ceiling), 100)
    let response = actuator.response(
      to: drive(inverse, command, peakVolts: 5), rate: rate)
    var (v, x, furthest) = (0.0, 0.0, 0.0)
    for value in response {
      v += value / rate
      x += v / rate
      furthest = max(furthest, abs(x))
    }
    #expect(furthest < 1.1 * 2 / (w * w), "\(furthest)")
  }

  @Test func `far below its resonance a tap never meets the peak voltage`() throws {
    let inverse = try #require(
      FeedForward(inverting: SampleProfiles.model([SampleProfiles.mode(1_500, 20, gain: 480)])))
    let curve = inverse.tapCurve(frequency: 80, shape: TapShape(length: length), peakVolts: 120)
    var filter = FeedForwardFilter(inverse, rate: rate, peakVolts: 120)
    for sample in tap(curve.asked(for: 1e9), 80) { _ = filter.advance(Float(sample)) }
    #expect(filter.limitedCount == 0)
    // The steady tone that 120 V hold is out of reach of a tap that begins at full strength.
    #expect(curve.ceiling < 120 / inverse.response(at: 80).magnitude)
  }

  /// Tones of a resonance that moved find a dip beside a peak, of 17 dB here; a tap passes over both.
  @Test(arguments: [0.03, -0.03], [145.0, 150, 156])
  func `a tap on a resonance that moved needs what its whole spectrum takes`(
    move: Double, frequency: Double
  ) throws {
    let (f0, q, gain) = (150.0, 40.0, 20.0)
    let (mode, moved) = (
      SampleProfiles.mode(f0, q, gain: gain), SampleProfiles.mode(f0 * (1 + move), q, gain: gain)
    )
    var profile = try SampleProfiles.tone(
      modes: [mode], limits: DriveLimits(continuousVolts: 20, peakVolts: 50))
    let rows = (0...400).map { 60 * pow(5, Double($0) / 400) }
    profile.correction = ResponseCorrection(
      frequencies: rows, levels: [0, 40],
      decibels: rows.map {
        let asked =
          -20
          * log10(
            SampleProfiles.magnitude([moved], at: $0) / SampleProfiles.magnitude([mode], at: $0))
        return [asked, asked]
      })
    let map = DriveMap(profile: profile, fullScaleVolts: 50).taps(length: length)
    let sharpness = log(frequency / 80) / log(230 / 80.0)
    let command = map.command(intensity: 0.4, sharpness: sharpness)
    #expect(command.mapping.isInside)
    let volts = drive(profile.feedForward, tap(command.command, frequency), peakVolts: 50)
    let actuator = IntegratedActuator(f0: f0 * (1 + move), q: q, gain: gain)
    let response = actuator.response(to: volts, rate: rate).prefix(Int(length * rate))
    func energy(_ samples: some Sequence<Double>) -> Double { samples.reduce(0) { $0 + $1 * $1 } }
    let decibels = 10 * log10(energy(response) / energy(tap(command.wanted, frequency)))
    #expect(abs(decibels) < 1, "\(decibels) dB at \(frequency) Hz")
    let peak = response.map { abs($0) }.max() ?? 0
    #expect(abs(peak / command.wanted - 1) < 0.1, "\(peak) of \(command.wanted) m/s2")
  }

  /// The curves of neighbouring frequencies may end apart, by bend or ring: what lies between is still as it says.
  @Test(arguments: [24.0, 35, 60], [3.6, 5.0])
  func `taps are as wanted and leave no ring at every frequency around a resonance of high Q`(
    q: Double, peakVolts: Double
  ) throws {
    let mode = SampleProfiles.mode(150, q, gain: 4)
    let profile = try SampleProfiles.tone(
      modes: [mode], limits: DriveLimits(continuousVolts: 2.5, peakVolts: peakVolts))
    let map = DriveMap(profile: profile, fullScaleVolts: peakVolts).taps(length: length)
    let actuator = IntegratedActuator(f0: 150, q: q, gain: 4)
    func energy(_ samples: some Sequence<Double>) -> Double { samples.reduce(0) { $0 + $1 * $1 } }
    func peak(_ samples: [Double]) -> Double { samples.map { abs($0) }.max() ?? 0 }
    for (step, intensity) in (0...12).flatMap({ step in [0.5, 1].map { (step, $0) } }) {
      let command = map.command(intensity: intensity, sharpness: 0.45 + 0.02 * Double(step))
      let wanted = tap(command.wanted, command.frequency)
      let volts = drive(
        profile.feedForward, tap(command.command, command.frequency), peakVolts: peakVolts)
      let response = actuator.response(to: volts, rate: rate)
      let ring = energy(response.dropFirst(Int(length * rate)))
      let place = "intensity \(intensity), \(command.frequency) Hz, \(command.wanted) m/s2"
      #expect(10 * log10(energy(response) / ring) > 16, "\(place)")
      let level =
        10
        * log10(peak(response) / command.wanted * (energy(response) / energy(wanted)).squareRoot())
      #expect(abs(level) < 0.7, "\(level) dB at \(place)")
      #expect(abs(peak(response) / command.wanted - 1) < 0.1, "\(peak(response)) at \(place)")
    }
  }
}
