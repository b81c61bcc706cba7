// SPDX-License-Identifier: Apache-2.0

// A sampler: plays the AHAP files of a folder, one after the other.
//
//     swift run Sampler rigs/patterns/feedback
//
// Lesson: patterns are content. An app loads them from files, asks each for its length, and says what is
// wrong with one in the error's own words.
import CoreHaptics
import Foundation

@main
struct Sampler {
  static func main() async {
    do {
      try await play()
    } catch {
      // The error says in its own words what to do.
      FileHandle.standardError.write(Data("Sampler: \(error.localizedDescription)\n".utf8))
      exit(1)
    }
  }

  private static func play() async throws {
    guard CommandLine.arguments.count == 2 else {
      print("usage: Sampler FOLDER")
      exit(2)
    }
    let folder = URL(fileURLWithPath: CommandLine.arguments[1], isDirectory: true)
    let files = try FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil
    ).filter { $0.pathExtension == "ahap" }.sorted { $0.path < $1.path }

    let engine = try CHHapticEngine()
    try await engine.start()
    var time = engine.currentTime + 0.1
    var played = 0
    for file in files {
      do {
        let pattern = try CHHapticPattern(contentsOf: file)
        let player = try engine.makePlayer(with: pattern)
        try player.start(atTime: time)
        print("\(file.lastPathComponent): \(pattern.duration) s")
        time += pattern.duration + 0.15
        played += 1
      } catch {
        print("\(file.lastPathComponent): left out: \(error.localizedDescription)")
      }
    }

    await withCheckedContinuation { (finished: CheckedContinuation<Void, Never>) in
      engine.notifyWhenPlayersFinished { _ in
        finished.resume()
        return .leaveEngineRunning
      }
    }
    try await engine.stop()
    print("\(played) of \(files.count) patterns were played")
  }
}
