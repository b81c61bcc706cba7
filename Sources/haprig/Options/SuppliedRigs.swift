// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Paths

/// The rigs, plans and patterns that come with haprig.
enum SuppliedRigs {
  /// `rigs` in the working folder, in a folder above the program's own, or where it is installed (`share/haprig/rigs`);
  /// `nil` where there is none and none is needed.
  static func folder(orNone: Bool = false) throws -> String? {
    if access("rigs/plans/demo.yaml", R_OK) == 0 { return "rigs" }
    var folder = Program.path
    while folder.count > 1 {
      folder = FilePath.folder(of: folder)
      for place in ["rigs", "share/haprig/rigs"] {
        let rigs = FilePath.join(folder, place)
        if access(rigs + "/plans/demo.yaml", R_OK) == 0 { return rigs }
      }
    }
    guard !orNone else { return nil }
    throw ExitStatus(
      .wrongInput,
      "there is no folder 'rigs' here: run the demo in the project's folder, or name its "
        + "rigs with --rigs DIR")
  }
}
