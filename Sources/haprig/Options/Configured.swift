// SPDX-License-Identifier: Apache-2.0

import Bench
private import Glibc
import Paths
import RigFiles
import RunArchive
import Workflows

/// What options say together with `haprig.toml`: the one place where a command asks for its rig, plan, archive and
/// profiles.
///
/// What the command line says comes first, then the configuration, then the default.
enum Configured {
  private static let search = Result { try FoundConfiguration.search() }

  /// The configuration of the working folder, which is read once.
  static var found: FoundConfiguration {
    get throws { try search.get() }
  }

  /// The file of the rig that is meant by its file or its name, else of the configured one.
  static func rigFile(_ given: String?) throws -> String {
    if let given { return try rigs().path(of: given) }
    guard let rig = try found.values.rig else {
      throw InputError(
        "no rig is named: give --rig FILE or --rig NAME, or write rig = \"FILE\" into "
          + Configuration.fileName)
    }
    return rig
  }

  /// The file of the rig that is meant by its file or its name, else of the configured one, else of the one with a
  /// name.
  static func rigFile(_ given: String?, orNamed name: String) throws -> String {
    try rigFile(given ?? found.values.rig ?? name)
  }

  /// The name of the rig that is meant by its file or its name, else of the configured one; `nil` where there is none.
  static func rigName(_ given: String?) throws -> String? {
    try (given ?? found.values.rig).map { try rigs().name(of: $0) }
  }

  /// The name of a rig that is asked for, by its file or its name; the configuration is not asked.
  static func rigName(only given: String?) throws -> String? {
    try given.map { try NamedFiles.rigs(in: []).name(of: $0) }
  }

  /// The file of the plan that is meant by its file or its name, else of the configured one.
  static func planFile(_ given: String?) throws -> String {
    if let given { return try plans().path(of: given) }
    guard let plan = try found.values.plan else {
      throw InputError(
        "no plan is named: give --plan FILE or --plan NAME, or write plan = \"FILE\" into "
          + Configuration.fileName)
    }
    return plan
  }

  /// The name of the plan that is meant by its file or its name, else of the configured one; `nil` where there is none.
  static func planName(_ given: String?) throws -> String? {
    try (given ?? found.values.plan).map { try plans().name(of: $0) }
  }

  /// The name of a plan that is asked for, by its file or its name; the configuration is not asked.
  static func planName(only given: String?) throws -> String? {
    try given.map { try NamedFiles.plans(in: []).name(of: $0) }
  }

  /// What is played: patterns and folders of them, a plan by its file or its name, or else the configured plan.
  static func played(_ paths: [String]) throws -> [String] {
    guard let first = paths.first else {
      guard let plan = try found.values.plan else {
        throw InputError(
          "nothing to play is named: give patterns, folders of them or a plan, or write plan = \"FILE\" "
            + "into \(Configuration.fileName)")
      }
      return [plan]
    }
    let isName =
      paths.count == 1 && !NamedFiles.isPath(first) && FilePath.ending(of: first).isEmpty
      && access(first, F_OK) != 0
    return isName ? [try plans().path(of: first)] : paths
  }

  static func archive(_ given: String?, reports: String?) throws -> ArchiveLocation {
    if let given { return try ArchiveLocation(given, reports: reports) }
    let values = try found.values
    return try ArchiveLocation(
      values.archive ?? ArchiveLocation.standardFolder, reports: reports ?? values.reports)
  }

  /// The folder of profiles.
  static func profiles(_ given: String?) throws -> String {
    try given ?? found.values.profiles ?? standardProfiles
  }

  /// Where profiles are when nothing else is said.
  static let standardProfiles = "calibration"

  private static func rigs() throws -> NamedFiles {
    let supplied = try SuppliedRigs.folder(orNone: true)
    return .rigs(in: distinct([try found.rigFolder] + (supplied.map { [$0] } ?? [])))
  }

  private static func plans() throws -> NamedFiles {
    let supplied = try SuppliedRigs.folder(orNone: true)
    return .plans(in: distinct([try found.planFolder] + (supplied.map { [$0 + "/plans"] } ?? [])))
  }

  private static func distinct(_ folders: [String]) -> [String] {
    folders.enumerated().filter { !folders[..<$0.offset].contains($0.element) }.map(\.element)
  }
}
