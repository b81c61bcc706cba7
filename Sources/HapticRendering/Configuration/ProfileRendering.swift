// SPDX-License-Identifier: Apache-2.0

import Actuators
public import Profiles
public import Units

/// An actuator's profile as rendering applies it: absolute accelerations, and the inverse that drives them.
///
/// With a profile, intensity and sharpness become an acceleration in m/s2 and a frequency by the
/// profile's tables; events are summed as accelerations; the sum goes through the profile's inverse
/// filter to volts. The filter keeps the peak voltage by itself and remembers what it could not give, so
/// there is no soft limit, and starts and ends are overdriven and braked.
public struct ProfileRendering: Sendable, Equatable {
  /// The profile.
  public let profile: CalibrationProfile
  /// The peak voltage of a drive of 1.
  public let fullScaleVolts: Double
  let vibrations: DriveTable
  /// What taps are looked up in: their ceiling is the peak voltage, not what lasts.
  let taps: DriveTable
  private let gamut: Gamut
  private let tapGamut: Gamut

  /// Looks the profile's tables up for a device; a tap's length is in seconds.
  public init(
    profile: CalibrationProfile, fullScaleVolts: Double, rate: SampleRate, transientLength: Double
  ) {
    self.profile = profile
    self.fullScaleVolts = fullScaleVolts
    let map = DriveMap(profile: profile, fullScaleVolts: fullScaleVolts)
    let tapMap = map.taps(length: transientLength)
    vibrations = DriveTable(map, rate: rate.hertz)
    taps = DriveTable(tapMap, rate: rate.hertz)
    gamut = Gamut(map)
    tapGamut = Gamut(tapMap)
  }

  /// Whether an event of a kind gets what it asks for, to a quarter of a just noticeable difference.
  ///
  /// Looked up at the nearest of 33 intensities and 33 sharpnesses.
  public func reaches(
    _ kind: TimelineEvent.Kind, intensity: Double, sharpness: Double
  ) -> Bool {
    (kind == .transient ? tapGamut : gamut).isInside(intensity: intensity, sharpness: sharpness)
  }

  /// How long the inverse takes to come to rest after its input has, in seconds.
  static let settling = 0.1

  /// The voltage that the inverse never exceeds.
  public var peakVolts: Double { min(profile.actuator.limits.peakVolts, fullScaleVolts) }

  /// The inverse for a rate, at rest.
  func filter(rate: SampleRate) -> FeedForwardFilter {
    FeedForwardFilter(
      profile.feedForward, rate: rate.hertz, peakVolts: peakVolts, fullScaleVolts: fullScaleVolts)
  }

  /// Tells whether two render alike: of tables that follow from the profile, one is compared.
  public static func == (left: Self, right: Self) -> Bool {
    left.profile == right.profile && left.fullScaleVolts == right.fullScaleVolts
      && left.vibrations.rate == right.vibrations.rate && left.taps == right.taps
  }
}

/// Where an actuator gets what the laws ask for.
private struct Gamut: Sendable, Equatable {
  private static let steps = 32
  private let inside: [Bool]

  init(_ map: DriveMap) {
    inside = (0...Self.steps).flatMap { row in
      (0...Self.steps).map { column in
        map.command(
          intensity: max(1e-9, Double(column) / Double(Self.steps)),
          sharpness: Double(row) / Double(Self.steps)
        ).mapping.isInside
      }
    }
  }

  func isInside(intensity: Double, sharpness: Double) -> Bool {
    func node(_ value: Double) -> Int {
      Int((min(1, max(0, value)) * Double(Self.steps)).rounded())
    }
    return inside[node(sharpness) * (Self.steps + 1) + node(intensity)]
  }
}

extension RenderConfiguration {
  /// Where a tap's carrier starts, in turns: at zero, or with a profile where its taps do.
  var tapPhase: Double { profile?.profile.tapShape(length: transientShape.length).phase ?? 0 }
}
