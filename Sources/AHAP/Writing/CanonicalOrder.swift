/// The places of an AHAP file whose keys are known, with the one order in which they are written.
enum CanonicalOrder {
  case file
  case pattern
  case entry
  case event
  case eventParameters
  case eventParameter
  case parameter
  case curve
  case points
  case point
  /// The number of a known key.
  case number
  /// Whatever is kept as it is.
  case other

  typealias Key = (name: String, place: CanonicalOrder)

  private static let fileKeys: [Key] = [
    ("Version", .number), ("Metadata", .other), ("Pattern", .pattern),
  ]
  private static let entryKeys: [Key] = [
    ("Event", .event), ("Parameter", .parameter), ("ParameterCurve", .curve),
  ]
  private static let eventKeys: [Key] = [
    ("Time", .number), ("EventType", .other), ("EventDuration", .number),
    ("EventWaveformPath", .other), ("EventWaveformUseVolumeEnvelope", .other),
    ("EventWaveformLoopEnabled", .other), ("EventParameters", .eventParameters),
  ]
  private static let eventParameterKeys: [Key] = [
    ("ParameterID", .other), ("ParameterValue", .number),
  ]
  private static let parameterKeys: [Key] = [
    ("ParameterID", .other), ("ParameterValue", .number), ("Time", .number),
  ]
  private static let curveKeys: [Key] = [
    ("ParameterID", .other), ("Time", .number), ("ParameterCurveControlPoints", .points),
  ]
  private static let pointKeys: [Key] = [("Time", .number), ("ParameterValue", .number)]

  /// The known keys of an object in this place, in their order.
  var keys: [Key] {
    switch self {
    case .file: Self.fileKeys
    case .entry: Self.entryKeys
    case .event: Self.eventKeys
    case .eventParameter: Self.eventParameterKeys
    case .parameter: Self.parameterKeys
    case .curve: Self.curveKeys
    case .point: Self.pointKeys
    default: []
    }
  }

  /// The place of the elements of an array in this place.
  var element: CanonicalOrder {
    switch self {
    case .pattern: .entry
    case .eventParameters: .eventParameter
    case .points: .point
    default: .other
    }
  }
}
