// SPDX-License-Identifier: Apache-2.0

import Actuators
import Devices
private import Glibc
import HapticRendering
import Perception
import Profiles

/// What a profile says that its actuator cannot follow.
final class ActuatorReach: Sendable {
  /// What keeps an event from being felt as it is written.
  struct Miss: Sendable, Equatable {
    enum Kind: String, Sendable {
      case level
      case frequency
      case rise
      case voltage
    }

    let kind: Kind
    let message: String
  }

  private struct Maps: Sendable {
    let vibrations: DriveMap
    let taps: DriveMap
  }

  private let profile: CalibrationProfile
  private let fullScaleVolts: Double
  private let tapLength: Double
  private let maps = Guarded<Maps?>(nil)

  /// The share of a just noticeable difference that counts as none, as in a profile's gamut.
  private static let exact = 0.25
  /// The share of its level that a vibration has risen to when it counts as there.
  private static let risen = 0.9
  /// How much later than asked a rise may be, in seconds: the band in which haptics and sound are together.
  private static let lateness = 0.01
  /// How far apart the moments are that are looked at, in seconds, and how many of an event at the most.
  private static let step = 0.01
  private static let mostMoments = 200

  init(_ profile: CalibrationProfile, fullScaleVolts: Double, tapLength: Double) {
    self.profile = profile
    self.fullScaleVolts = fullScaleVolts
    self.tapLength = tapLength
  }

  /// The maps take a moment to make: some 3 million steps of a filter.
  private var made: Maps {
    maps.withLock { maps in
      if let maps { return maps }
      let vibrations = DriveMap(profile: profile, fullScaleVolts: fullScaleVolts)
      let made = Maps(vibrations: vibrations, taps: vibrations.taps(length: tapLength))
      maps = made
      return made
    }
  }

  /// By rising sharpness, the highest intensity of a vibration that the actuator gives in full.
  func gamut(steps: Int = 32) -> [(sharpness: Double, intensity: Double)] {
    let map = made.vibrations
    return (0...steps).map { step in
      let sharpness = Double(step) / Double(steps)
      guard level(map, 1, sharpness) != nil else { return (sharpness, 1) }
      var (low, high) = (0.0, 1.0)
      for _ in 0..<20 {
        let middle = (low + high) / 2
        if level(map, middle, sharpness) == nil { low = middle } else { high = middle }
      }
      return (sharpness, low)
    }
  }

  /// What of a haptic event the actuator cannot follow, the first moment of each kind.
  func misses(of event: TimelineEvent, in intent: Intent) -> [Miss] {
    let map = event.kind == .transient ? made.taps : made.vibrations
    var found: [Miss.Kind: Miss] = [:]
    func note(_ kind: Miss.Kind, _ message: @autoclosure () -> String) {
      if found[kind] == nil { found[kind] = Miss(kind: kind, message: message()) }
    }
    var strongest = (intensity: 0.0, sharpness: 0.0)
    for time in moments(of: event) {
      let intensity = intent.intensity(of: event, at: time)
      guard intensity > 0 else { continue }
      let sharpness = intent.sharpness(of: event, at: time)
      if intensity > strongest.intensity { strongest = (intensity, sharpness) }
      if let miss = level(map, intensity, sharpness) {
        note(.level, "\(miss) (at \(Self.seconds(time)) s)")
      } else if let miss = frequency(map, intensity, sharpness) {
        note(.frequency, "\(miss) (at \(Self.seconds(time)) s)")
      }
    }
    if strongest.intensity > 0, let miss = rise(of: event, strongest) { note(.rise, miss) }
    return found.values.sorted { $0.kind.rawValue < $1.kind.rawValue }
  }

  private func moments(of event: TimelineEvent) -> [Double] {
    guard event.kind != .transient, event.end > event.start else { return [event.start] }
    let count = min(
      Self.mostMoments, max(2, Int(((event.end - event.start) / Self.step).rounded(.up))))
    // Not the very ends, where an envelope is at zero; the end of the attack, where it is at its highest.
    let even = (0..<count).map {
      event.start + (event.end - event.start) * (Double($0) + 0.5) / Double(count)
    }
    let top = event.start + event.envelope.attack + 1e-9
    return ([top] + even).filter { $0 < event.end }.sorted()
  }

  private func level(_ map: DriveMap, _ intensity: Double, _ sharpness: Double) -> String? {
    let command = map.command(intensity: intensity, sharpness: sharpness)
    let least = Self.exact * JustNoticeable.level.value
    let missing: Double
    if profile.motorCurve != nil {
      missing = command.mapping.decibels
      guard missing > least else { return nil }
    } else {
      guard let ceiling = map.ceilingLevel(at: command.targetFrequency),
        command.targetLevel > ceiling
      else { return nil }
      missing = command.targetLevel - ceiling
    }
    return "asks for \(Self.short(command.targetLevel)) dB above threshold at "
      + "\(Self.short(command.targetFrequency)) Hz, which is \(Self.short(max(0.1, missing))) dB more than the "
      + "actuator reaches there"
  }

  private func frequency(_ map: DriveMap, _ intensity: Double, _ sharpness: Double) -> String? {
    let command = map.command(intensity: intensity, sharpness: sharpness)
    guard abs(command.mapping.octaves) > Self.exact * JustNoticeable.octaves else { return nil }
    return "asks for \(Self.short(command.targetFrequency)) Hz, and the actuator gives "
      + "\(Self.short(command.frequency)) Hz instead"
  }

  /// How long the actuator takes to the level, the peak voltage helping, against how long it is asked to.
  private func rise(
    of event: TimelineEvent, _ strongest: (intensity: Double, sharpness: Double)
  ) -> String? {
    let isTap = event.kind == .transient
    let command = (isTap ? made.taps : made.vibrations).command(
      intensity: strongest.intensity, sharpness: strongest.sharpness)
    guard let constant = timeConstant else { return nil }
    let (asked, time): (Double, Double)
    if isTap {
      // What taps take of whatever resonates their map knows; a motor is not fast enough for any.
      guard profile.motorCurve != nil else { return nil }
      (asked, time) = (tapLength, -constant * log(1 - Self.risen))
    } else {
      let peak = min(profile.actuator.limits.peakVolts, fullScaleVolts)
      asked = event.envelope.attack + Self.lateness
      time = -constant * log(1 - Self.risen * min(1, command.volts / peak))
    }
    guard time > asked else { return nil }
    return "rises in \(Self.seconds(time)) s at the quickest, and is asked to in "
      + "\(Self.seconds(isTap ? tapLength : event.envelope.attack)) s"
  }

  /// The time constant of the envelope in seconds; `nil` of what follows at once.
  private var timeConstant: Double? {
    if let curve = profile.motorCurve { return curve.spinUpTime.value }
    guard profile.model.kind != .piezo, let mode = profile.model.modes.first else { return nil }
    return mode.q.value / (.pi * mode.f0.value)
  }

  private static func short(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
  private static func seconds(_ value: Double) -> String { "\((value * 1000).rounded() / 1000)" }
}
