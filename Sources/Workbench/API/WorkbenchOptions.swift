// SPDX-License-Identifier: Apache-2.0

package import RunArchive

/// What a workbench shows and where it listens.
package struct WorkbenchOptions: Sendable {
  /// The version of the program.
  package var version: String
  /// The program that children are started of.
  package var program: String
  package var rigs: [String] = []
  package var archive: ArchiveLocation
  /// The folder of plans; the patterns lie in `patterns` beside it.
  package var plans: String?
  /// The folder of the patterns that are edited; `nil` for `patterns` beside the plans.
  package var patterns: String?
  /// Where drafts are of patterns whose folder cannot be written to; `nil` for the user's state folder.
  package var drafts: String?
  package var calibration = "calibration"
  /// The file of the fleet that is shown and given orders; `nil` for none.
  package var fleet: String?
  package var address = ListenAddress.loopback("127.0.0.1")
  /// `nil` for 8017 or the next free one; 0 for any.
  package var port: Int?
  /// Further names that the server answers to: those of a proxy.
  package var hosts: [String] = []
  /// The pages' folder while one works on them; `nil` for those that are built in.
  package var assets: String?
  /// Where live folders are; `nil` for the user's runtime folder.
  package var live: String?
  /// Where jobs are noted; `nil` for the user's runtime folder.
  package var jobs: String?

  package init(version: String, program: String, archive: ArchiveLocation) {
    self.version = version
    self.program = program
    self.archive = archive
  }
}
