// SPDX-License-Identifier: Apache-2.0

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

  /// The beginning of the large pattern: one of so many parts of its events, and how many those are.
  func beginning(of parts: Int) -> (data: Data, events: Int)? {
    guard let root = try? JSONSerialization.jsonObject(with: large) as? [String: Any],
      let entries = root["Pattern"] as? [[String: Any]]
    else { return nil }
    func time(_ entry: [String: Any]) -> Double {
      (entry["Event"] as? [String: Any])?["Time"] as? Double ?? 0
    }
    let events = entries.filter { $0["Event"] != nil }.sorted { time($0) < time($1) }
    let kept = Array(events.prefix(events.count / parts))
    let pattern: [String: Any] = ["Version": 1.0, "Pattern": kept]
    return (try? JSONSerialization.data(withJSONObject: pattern)).map { ($0, kept.count) }
  }

  /// Taps at even distances in seconds.
  static func taps(count: Int, step: Double) -> Data {
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
