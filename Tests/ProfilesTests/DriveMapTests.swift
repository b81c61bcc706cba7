// SPDX-License-Identifier: Apache-2.0

import Actuators
import Glibc
import Perception
import Profiles
import SeededRandom
import Testing

struct DriveMapTests {
  @Test func `inside of the gamut the command is what the laws ask for`() throws {
    let profile = try SampleProfiles.lra()
    let map = DriveMap(profile: profile, fullScaleVolts: 10)
    let sharpness = log(150 / 80.0) / log(230 / 80.0)
    for intensity in [0.1, 0.25, 0.5, 0.75] {
      let command = map.command(intensity: intensity, sharpness: sharpness)
      let asked = profile.laws.target.acceleration(intensity: intensity, frequency: 150)
      #expect(abs(command.frequency - 150) < 1e-9)
      #expect(abs(command.wanted / asked - 1) < 1e-9)
      #expect(abs(command.volts * 5.3 / asked - 1) < 1e-9, "\(command.volts) V")
      #expect(command.mapping.isInside)
      #expect(command.mapping.octaves == 0)
    }
  }

  @Test func `the correction of the table is added to the command alone`() throws {
    let correction = ResponseCorrection(
      frequencies: [100, 200], levels: [10, 30], decibels: [[2, 2], [2, 2]])
    let plain = DriveMap(profile: try SampleProfiles.lra(), fullScaleVolts: 10)
    let corrected = DriveMap(
      profile: try SampleProfiles.tone(
        modes: [SampleProfiles.mode(150, 10, gain: 5.3)], correction: correction),
      fullScaleVolts: 10)
    let a = plain.command(intensity: 0.3, sharpness: 0.6)
    let b = corrected.command(intensity: 0.3, sharpness: 0.6)
    #expect(a.wanted == b.wanted)
    #expect(abs(20 * log10(b.command / a.command) - 2) < 1e-9)
  }

  @Test func `what taps take besides is added for taps alone`() throws {
    var profile = try SampleProfiles.lra()
    let (steady, taps) = (
      DriveMap(profile: profile, fullScaleVolts: 10),
      DriveMap(profile: profile, fullScaleVolts: 10).taps(length: 0.022)
    )
    profile.tapCorrection = ResponseCorrection(
      frequencies: [80, 230], levels: [0], decibels: [[1], [1]])
    let corrected = DriveMap(profile: profile, fullScaleVolts: 10)
    let asked = (intensity: 0.2, sharpness: 0.6)
    #expect(
      corrected.command(intensity: asked.intensity, sharpness: asked.sharpness)
        == steady.command(intensity: asked.intensity, sharpness: asked.sharpness))
    let (a, b) = (
      taps.command(intensity: asked.intensity, sharpness: asked.sharpness),
      corrected.taps(length: 0.022).command(
        intensity: asked.intensity, sharpness: asked.sharpness)
    )
    #expect(abs(20 * log10(b.command / a.command) - 1) < 1e-9)
    #expect(try CalibrationProfile(parsing: Array(profile.text.utf8)) == profile)
  }

  @Test(arguments: [-1.5, 1.5])
  func `what taps take besides moves their ceiling and never asks for more than it`(
    decibels: Double
  ) throws {
    var profile = try SampleProfiles.lra()
    let plain = DriveMap(profile: profile, fullScaleVolts: 10).taps(length: 0.022)
    profile.tapCorrection = ResponseCorrection(
      frequencies: [80, 230], levels: [0], decibels: [[decibels], [decibels]])
    let corrected = DriveMap(profile: profile, fullScaleVolts: 10).taps(length: 0.022)
    for sharpness in [0.0, 0.2, 1] {
      let a = plain.command(intensity: 1, sharpness: sharpness)
      let b = corrected.command(intensity: 1, sharpness: sharpness)
      try #require(a.mapping.decibels > 2, "a tap that cannot be reached is to be looked at")
      #expect(abs(20 * log10(b.command / a.command)) < 0.1, "\(sharpness)")
      #expect(abs(20 * log10(b.wanted / a.wanted) + decibels) < 0.1, "\(sharpness)")
    }
  }

  @Test func `intensity 0 is silence and the least intensity is not`() throws {
    for profile in [try SampleProfiles.lra(), try SampleProfiles.erm()] {
      let map = DriveMap(profile: profile, fullScaleVolts: 10)
      #expect(map.command(intensity: 0, sharpness: 0.5).command == 0)
      #expect(map.command(intensity: -1, sharpness: 0.5).volts == 0)
      #expect(map.command(intensity: 1e-6, sharpness: 0.5).command > 0)
    }
  }

  @Test func `what is out of reach moves toward the resonance by half a step at most`() throws {
    let map = DriveMap(profile: try SampleProfiles.lra(f0: 170, q: 9), fullScaleVolts: 10)
    let low = map.command(intensity: 1, sharpness: 0)
    let high = map.command(intensity: 1, sharpness: 1)
    #expect(low.frequency > low.targetFrequency && low.mapping.octaves > 0)
    #expect(high.frequency < high.targetFrequency && high.mapping.octaves < 0)
    for command in [low, high] {
      let ratio = exp(abs(log(command.frequency / command.targetFrequency)))
      #expect(ratio <= pow(1.18, 0.5) + 1e-9, "\(ratio)")
      #expect(command.mapping.decibels > 0)
      #expect(!command.mapping.isInside)
    }
  }

  @Test func `a reference level below every ceiling leaves everything untouched`() throws {
    var profile = try SampleProfiles.lra(f0: 150, q: 1, gain: 40)
    profile.laws.referenceLevel = 25
    let map = DriveMap(profile: profile, fullScaleVolts: 10)
    for intensity in [0.1, 0.5, 1] {
      for sharpness in stride(from: 0, through: 1, by: 0.1) {
        let mapping = map.command(intensity: intensity, sharpness: sharpness).mapping
        #expect(abs(mapping.decibels) < 1e-9 && abs(mapping.octaves) < 0.1, "\(mapping)")
      }
    }
  }

  @Test func `taps are limited by the peak and not by what lasts`() throws {
    let profile = try SampleProfiles.lra()
    let steady = DriveMap(profile: profile, fullScaleVolts: 10)
    let taps = steady.taps(length: 0.022)
    let ceiling = try #require(taps.ceilingLevel(at: 150))
    // As far as the curves of both neighbours go, 2.2 % to either side: one may end by its bend where the next does
    // not.
    let ends = [0.977, 1, 1.023].map { share -> Double in
      let curve = profile.feedForward.tapCurve(
        frequency: 150 * share, shape: TapShape(length: 0.022), peakVolts: 5)
      return profile.laws.contour.sensationLevel(acceleration: curve.ceiling, at: 150 * share)
    }
    let least = try #require(ends.min())
    #expect((least - 0.3...ends[1] + 0.1).contains(ceiling), "\(ceiling) dB, curves end at \(ends)")
    let command = taps.command(intensity: 0.4, sharpness: 0.5)
    let asked = profile.feedForward.tapCurve(
      frequency: command.frequency, shape: TapShape(length: 0.022), peakVolts: 5
    ).asked(for: command.wanted)
    #expect(abs(20 * log10(command.command / asked)) < 0.3, "\(command), asked \(asked)")
    let erm = DriveMap(profile: try SampleProfiles.erm(), fullScaleVolts: 10)
    #expect(
      erm.taps(length: 0.022).command(intensity: 0.5, sharpness: 0.5)
        == erm.command(intensity: 0.5, sharpness: 0.5))
  }

  @Test func `a tap that would meet the end stop stays below it`() throws {
    var profile = try SampleProfiles.lra()
    for index in profile.ceiling.points.indices {
      profile.ceiling.points[index].acceleration = 2
      profile.ceiling.points[index].binding = .endstop
    }
    let taps = DriveMap(profile: profile, fullScaleVolts: 10).taps(length: 0.022)
    #expect(taps.command(intensity: 1, sharpness: 0.6).wanted <= 2.001)
  }
}

