import ArgumentParser
import JSONText

extension LawOptions {
  /// The options as a record keeps them: by their names on the command line, each with its text.
  var record: JSONValue {
    var members = [
      JSONMember("mixing", .string(mixing.rawValue)), JSONMember("ducking", .string("\(ducking)")),
      JSONMember("transient-length", .string("\(transientLength)")),
      JSONMember("envelope-times", .string(envelopeTimes.text)),
    ]
    if let sharpnessLaw { members.append(JSONMember("sharpness-law", .string(sharpnessLaw))) }
    if let intensityLaw { members.append(JSONMember("intensity-law", .string(intensityLaw))) }
    if let referenceLevel {
      members.append(JSONMember("reference-level", .string("\(referenceLevel)")))
    }
    if sharpnessControlMovesTaps {
      members.append(JSONMember("sharpness-control-moves-taps", .bool(true)))
    }
    return .object(members)
  }

  /// Reads the options of a record; what it does not name has its default.
  ///
  /// - Parameter record: An object as `record` makes it.
  /// - Returns: The options.
  /// - Throws: What the command line's own parsing throws.
  static func read(_ record: JSONValue) throws -> LawOptions {
    guard case .object(let members) = record else {
      throw ValidationError("inputs.options of the record is no object")
    }
    let arguments = members.flatMap { member -> [String] in
      switch member.value {
      case .bool(let isSet): isSet ? ["--\(member.key)"] : []
      case .string(let text): ["--\(member.key)=\(text)"]
      default: []
      }
    }
    return try LawOptions.parse(arguments)
  }
}
