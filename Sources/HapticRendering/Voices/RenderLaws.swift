// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Perception
import Profiles
import Units

/// The laws of a configuration as the render loops apply them, which may not call the C library.
struct RenderLaws: ~Copyable {
  let turnLaw: TurnLaw
  let levelLaw: LevelLaw
  let limit: SoftLimit
  /// Whether a vibration has a carrier; an eccentric rotating mass is driven with its level.
  let isTone: Bool
  /// Whether events are accelerations that the inverse turns into drive.
  let hasProfile: Bool
  let vibrations: DriveTableLookup
  let taps: DriveTableLookup
  let tapFrames: Double
  /// Where a tap's carrier starts, in turns.
  let tapPhase: Double
  /// Turns a frame of a synthesized tone.
  let toneTurns: Double
  /// The coefficient of a one-pole low-pass over brightness: 200 Hz at 0, rising a hundredfold; at 1
  /// everything is let through.
  let filters: LookupCurve

  init(_ configuration: RenderConfiguration) {
    let rate = configuration.rate.hertz
    turnLaw = TurnLaw(configuration.sharpnessLaw, rate: rate)
    levelLaw = LevelLaw(configuration.intensityLaw, fullScale: configuration.fullScale)
    limit = SoftLimit(configuration.mixingLaw, fullScale: configuration.fullScale)
    isTone = configuration.waveform == .tone
    hasProfile = configuration.profile != nil
    vibrations = configuration.profile.map { DriveTableLookup($0.vibrations) } ?? DriveTableLookup()
    taps = configuration.profile.map { DriveTableLookup($0.taps) } ?? DriveTableLookup()
    tapFrames = configuration.transientShape.length * rate
    tapPhase = configuration.tapPhase
    toneTurns = configuration.toneFrequency / rate
    filters = LookupCurve(steps: 512) { b in
      b >= 1 ? 1 : 1 - exp(-2 * .pi * min(highestTurns, 200 * pow(100, b) / rate))
    }
  }
}

extension RenderConfiguration {
  /// The inverse of the profile at rest; one that no sample is given to where there is none.
  var inverse: FeedForwardFilter {
    profile?.filter(rate: rate)
      ?? FeedForwardFilter(
        FeedForward(sections: [], gain: 1, leak: 0), rate: rate.hertz, peakVolts: 1)
  }
}

/// An intensity law: intensities to amplitudes, in place.
struct LevelLaw: ~Copyable {
  private let fullScale: Float
  private let isSquare: Bool
  private let isLinear: Bool
  /// The other laws, in so many steps that a straight line between two is within 2e-7.
  private let curve: LookupCurve

  init(_ law: IntensityLaw, fullScale: Double) {
    self.fullScale = Float(fullScale)
    isSquare = law == .square
    isLinear = law == .linear
    // A law may jump where it leaves 0: the curve begins above the jump.
    curve = LookupCurve(steps: isSquare || isLinear ? 1 : 4096) {
      law.share(of: max($0, .leastNormalMagnitude))
    }
  }

  @_noAllocation @_noLocks
  func apply(to values: UnsafeMutablePointer<Float>, count: Int) {
    if isSquare {
      for index in 0..<count { values[index] *= fullScale * values[index] }
    } else if isLinear {
      for index in 0..<count { values[index] *= fullScale }
    } else {
      for index in 0..<count {
        let level = values[index]
        values[index] = level > 0 ? fullScale * curve.value(at: level) : 0
      }
    }
  }
}

/// A curve over 0...1 by its values at evenly spaced places.
struct LookupCurve: ~Copyable {
  private let values: UnsafeMutablePointer<Float>
  private let steps: Int

  init(steps: Int, _ value: (Double) -> Double) {
    self.steps = steps
    values = .allocate(capacity: steps + 1)
    for index in 0...steps {
      (values + index).initialize(to: Float(value(Double(index) / Double(steps))))
    }
  }

  deinit { values.deallocate() }

  /// The value at 0...1, between its steps by a straight line; held outside.
  @_noAllocation @_noLocks
  func value(at position: Float) -> Float {
    let limited = position > 0 ? (position < 1 ? position : 1) : 0
    let place = limited * Float(steps)
    let index = Int(place)
    let lower = index < steps ? index : steps - 1
    let base = values[lower]
    return base + (place - Float(lower)) * (values[lower + 1] - base)
  }
}

/// The limit of a mixing law for the render loop: `MixingLaw.limited(_:)` without a call.
struct SoftLimit {
  private let isOn: Bool
  private let knee: Float
  private let room: Float

  init(_ law: MixingLaw, fullScale: Double) {
    switch law.limit {
    case .none: (isOn, knee, room) = (false, 0, 0)
    case .soft(let knee, let ceiling):
      isOn = fullScale > 0
      // What rounding adds to one event at full strength is not a sum above full scale.
      self.knee = Float(fullScale * knee * (1 + 0x1p-20))
      room = Float(fullScale * (ceiling - knee))
    }
  }

