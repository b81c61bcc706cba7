// SPDX-License-Identifier: Apache-2.0

import Bench
package import HapticRendering
import JSONText
package import Perception
import Profiles
import Reporting

package struct RequestedLaws: Sendable {
  /// Sharpness to frequency; `nil` for the profile's, else log80-230.
  package var sharpness: SharpnessLaw?
  /// Intensity to level; `nil` for the profile's, else square.
  package var intensity: IntensityLaw?
  /// The level of intensity 1 in dB above threshold; `nil` for the profile's, else 30.
  package var referenceLevel: Double?
  package var mixing = Mixing.soft
  /// What a tap leaves of the vibrations under it, 0...1.
  package var ducking = 1.0
  /// The length of a tap's burst, in milliseconds.
  package var transientLength = TransientShape.standard.length * 1e3
  /// What attack, decay and release of 0 and of 1 take.
  package var envelopeTimes = EnvelopeTimes.standard
  package var sharpnessControlMovesTaps = false

  package enum Mixing: String, Sendable {
    case soft
    case sum
  }

  /// The level of intensity 1 where nobody says another, in dB above threshold.
  package static let standardReference = 30.0
  /// Reference levels that people can tell and actuators reach, in dB above threshold.
  package static let referenceLevels = 11.0...60.0
  /// The lengths that a tap's burst may have, in milliseconds.
  package static let transientLengths = 1.0...500.0

  package init() {}

  package var target: IntensityTarget {
    IntensityTarget(
      law: intensity ?? .square, referenceLevel: referenceLevel ?? Self.standardReference)
  }

  func asked(of laws: ProfileLaws) -> ProfileLaws {
    var laws = laws
    if let intensity { laws.intensity = intensity }
    if let sharpness { laws.sharpness = sharpness }
    return laws
  }

  package var configuration: RenderConfiguration {
    let limit: MixingLaw = mixing == .soft ? .standard : .sum
    return RenderConfiguration(
      sharpnessLaw: sharpness ?? .log80To230, intensityLaw: intensity ?? .square,
      envelopeLaw: envelopeTimes.law, transientShape: TransientShape(length: transientLength / 1e3),
      mixingLaw: limit.ducking(ducking),
      sharpnessControlMovesTransients: sharpnessControlMovesTaps)
  }
}

/// The ends of the exponential law of attack, decay and release, written as `1-1000` in milliseconds.
package struct EnvelopeTimes: Sendable {
  let law: EnvelopeLaw
  /// As it was written: milliseconds read back from seconds may differ in their last digit.
  package let text: String

  package static let standard = EnvelopeTimes(law: .standard)

  private init(law: EnvelopeLaw) {
    self.law = law
    text = "\(law.shortest * 1e3)-\(law.longest * 1e3)"
  }

  /// Reads two numbers from 0.01 to 10,000, the greater one last; `nil` of anything else.
  package init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Double($0) }
    guard parts.count == 2, let shortest = parts[0], let longest = parts[1],
      (0.01...10_000).contains(shortest), (shortest...10_000).contains(longest)
    else { return nil }
    law = EnvelopeLaw(shortest: shortest / 1e3, longest: longest / 1e3)
    self.text = text
  }
}

extension RequestedLaws {
  /// What was asked for as a record keeps it: by the names of the command line's options, each with its text.
  var record: JSONValue {
    .object(of: [
      "mixing": mixing.rawValue, "ducking": "\(ducking)", "transient-length": "\(transientLength)",
      "envelope-times": envelopeTimes.text, "sharpness-law": sharpness?.name,
      "intensity-law": intensity?.rawValue, "reference-level": referenceLevel.map { "\($0)" },
      "sharpness-control-moves-taps": sharpnessControlMovesTaps ? true : nil,
    ])
  }

  /// Reads what a record keeps; what it does not name has its default, and what is no law's is left alone.
  init(record: JSONValue) throws(InputError) {
    guard case .object(let members) = record else {
      throw InputError("inputs.options of the record is no object")
    }
    self.init()
    for member in members { try read(member.key, member.value) }
  }

  private mutating func read(_ key: String, _ value: JSONValue) throws(InputError) {
    func known<Value>(_ found: Value?) throws(InputError) -> Value {
      guard let found else {
        throw InputError("inputs.options.\(key) of the record is not one that haprig writes")
      }
      return found
    }
    func number(in range: ClosedRange<Double>) throws(InputError) -> Double {
      try known(value.string.flatMap { Double($0) }.flatMap { range.contains($0) ? $0 : nil })
    }
    switch key {
    case "mixing": mixing = try known(value.string.flatMap { Mixing(rawValue: $0) })
    case "ducking": ducking = try number(in: 0...1)
    case "transient-length": transientLength = try number(in: Self.transientLengths)
    case "envelope-times": envelopeTimes = try known(value.string.flatMap { EnvelopeTimes($0) })
    case "sharpness-law": sharpness = try known(value.string.flatMap { SharpnessLaw.named($0) })
    case "intensity-law":
      intensity = try known(value.string.flatMap { IntensityLaw(rawValue: $0) })
    case "reference-level": referenceLevel = try number(in: Self.referenceLevels)
    case "sharpness-control-moves-taps": sharpnessControlMovesTaps = try known(value.bool)
    default: break
    }
  }
}
