// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The program of `Tests/ForeignPlant`, compiled once in each run of the tests.
enum ForeignPlantProgram {
  private static let sources = URL(filePath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "ForeignPlant", directoryHint: .isDirectory)

  /// The folder that goes when the tests end.
  private static let folder = Mutex<String?>(nil)

  /// The program's path, or why there is none.
  static let compiled: Result<String, ForeignPlant.Failure> = Result {
    () throws(ForeignPlant.Failure) in
    guard let compiler else {
      throw ForeignPlant.Failure("there is no clang on the path to compile Tests/ForeignPlant with")
    }
    var template = Array("/tmp/haprig-plant-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else {
      throw ForeignPlant.Failure("/tmp: \(String(cString: strerror(errno)))")
    }
    let path = String(cString: made)
    folder.withLock { $0 = path }
    atexit { ForeignPlantProgram.remove() }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: sources.path())) ?? []
    let program = path + "/plant"
    let files = names.filter { $0.hasSuffix(".c") }.sorted().map { sources.path() + $0 }
    let options = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror"]
    _ = try ForeignPlant.output(of: compiler, options + files + ["-lm", "-o", program])
    return program
  }

  private static var compiler: String? {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.map { "\($0)/clang" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  private static func remove() {
    guard let path = folder.withLock({ $0 }) else { return }
    try? FileManager.default.removeItem(atPath: path)
  }
}
