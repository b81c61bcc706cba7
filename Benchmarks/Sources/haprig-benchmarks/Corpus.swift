import Foundation

/// The patterns that are measured with: real ones where they are, generated ones elsewhere.
struct Corpus {
  /// The project's folder.
  let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  /// Where the patterns come from, in words.
  let origin: String
  /// A folder of eight short patterns.
  let eight: URL
  /// 149 taps in three seconds under a curve.
  let gravel: Data
  /// Thousands of events.
  let large: Data

  init() {
    let shared = root.deletingLastPathComponent().appending(path: "shared/corpus")
    if let gravel = try? Data(
      contentsOf: shared.appending(path: "Apple-HapticSampler/Gravel.ahap")),
      let large = try? Data(
        contentsOf: shared.appending(path: "samroman3-AHAPpy/Wakeup_combined.ahap"))
    {
      origin = "the corpus beside the project"
      eight = shared.appending(path: "Apple-HapticSampler")
      self.gravel = gravel
      self.large = large
    } else {
      origin = "generated, and the project's own: there is no corpus beside the project"
      eight = root.appending(path: "rigs/patterns")
      gravel = Self.taps(count: 149, step: 0.02)
      large = Self.taps(count: 4_488, step: 0.049)
    }
  }

  private static func taps(count: Int, step: Double) -> Data {
    let events = (0..<count).map { index in
      """
          {
            "Event": {
              "Time": \(Double(index) * step),
              "EventType": "HapticTransient",
              "EventParameters": [
                { "ParameterID": "HapticIntensity", "ParameterValue": 0.6 },
                { "ParameterID": "HapticSharpness", "ParameterValue": \(Double(index % 10) / 10) }
              ]
            }
          }
      """
    }
    return Data(
      "{\n  \"Version\": 1.0,\n  \"Pattern\": [\n\(events.joined(separator: ",\n"))\n  ]\n}\n".utf8)
  }
}
