import Foundation
import ScratchFolder
import Testing

/// The examples run as a user runs them, and what they play is recorded.
struct ExamplesTests {
  private static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  /// The folder of the programs: they are built beside the tests.
  private static let built = URL(
    fileURLWithPath: (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
      ?? "."
  ).deletingLastPathComponent()

  @Test(arguments: [
    ("Palette", "circle", [String]()), ("BouncingBall", "bounces", []),
    ("Ricochet", "still", []), ("Sampler", "9 of 9", ["rigs/patterns/feedback"]),
  ])
  func `an example plays and is recorded`(
    name: String, says: String, arguments: [String]
  ) throws {
    let folder = try ScratchFolder()
    let process = Process()
    process.executableURL = Self.built.appendingPathComponent(name)
    process.arguments = arguments
    process.currentDirectoryURL = Self.root
    process.environment = ["HAPRIG_OBSERVE": folder.path]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let said = String(
      decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
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
    let process = Process()
    process.executableURL = Self.built.appendingPathComponent(name)
    process.arguments = name == "Sampler" ? ["rigs/patterns/feedback"] : []
    process.currentDirectoryURL = Self.root
    process.environment = ["HAPRIG_RIG": "/nowhere.yaml"]
    let errors = Pipe()
    process.standardError = errors
    try process.run()
    let said = String(
      decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 1)
    #expect(said.contains(says), "\(said)")
    #expect(said.split(separator: "\n").count == 1, "\(said)")
  }

  @Test(arguments: ["Palette", "BouncingBall", "Ricochet", "Sampler"])
  func `an example is short`(name: String) throws {
    let text = try String(
      contentsOf: Self.root.appending(path: "Examples/\(name)/\(name).swift"), encoding: .utf8)
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count < 150)
  }
}
