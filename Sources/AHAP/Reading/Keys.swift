/// The names that a file may use, as they are listed in messages and compared for likeness.
enum Keys {
  static let top = ["Version", "Metadata", "Pattern"]
  static let metadata = ["Project", "Created", "Description"]
  static let entry = ["Event", "Parameter", "ParameterCurve"]
  static let event = [
    "Time", "EventType", "EventDuration", "EventParameters", "EventWaveformPath",
    "EventWaveformUseVolumeEnvelope", "EventWaveformLoopEnabled",
  ]
  static let eventParameter = ["ParameterID", "ParameterValue"]
  static let parameter = ["ParameterID", "ParameterValue", "Time"]
  static let curve = ["ParameterID", "Time", "ParameterCurveControlPoints"]
  static let point = ["Time", "ParameterValue"]
  static let eventTypes = HapticEvent.Kind.allCases.map(\.rawValue)

  /// Lists names as `'a', 'b' or 'c'`.
  static func choice(_ names: [String]) -> String {
    let quoted = names.map { "'\($0)'" }
    guard let last = quoted.last, quoted.count > 1 else { return quoted.joined() }
    return quoted.dropLast().joined(separator: ", ") + " or " + last
  }
}
