// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The virtual card as it was built beside the tests.
enum PluginLibrary {
  static let name = "libasound_module_pcm_haprig.so"

  /// The library, looked for in the folder of the test program and those above it.
  static let path: String? = {
    guard var folder = program else { return nil }
    while let slash = folder.lastIndex(of: "/"), slash > folder.startIndex {
      folder = String(folder[..<slash])
      let candidate = "\(folder)/\(name)"
      if access(candidate, R_OK) == 0 { return candidate }
    }
    return nil
  }()

  /// Why tests that need it are skipped.
  static let missing = "\(name) is not beside the tests: build it with 'swift build --build-tests'"

  static var isThere: Bool { path != nil }

  /// True where a program of alsa-utils can be run.
  static func hasProgram(_ name: String) -> Bool { access("/usr/bin/\(name)", X_OK) == 0 }

  private static var program: String? {
    var path = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &path, path.count)
    guard count > 0 else { return nil }
    return String(decoding: path[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
