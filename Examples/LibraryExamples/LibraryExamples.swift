// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The examples of the libraries' pages (`make docs`), each in a file of its own.
///
///     swift run LibraryExamples             all of them
///     swift run LibraryExamples AHAP        the one of a library
@main
struct LibraryExamples {
  private static let all: [(library: String, run: @Sendable () async throws -> Void)] = [
    ("AHAP", ahap), ("Authoring", authoring), ("HapticRendering", hapticRendering),
    ("CoreHaptics", coreHaptics), ("UIKitFeedback", uiKitFeedback), ("HapticClips", hapticClips),
    ("Profiles", profiles), ("Composing", composing), ("SignalAnalysis", signalAnalysis),
    ("RunArchive", runArchive), ("ChangeDetection", changeDetection),
    ("VirtualDevices", virtualDevices), ("USBDevices", usbDevices), ("LiveRuns", liveRuns),
  ]

  static func main() async throws {
    let wanted = CommandLine.arguments.dropFirst()
    let known = Set(all.map(\.library))
    guard known.isSuperset(of: wanted) else {
      let names = all.map(\.library).joined(separator: ", ")
      FileHandle.standardError.write(Data("LibraryExamples: the libraries are \(names)\n".utf8))
      exit(2)
    }
    for snippet in all where wanted.isEmpty || wanted.contains(snippet.library) {
      if wanted.count != 1 { print("\n\(snippet.library)") }
      try await snippet.run()
    }
  }
}
