// SPDX-License-Identifier: Apache-2.0

import Actuators
import Perception

extension CalibrationProfile {
  /// The reference level of a profile that belongs to no fleet yet, in dB above threshold.
  public static let ownReferenceLevel = 30.0

  /// The strongest that the actuator holds at any sharpness: level in dB above threshold and where.
  ///
  /// Nil for a profile without a ceiling or a motor curve.
  public var highestLevel: (level: Double, frequency: Double)? {
    let map = DriveMap(profile: self, fullScaleVolts: .infinity)
    let frequencies: [Double]
    if let curve = motorCurve {
      frequencies = curve.points.map(\.frequency)
    } else {
      let ends = [laws.sharpness.frequency(of: 0), laws.sharpness.frequency(of: 1)].sorted()
      let inside = ceiling.points.map(\.frequency) + model.modes.map(\.f0.value)
      frequencies = ends + inside.filter { ends[0] <= $0 && $0 <= ends[1] }
    }
    return frequencies.compactMap { frequency in
      map.ceilingLevel(at: frequency).map { (level: $0, frequency: frequency) }
    }.max { $0.level < $1.level }
  }

  /// The reference level before there is a fleet: 30 dB, or what the actuator holds if that is less.
  public var unfleetedReferenceLevel: Double {
    min(Self.ownReferenceLevel, highestLevel?.level ?? Self.ownReferenceLevel)
  }

  /// The same profile under another reference level; what was verified under the old one is left out.
  public func retargeted(to referenceLevel: Double) -> CalibrationProfile {
    var profile = self
    profile.laws.referenceLevel = referenceLevel
    if referenceLevel != laws.referenceLevel { profile.verification = nil }
    return profile
  }
}

/// The absolute level that a fleet of actuators shares, and what each gives up for it.
public struct FleetTargeting: Sendable, Equatable {
  /// One actuator of a fleet.
  public struct Member: Sendable, Equatable {
    /// The actuator's identifier.
    public let id: String
    /// The strongest that it holds, in dB above threshold.
    public let highestLevel: Double
    /// Where it does so, in hertz.
    public let strongestFrequency: Double
    /// How much of that it gives up, in dB; below 0 where the fleet asks for more than it holds.
    public let loss: Double
    /// Whether it holds the fleet's level.
    public var isReached: Bool { loss > -0.05 }
    /// How many of the 25 points of the grid it reaches under the fleet's level.
    public let reachedPoints: Int
  }

  /// Why there is no level for a fleet.
  public enum Refusal: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is no profile.
    case empty
    /// Two profiles are of one actuator.
    case twice(id: String)
    /// Two profiles mean different things by intensity and sharpness.
    case differentLaws(first: String, second: String)
    /// The strongest that an actuator holds is not above the floor of the laws.
    case tooWeak(id: String, highestLevel: Double, floor: Double)
    /// The level that is asked for is not above the floor of the laws.
    case referenceTooLow(reference: Double, floor: Double)
    /// No actuator holds the level that is asked for.
    case referenceTooHigh(reference: Double, members: [Member])

    /// One sentence: what, what was expected, what to do.
    public var description: String {
      switch self {
      case .empty: "there is no profile in the fleet: calibrate an actuator first"
      case .twice(let id):
        "two profiles of the fleet are of the actuator '\(id)': leave one of them"
      case .differentLaws(let first, let second):
        "the profiles of '\(first)' and '\(second)' were made under different laws or contours: "
          + "calibrate both under the same"
      case .tooWeak(let id, let level, let floor):
        "'\(id)' holds no more than \(Self.rounded(level)) dB above threshold, which is not above "
          + "the floor of \(Self.rounded(floor)) dB: leave it out of the fleet"
      case .referenceTooLow(let reference, let floor):
        "a reference level of \(Self.rounded(reference)) dB is not above the floor of "
          + "\(Self.rounded(floor)) dB: ask for more"
      case .referenceTooHigh(let reference, let members):
        "no actuator holds a reference level of \(Self.rounded(reference)) dB: "
          + members.map {
            "'\($0.id)' holds \(Self.rounded($0.highestLevel)) dB, \(Self.rounded(-$0.loss)) dB less"
          }.joined(separator: ", ") + "; ask for less, or for none to take the most that all hold"
      }
    }

    private static func rounded(_ level: Double) -> String {
      "\((level * 10).rounded() / 10)"
    }
  }

  /// The level of intensity 1, in dB above threshold.
  public let referenceLevel: Double
  /// The actuators, in the order of the profiles.
  public let members: [Member]
  /// The actuator that holds the least and so decides the level, unless a level was asked for.
  public let weakest: String

  /// Finds the level that all can reach, each at its own best sharpness, or takes the one asked for, in dB above
  /// threshold; fails where there is no such level.
  public init(_ profiles: [CalibrationProfile], reference: Double? = nil) throws(Refusal) {
    guard let first = profiles.first else { throw .empty }
    var ids: Set<String> = []
    var heights: [(level: Double, frequency: Double)] = []
    for profile in profiles {
      guard ids.insert(profile.actuator.id).inserted else { throw .twice(id: profile.actuator.id) }
      guard profile.laws.haveSameMeaning(as: first.laws) else {
        throw .differentLaws(first: first.actuator.id, second: profile.actuator.id)
      }
      let highest = profile.highestLevel ?? (level: -.infinity, frequency: 0)
      guard highest.level > profile.laws.floorLevel else {
        throw .tooWeak(
          id: profile.actuator.id, highestLevel: highest.level, floor: profile.laws.floorLevel)
      }
      heights.append(highest)
    }
    let lowest = zip(profiles, heights).min { $0.1.level < $1.1.level }
    let level = reference ?? lowest?.1.level ?? 0
    guard level > first.laws.floorLevel else {
      throw .referenceTooLow(reference: level, floor: first.laws.floorLevel)
    }
    referenceLevel = level
    weakest = lowest?.0.actuator.id ?? ""
    members = zip(profiles, heights).map { profile, highest in
      Member(
        id: profile.actuator.id, highestLevel: highest.level,
        strongestFrequency: highest.frequency, loss: highest.level - level,
        reachedPoints: FeltGrid(predicting: profile.retargeted(to: level)).points.count {
          $0.isInside
        })
    }
    guard members.contains(where: \.isReached) else {
      throw .referenceTooHigh(reference: level, members: members)
    }
  }
}

extension ProfileLaws {
  /// Whether intensity and sharpness mean the same, levels apart.
  func haveSameMeaning(as other: ProfileLaws) -> Bool {
    intensity == other.intensity && sharpness == other.sharpness && contour == other.contour
      && floorLevel == other.floorLevel
  }
}