  /// Limits frames in place and says how many were above the knee.
  @_noAllocation @_noLocks
  func apply(to output: UnsafeMutablePointer<Float>, count: Int) -> Int {
    guard isOn else { return 0 }
    var above: Int32 = 0
    for index in 0..<count { above &+= output[index].magnitude > knee ? 1 : 0 }
    guard above > 0 else { return 0 }
    for index in 0..<count where output[index].magnitude > knee {
      let excess = output[index].magnitude - knee
      let limited = knee + room * (excess / (excess + room))
      output[index] = output[index] < 0 ? -limited : limited
    }
    return Int(above)
  }
}

/// A sharpness law counted in turns a frame, split so that many vibrations share one control.
///
/// An offset of sharpness multiplies the frequency under a logarithmic law, (high/low)^offset, and
/// adds to it under a linear one, (high - low) offset. So what the control does is found once a frame for
/// all vibrations, and each only multiplies or adds, and holds to the law's ends. Under a pinned law it
/// stays an offset of sharpness, and each vibration picks its line.
struct TurnLaw {
  /// What offsets of sharpness are converted into.
  private enum Unit {
    /// Of a vibration's own turns a frame.
    case factors
    /// Added to them.
    case turns
    case sharpnessOffsets
  }

  private let unit: Unit
  /// The fewest turns a frame.
  private let lowest: Float
  /// The most turns a frame, half a turn at the most.
  private let highest: Float
  /// What an offset of 1 does under a logarithmic law, and under a linear one.
  private let octavesPerSharpness: Float
  private let turnsPerSharpness: Float
  /// The pinned law's lines: turns a frame at sharpness 0 and at the pin, and the slope of each.
  private let low: Float
  private let pin: Float
  private let lowSlope: Float
  private let highSlope: Float
  private let pinnedSharpness: Float
  private let law: SharpnessLaw
  private let rate: Double

  init(_ law: SharpnessLaw, rate: Double) {
    self.law = law
    self.rate = rate
    let first = law.frequency(of: 0) / rate
    let last = law.frequency(of: 1) / rate
    var middle = first
    switch law {
    case .logarithmic(let low, let high):
      (unit, octavesPerSharpness, turnsPerSharpness) = (.factors, Float(log2(high / low)), 0)
    case .linear(let low, let high):
      (unit, octavesPerSharpness, turnsPerSharpness) = (.turns, 0, Float((high - low) / rate))
    case .pinned(_, let resonance, _):
      (unit, octavesPerSharpness, turnsPerSharpness) = (.sharpnessOffsets, 0, 0)
      middle = resonance / rate
    }
    low = Float(first)
    pin = Float(middle)
    lowSlope = Float((middle - first) / SharpnessLaw.pinnedSharpness)
    highSlope = Float((last - middle) / (1 - SharpnessLaw.pinnedSharpness))
    pinnedSharpness = Float(SharpnessLaw.pinnedSharpness)
    lowest = Float(min(0.5, min(first, last)))
    highest = Float(min(0.5, max(first, last)))
  }

  /// Turns a frame of a sharpness, below half a turn or not.
  func turns(of sharpness: Double) -> Double { law.frequency(of: sharpness) / rate }

  /// The same for a render loop, held to the law's ends.
  @_noAllocation @_noLocks
  func turns(ofSharpness sharpness: Float) -> Float {
    let held = sharpness > 0 ? (sharpness < 1 ? sharpness : 1) : 0
    let turns =
      switch unit {
      case .factors: low * powerOfTwo(octavesPerSharpness * held)
      case .turns: low + turnsPerSharpness * held
      case .sharpnessOffsets: pinned(held)
      }
    return turns > lowest ? (turns < highest ? turns : highest) : lowest
  }

  /// Converts offsets of sharpness -1...1 into the law's unit, in place.
  @_noAllocation @_noLocks
  func convert(_ offsets: UnsafeMutablePointer<Float>, count: Int) {
    let law = self
    switch unit {
    case .factors:
      for index in 0..<count {
        offsets[index] = powerOfTwo(law.octavesPerSharpness * offsets[index])
      }
    case .turns:
      for index in 0..<count { offsets[index] *= law.turnsPerSharpness }
    case .sharpnessOffsets: break
    }
  }

  /// Fills the steps of the phase of a vibration, by its own turns a frame and sharpness, from what
  /// `convert` made of a control.
  @_noAllocation @_noLocks
  func fillSteps(
    _ steps: UnsafeMutablePointer<UInt32>, turns: Float, sharpness: Float,
    control: UnsafeMutablePointer<Float>, count: Int
  ) {
    let (law, factors, addedTurns, offsets) = (self, control, control, control)
    switch unit {
    case .factors:
      for index in 0..<count { steps[index] = law.step(turns * factors[index]) }
    case .turns:
      for index in 0..<count { steps[index] = law.step(turns + addedTurns[index]) }
    case .sharpnessOffsets:
      for index in 0..<count { steps[index] = law.step(law.pinned(sharpness + offsets[index])) }
    }
  }

  @inline(__always)
  private func pinned(_ sharpness: Float) -> Float {
    sharpness < pinnedSharpness
      ? low + sharpness * lowSlope : pin + (sharpness - pinnedSharpness) * highSlope
  }

  /// The step of the phase for turns a frame, held to the law's ends.
  @inline(__always)
  private func step(_ turns: Float) -> UInt32 {
    let raised = turns > lowest ? turns : lowest
    return phaseUnits(ofTurns: Double(raised < highest ? raised : highest))
  }
}