/// What must hold for whatever profile: the order of things, steadiness, limits.
struct DriveMapOrderTests {
  private struct Case {
    let map: DriveMap
    let isTap: Bool
    let random: SeededRandom
  }

  private func cases(_ count: Int, seed: UInt64) throws -> [Case] {
    try (0..<count).map { index in
      var random = SeededRandom(seed: seed &+ UInt64(index))
      let profile = try SampleProfiles.random(&random)
      let map = DriveMap(profile: profile, fullScaleVolts: random.uniform(1...12))
      let isTap = random.chance(0.2)
      return Case(
        map: isTap ? map.taps(length: 0.022) : map, isTap: isTap,
        random: SeededRandom(seed: seed &+ UInt64(index)))
    }
  }

  @Test func `more intensity is more`() throws {
    for item in try cases(20, seed: 0x100) {
      let isMotor = item.map.profile.motorCurve != nil
      for sharpness in [0, 0.13, 0.4, 0.71, 1] {
        var last = item.map.command(intensity: 1e-9, sharpness: sharpness)
        for step in 1...40 {
          let next = item.map.command(intensity: Double(step) / 40, sharpness: sharpness)
          let place = "I \(step)/40, s \(sharpness), \(item.random)"
          let contour = item.map.profile.laws.contour
          let levels = [last, next].map {
            contour.sensationLevel(acceleration: $0.wanted, at: $0.frequency)
          }
          if isMotor {
            #expect(next.volts >= last.volts - 1e-12, "\(place)")
          } else {
            #expect(levels[0] < levels[1], "\(levels), \(place)")
            // A tap that moves to a frequency where the peak takes less may be asked for less.
            #expect(item.isTap || next.command > last.command, "\(last), \(next), \(place)")
          }
          last = next
        }
      }
    }
  }

