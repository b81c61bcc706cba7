import Bench
import HapticRendering
import JSONText
import Perception

extension RequestedLaws {
  /// What was asked for as a record keeps it: by the names of the command line's options, each with its text.
  var record: JSONValue {
    var members = [
      JSONMember("mixing", .string(mixing.rawValue)), JSONMember("ducking", .string("\(ducking)")),
      JSONMember("transient-length", .string("\(transientLength)")),
      JSONMember("envelope-times", .string(envelopeTimes.text)),
    ]
    if let sharpness { members.append(JSONMember("sharpness-law", .string(sharpness.name))) }
    if let intensity { members.append(JSONMember("intensity-law", .string(intensity.rawValue))) }
    if let referenceLevel {
      members.append(JSONMember("reference-level", .string("\(referenceLevel)")))
    }
    if sharpnessControlMovesTaps {
      members.append(JSONMember("sharpness-control-moves-taps", .bool(true)))
    }
    return .object(members)
  }

  /// Reads what a record keeps; what it does not name has its default, and what is no law's is left alone.
  ///
  /// - Throws: `InputError` where a value is none that `record` could have written.
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
