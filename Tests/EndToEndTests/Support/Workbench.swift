// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import Testing

/// A fresh folder to run haprig in; it goes when the test ends.
final class Workbench {
  /// The working folder of what is run here.
  let folder: URL
  private let root: URL
  private var runs = 0

  init() throws {
    var template = Array(
      (FileManager.default.temporaryDirectory.path() + "/haprig-e2e-XXXXXX").utf8CString)
    let made = try #require(mkdtemp(&template))
    // Without the links of the path, so that names in messages are those that were given.
    root = URL(filePath: String(cString: made), directoryHint: .isDirectory)
      .resolvingSymlinksInPath()
    folder = root.appending(path: "work", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: root) }

  /// The program that `HAPRIG_PROGRAM` names, as `make test` does with the release build, or the one
  /// that was built beside the tests.
  static let haprig: String = {
    if let named = ProcessInfo.processInfo.environment["HAPRIG_PROGRAM"] { return named }
    let runner = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    return runner.deletingLastPathComponent().appending(path: "haprig").path()
  }()

  /// The folder of the package.
  static let package: URL = URL(filePath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The project's own rigs.
  static var rigs: String { package.appending(path: "rigs").path() }

  func file(_ name: String) -> URL { folder.appending(path: name) }

  /// Writes a file below the folder, with the folders on the way.
  @discardableResult
  func write(_ text: String, to name: String) throws -> String {
    try write(Data(text.utf8), to: name)
  }

  @discardableResult
  func write(_ bytes: Data, to name: String) throws -> String {
    let target = file(name)
    try FileManager.default.createDirectory(
      at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
    try bytes.write(to: target)
    return target.path()
  }

  func bytes(_ name: String) throws -> Data { try Data(contentsOf: file(name)) }

  /// Everything in a folder, hidden or not, but the index of an archive; nothing where there is no folder.
  func names(in name: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: file(name).path())) ?? []).sorted()
      .filter { !$0.hasPrefix("index.sqlite") }
  }

  /// Starts any program.
  func start(
    _ arguments: [String], changing environment: [String: String] = [:], in working: URL? = nil,
    on terminal: Terminal? = nil
  ) throws -> Program {
    runs += 1
    // Locks of its own: what other tests hold is no concern of this one.
    let environment = ["XDG_RUNTIME_DIR": root.path()].merging(environment) { $1 }
    return try Program(
      arguments, changing: environment, in: working ?? folder,
      output: root.appending(path: "\(runs).out"), errors: root.appending(path: "\(runs).err"),
      terminal: terminal)
  }

  /// Starts haprig.
  func start(haprig arguments: [String]) throws -> Program {
    try start([Self.haprig] + arguments)
  }

  /// Runs haprig to its end.
  func haprig(
    _ arguments: String..., changing environment: [String: String] = [:], in working: URL? = nil
  ) throws -> Ending {
    try haprig(arguments, changing: environment, in: working)
  }

  /// Runs haprig to its end with arguments that were put together.
  func haprig(
    _ arguments: [String], changing environment: [String: String] = [:], in working: URL? = nil
  ) throws -> Ending {
    try start([Self.haprig] + arguments, changing: environment, in: working).end()
  }

  /// What a validator that others wrote says of a text by a schema of the project; nothing where there is none.
  func complaints(of text: String, by schema: String) throws -> String {
    let file = try write(text, to: "complaints.json")
    let script = """
      import json, sys
      try:
          import jsonschema
      except ImportError:
          sys.exit(0)
      validator = jsonschema.Draft202012Validator(json.load(open(sys.argv[1])))
      for error in validator.iter_errors(json.load(open(sys.argv[2]))):
          print("/".join(map(str, error.absolute_path)), error.message[:300])
      """
    let path = Self.package.appending(path: "docs/schema/\(schema)").path()
    return try start(["/usr/bin/python3", "-c", script, path, file]).end().output
  }

  /// Runs a program of the system, which has to end well.
  func tool(_ arguments: String...) throws -> String { try tool(arguments) }

  /// Runs a program of the system with arguments that were put together.
  func tool(_ arguments: [String]) throws -> String {
    let ending = try start(arguments).end()
    try #require(ending.code == 0, "\(arguments): \(ending.errors)")
    return ending.output
  }
}