  @Test func `more sharpness is a higher frequency`() throws {
    for item in try cases(20, seed: 0x200) {
      let isMotor = item.map.profile.motorCurve != nil
      for intensity in [0.01, 0.3, 0.7, 1] {
        var last = 0.0
        for step in 0...40 {
          let command = item.map.command(intensity: intensity, sharpness: Double(step) / 40)
          let place = "I \(intensity), s \(step)/40, \(item.random)"
          #expect(
            isMotor ? command.frequency >= last - 1e-9 : command.frequency > last,
            "\(command.frequency) Hz after \(last) Hz, \(place)")
          last = command.frequency
        }
      }
    }
  }

  @Test func `what is reachable stays where it is`() throws {
    for item in try cases(30, seed: 0x500) where item.map.profile.motorCurve == nil {
      var random = item.random
      for _ in 0..<60 {
        let (i, s) = (random.uniform(0.001...1), random.uniform())
        let command = item.map.command(intensity: i, sharpness: s)
        let ceiling = try #require(item.map.ceilingLevel(at: command.targetFrequency))
        let place = "I \(i), s \(s), \(item.random)"
        guard command.targetLevel <= ceiling else { continue }
        #expect(command.frequency == command.targetFrequency, "\(command), \(place)")
        #expect(abs(command.mapping.decibels) < 0.51, "\(command), \(place)")
        #expect(command.mapping.isInside, "\(place)")
        if command.targetLevel <= ceiling - 1 {
          #expect(abs(command.mapping.decibels) < 1e-9, "\(command), \(place)")
        }
      }
    }
  }

  @Test func `a small step changes little`() throws {
    for item in try cases(20, seed: 0x300) where item.map.profile.motorCurve == nil {
      // So small a step that the steepest ceiling, 14 dB within 4 %, does nothing, and a jump would.
      let step = 1e-8
      var random = item.random
      for _ in 0..<20 {
        let (i, s) = (random.uniform(0.001...0.999), random.uniform(0...0.999))
        let here = item.map.command(intensity: i, sharpness: s)
        for there in [
          item.map.command(intensity: i + step, sharpness: s),
          item.map.command(intensity: i, sharpness: s + step),
        ] {
          let place = "I \(i), s \(s), \(item.random)"
          let octaves = abs(log2(there.frequency / here.frequency))
          #expect(octaves < 1e-5, "\(octaves) octaves, \(place)")
          let decibels = abs(20 * log10(there.command / here.command))
          #expect(decibels < 1e-3, "\(decibels) dB, \(place)")
        }
      }
    }
  }

  @Test func `nothing passes a limit`() throws {
    for item in try cases(20, seed: 0x400) {
      let profile = item.map.profile
      let isMotor = profile.motorCurve != nil
      let limit = profile.actuator.limits.safeFullScale(
        fullScaleVolts: item.map.fullScaleVolts, isTone: !isMotor)
      let map = DriveMap(profile: profile, fullScaleVolts: item.map.fullScaleVolts)
      var random = item.random
      for _ in 0..<30 {
        let command = map.command(intensity: random.uniform(), sharpness: random.uniform())
        #expect(command.volts <= limit * (1 + 1e-9), "\(command), \(item.random)")
        if !isMotor {
          let ceiling = profile.ceiling.acceleration(at: command.frequency)
          #expect(command.wanted <= ceiling * 1.01, "\(command) over \(ceiling), \(item.random)")
        }
      }
    }
  }
}

struct MotorMapTests {
  @Test func `what a motor can do exactly is asked of it`() throws {
    let profile = try SampleProfiles.erm()
    let map = DriveMap(profile: profile, fullScaleVolts: 10)
    let state = try #require(map.motorStates.dropFirst(120).first)
    let sharpness = log(state.frequency / 80) / log(230 / 80.0)
    // a = a0 + (a1 - a0) I^2, turned around.
    let target = profile.laws.target
    let (floor, full) = (
      target.acceleration(intensity: 1e-9, frequency: state.frequency),
      target.acceleration(intensity: 1, frequency: state.frequency)
    )
    let intensity = ((state.acceleration - floor) / (full - floor)).squareRoot()
    let command = map.command(intensity: intensity, sharpness: sharpness)
    #expect(abs(command.volts - state.volts) < 1e-3, "\(command)")
    #expect(command.mapping.consistency < 1e-3)
  }

  @Test func `no state of the motor feels nearer than the one chosen`() throws {
    var random = SeededRandom(seed: 0x500)
    let map = DriveMap(profile: try SampleProfiles.erm(), fullScaleVolts: 10)
    let contour = map.profile.laws.contour
    for _ in 0..<200 {
      let command = map.command(intensity: random.uniform(0.001...1), sharpness: random.uniform())
      for state in map.motorStates {
        let level = contour.sensationLevel(acceleration: state.acceleration, at: state.frequency)
        let other = JustNoticeable.consistency(
          levelError: command.targetLevel - level,
          frequencyRatio: state.frequency / command.targetFrequency)
        #expect(command.mapping.consistency <= other + 1e-3, "\(command), \(random)")
      }
    }
  }

  @Test func `the voltage stays within the continuous limit`() throws {
    var profile = try SampleProfiles.erm()
    profile.actuator.limits = DriveLimits(continuousVolts: 2, peakVolts: 6)
    let map = DriveMap(profile: profile, fullScaleVolts: 10)
    #expect(map.command(intensity: 1, sharpness: 1).volts == 2)
  }
}
