// SPDX-License-Identifier: Apache-2.0

import Acceptance
import JSONText
import RunArchive

/// What a page may ask to be started.
struct JobOrder: Sendable {
  enum Kind: String, Sendable, CaseIterable {
    case run
    case play
    case calibrate
    case check
    case latency
    case score
    case verify
    /// A run of what is edited (`MeasureDesk`).
    case measure
    /// A rig that stays open for a page (`StageDesk`).
    case stage

    /// Whether a rig is driven.
    var drives: Bool { self != .score && self != .verify }

    /// Whether the drive goes on by the beats of a page alone.
    var isHeld: Bool { self == .play || self == .stage }

    /// What is ordered by its members alone.
    static let plain = allCases.filter { $0 != .measure && $0 != .stage }
  }

  let kind: Kind
  let rig: String?
  /// What a person would type, without the program's name.
  let arguments: [String]

  init(_ kind: Kind, on rig: String, _ arguments: [String]) {
    self.kind = kind
    self.rig = rig
    self.arguments = arguments
  }

  private static let members: Set = [
    "kind", "rig", "plan", "patterns", "repeats", "actuator", "run",
  ]

  /// Reads an order; names are those of the bench, never paths.
  init(_ json: JSONValue, bench: BenchDesk) throws(HTTPFault) {
    if let unknown = json.members?.first(where: { !Self.members.contains($0.key) }) {
      throw HTTPFault(400, "bad-value", "a job has no '\(unknown.key.prefix(40))'")
    }
    for name in ["rig", "plan", "actuator", "run"] { _ = try Request.text(name, in: json) }
    guard json["patterns"]?.elements?.allSatisfy({ $0.string != nil }) ?? (json["patterns"] == nil),
      json["repeats"].map({ $0.integer != nil }) ?? true
    else {
      throw HTTPFault(400, "bad-value", "'patterns' are names, 'repeats' is a whole number")
    }
    guard let kind = json["kind"]?.string.flatMap(Kind.init), Kind.plain.contains(kind) else {
      let kinds = (Kind.plain + [.measure]).map(\.rawValue).joined(separator: ", ")
      throw HTTPFault(400, "bad-value", "'kind' takes \(kinds)")
    }
    self.kind = kind
    let location = bench.runs.archive.location
    let archive = Self.archive(location)
    guard kind.drives else {
      rig = nil
      if kind == .verify {
        arguments =
          ["archive", "verify", "--json", "--quiet", "--archive", Self.plain(archive[0])]
          + archive.dropFirst()
        return
      }
      guard let id = json["run"]?.string, RunFiles(id, in: location) != nil else {
        throw HTTPFault(404, "no-such-run", "the archive has no such run")
      }
      arguments = ["score", Self.plain(location.folder) + "/" + id]
      return
    }
    guard let name = json["rig"]?.string, let file = bench.rig(name) else {
      throw HTTPFault(404, "no-such-rig", "the bench has no such rig")
    }
    rig = name
    var words = [kind.rawValue]
    if kind == .run || kind == .play { words += try Self.patterns(json, kind, bench) }
    words += ["--rig", file, "--quiet"]
    switch kind {
    case .run: words += ["--archive"] + archive
    case .calibrate: words += ["--profiles", bench.calibration, "--archive"] + archive
    case .check: words += ["--profiles", bench.calibration]
    case .play: words.append("--held")
    case .latency, .score, .verify, .measure, .stage: break
    }
    if let repeats = json["repeats"] {
      guard kind == .run, let count = repeats.integer, (1...10_000).contains(count) else {
        throw HTTPFault(400, "bad-value", "'repeats' is of a run, and takes 1 to 10000")
      }
      words += ["--repeats", "\(count)"]
    }
    let isOfOne = [.run, .calibrate, .check].contains(kind)
    if json["actuator"] != nil {
      guard isOfOne else { throw Self.noActuator }
      words += try Self.actuator(json)
    }
    arguments = words
  }

  private static let noActuator = HTTPFault(
    400, "bad-value", "'actuator' is the id of one of the rig's")

  /// The words that name the actuator of an order; none where it names none.
  static func actuator(_ json: JSONValue) throws(HTTPFault) -> [String] {
    guard let id = try Request.text("actuator", in: json) else { return [] }
    guard RunFiles.isName(id) else { throw noActuator }
    return ["--actuator=\(id)"]
  }

  /// The words for what the page shows: this profile, or none, whatever a configuration says.
  static func profile(_ path: String?) -> [String] {
    ["--profiles", path.map(plain) ?? PlanProfile.none]
  }

  /// The words behind `--archive`.
  static func archive(_ location: ArchiveLocation) -> [String] {
    location.server.map { [$0, "--reports", location.folder] } ?? [location.folder]
  }

  private static func patterns(
    _ json: JSONValue, _ kind: Kind, _ bench: BenchDesk
  ) throws(HTTPFault) -> [String] {
    if let plan = json["plan"] {
      guard kind == .run, json["patterns"] == nil, let name = plan.string,
        let file = bench.plan(name)
      else { throw HTTPFault(404, "no-such-plan", "the bench has no such plan to run") }
      return [plain(file)]
    }
    guard let names = json["patterns"]?.elements, (1...1000).contains(names.count) else {
      throw HTTPFault(400, "bad-value", "name a plan, or patterns")
    }
    var files: [String] = []
    for name in names {
      guard let file = name.string.flatMap(bench.pattern) else {
        throw HTTPFault(404, "no-such-pattern", "the bench has no such pattern")
      }
      files.append(plain(file))
    }
    return files
  }

  /// A path that no parser takes for an option.
  static func plain(_ path: String) -> String { path.hasPrefix("-") ? "./" + path : path }
}
