// SPDX-License-Identifier: Apache-2.0

import Foundation
import ScratchFolder
import Testing

/// The examples run as a user runs them, and what they play is recorded.
struct ExamplesTests {
  /// Runs an example to its end, from the project's folder.
  ///
  /// - Parameters:
  ///   - name: The example.
  ///   - arguments: What it is called with.
  ///   - environment: All that it is given.
  ///   - pipe: Which of its streams is kept.
  /// - Returns: Its exit status, that of a signal negative, and what it said.
  /// - Throws: What the system says where it cannot be started.
  private func run(
    _ name: String, _ arguments: [String], environment: [String: String],
    keeping pipe: ReferenceWritableKeyPath<Process, Any?>
  ) throws -> (status: Int32, said: String) {
    let process = Process()
    process.executableURL = Project.built.appendingPathComponent(name)
    process.arguments = arguments
    process.currentDirectoryURL = Project.root
    process.environment = environment
    let kept = Pipe()
    process[keyPath: pipe] = kept
    try process.run()
    let said = String(decoding: kept.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let status = process.terminationStatus
    return (process.terminationReason == .exit ? status : -status, said)
  }

  @Test(arguments: [
    ("Palette", "circle", [String]()), ("BouncingBall", "bounces", []),
    ("Ricochet", "still", []), ("Sampler", "9 of 9", ["rigs/patterns/feedback"]),
  ])
  func `an example plays and is recorded`(
    name: String, says: String, arguments: [String]
  ) throws {
    let folder = try ScratchFolder()
    let (status, said) = try run(
      name, arguments, environment: ["HAPRIG_OBSERVE": folder.path], keeping: \.standardOutput)
    #expect(status == 0)
    #expect(said.contains(says), "\(said)")
    let run = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder.path)
        .first { !$0.hasPrefix(".") })
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/" + run)
    #expect(files.contains("\(name)-1.ahap"), "\(files)")
  }

  @Test(arguments: [
    ("Palette", "CoreHaptics: HAPRIG_RIG /nowhere.yaml: there is no such file"),
    ("BouncingBall", "BouncingBall: HAPRIG_RIG /nowhere.yaml: there is no such file"),
    ("Ricochet", "Ricochet: HAPRIG_RIG"), ("Sampler", "Sampler: HAPRIG_RIG"),
  ])
  func `an example without a rig says why and ends with an error`(
    name: String, says: String
  ) throws {
    let (status, said) = try run(
      name, name == "Sampler" ? ["rigs/patterns/feedback"] : [],
      environment: ["HAPRIG_RIG": "/nowhere.yaml"], keeping: \.standardError)
    #expect(status == 1)
    #expect(said.contains(says), "\(said)")
    #expect(said.split(separator: "\n").count == 1, "\(said)")
  }

  @Test(arguments: ["Palette", "BouncingBall", "Ricochet", "Sampler"])
  func `an example is short`(name: String) throws {
    let text = try String(
      contentsOf: Project.root.appending(path: "Examples/\(name)/\(name).swift"), encoding: .utf8)
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count < 150)
  }
}
