// SPDX-License-Identifier: Apache-2.0

public import ChangeDetection
import Glibc
public import JSONText

/// A person's decision about a baseline as the archive keeps it: a file in its folder `baselines`.
public struct KeptDecision: Sendable, Hashable {
  /// What was decided, about which series, by whom, and why.
  public let decision: BaselineDecision
  /// When it was decided: the order in which decisions hold.
  public let given: Moment

  static let schema = "haprig.baseline/1"
  private static let longest = 2000

  /// Makes a decision that can be kept; fails where the reason is missing, or a text is too long.
  public init(
    _ kind: BaselineDecision.Kind, scope: SeriesScope, day: CalendarDay, why: String, who: String,
    given: Moment
  ) throws(ArchiveError) {
    let decision = BaselineDecision(
      kind, scope: scope, day: day.number, who: who, when: given.description, why: why)
    guard why.contains(where: { !$0.isWhitespace }) else {
      throw ArchiveError(path: "--why", message: "say why: who reads the history later will ask")
    }
    for (name, text) in [
      ("rig", scope.rig), ("actuator", scope.actuator ?? ""), ("pattern", scope.pattern ?? ""),
      ("reading", scope.reading ?? ""), ("run", decision.run ?? ""), ("why", why), ("who", who),
    ] where text.utf8.count > Self.longest {
      throw ArchiveError(
        path: name,
        message: "the text has \(text.utf8.count) bytes, and at most \(Self.longest) are kept")
    }
    self.decision = decision
    self.given = given
  }

  /// The same decision, given at the first second from its own on at which no other was.
  func apart(from taken: Set<Moment>) throws(ArchiveError) -> KeptDecision {
    guard taken.contains(given) else { return self }
    var seconds = given.seconds
    while taken.contains(Moment(seconds: seconds)) { seconds += 1 }
    return try KeptDecision(
      decision.kind, scope: decision.scope, day: CalendarDay(number: decision.day),
      why: decision.why, who: decision.who, given: Moment(seconds: seconds))
  }

  /// The decision as its file has it; what it leaves open is absent.
  public var json: JSONValue {
    let scope = decision.scope
    return .object(present: [
      "schema": .string(Self.schema),
      "kind": .string((decision.run == nil ? Kind.accepted : .pinned).rawValue),
      "rig": .string(scope.rig),
      "from": .string(CalendarDay(number: decision.day).description),
      "why": .string(decision.why), "who": .string(decision.who),
      "given": .string(given.description),
      "actuator": scope.actuator.map(JSONValue.string),
      "pattern": scope.pattern.map(JSONValue.string),
      "reading": scope.reading.map(JSONValue.string),
      "run": decision.run.map(JSONValue.string),
    ])
  }

  /// Reads a decision's file, whose path errors name.
  init(parsing bytes: [UInt8], path: String) throws(ArchiveError) {
    do {
      let field = JSONField(root: try JSONDocument(bytes).root, of: .init(name: "baseline"))
      let schemaField = try field["schema"]
      let found = try schemaField.string()
      guard found == Self.schema || found.hasPrefix(Self.schema + ".") else {
        throw schemaField.error("schema is '\(found)', but must be '\(Self.schema)'")
      }
      let fromField = try field["from"]
      guard let from = CalendarDay(try fromField.string()) else {
        throw fromField.error("\(fromField.path) must be a day such as 2026-11-21")
      }
      let givenField = try field["given"]
      guard let given = Moment(try givenField.string()) else {
        throw givenField.error("\(givenField.path) must be a moment such as 2026-11-21T09:51:50Z")
      }
      let kindField = try field["kind"]
      let run = try field.member("run")?.string()
      let kind: BaselineDecision.Kind =
        switch (try kindField.word(Kind.self), run) {
        case (.accepted, nil): .accepted
        case (.pinned, let run?): .pinned(run: run)
        default:
          throw kindField.error("a pinned baseline names its run, and an accepted one none")
        }
      try self.init(
        kind,
        scope: SeriesScope(
          rig: try field["rig"].string(), actuator: try field.member("actuator")?.string(),
          pattern: try field.member("pattern")?.string(),
          reading: try field.member("reading")?.string()), day: from,
        why: try field["why"].string(), who: try field["who"].string(), given: given)
    } catch {
      throw ArchiveError(path: path, message: "\(error)")
    }
  }

  /// The kind as a file writes it.
  private enum Kind: String, CaseIterable {
    case accepted
    case pinned
  }
}

extension Archive {
  /// The folder in the archive's that decisions about baselines lie in, a file each.
  public static let baselineFolder = "baselines"

  /// How many decisions are read at most.
  private static let mostDecisions = 10_000

  /// Every decision with the name of its file, in the order in which they were given.
  ///
  /// Fails at the first file that is none: a decision that cannot be read is not passed over.
  public func decisions() throws(ArchiveError) -> [(file: String, kept: KeptDecision)] {
    let folder = baselineFolder
    guard let opened = try OpenFolder(folder) else { return [] }
    let names = try Folder.names(in: opened.pinnedPath).filter { $0.hasSuffix(".json") }
    guard names.count <= Self.mostDecisions else {
      throw ArchiveError(
        path: folder,
        message: "it holds \(names.count) baselines, and at most \(Self.mostDecisions) are read")
    }
    var found: [(file: String, kept: KeptDecision)] = []
    for name in names {
      let path = folder + "/" + name
      guard let bytes = try StoredFile.bytes(name, in: folder, limit: 1 << 16) else { continue }
      found.append((name, try KeptDecision(parsing: bytes, path: path)))
    }
    return found.sorted { ($0.kept.given, $0.file) < ($1.kept.given, $1.file) }
  }

  /// Keeps decisions that are given together, about series apart; a run that one pins is never pruned.
  ///
  /// The order of decisions counts, and they are told apart by the second: what follows another within it is
  /// kept as given a second later. Gives the names of their files; fails where a run that is pinned is not in
  /// the archive, or of another rig.
  @discardableResult
  public func keep(_ kept: [KeptDecision]) throws(ArchiveError) -> [String] {
    for one in kept {
      guard let id = one.decision.run else { continue }
      let rig = try run(id).rig
      guard rig == one.decision.scope.rig else {
        throw ArchiveError(
          path: location.folder + "/" + id,
          message: "the run is of the rig \(rig), and the baseline of \(one.decision.scope.rig)")
      }
    }
    let taken = Set(try decisions().map(\.kept.given))
    return try kept.map { one throws(ArchiveError) in try write(try one.apart(from: taken)) }
  }

  /// Keeps one decision, and gives the name of its file.
  @discardableResult
  public func keep(_ kept: KeptDecision) throws(ArchiveError) -> String { try keep([kept])[0] }

  /// A run by its id; fails where it is not in the archive.
  public func run(_ id: String) throws(ArchiveError) -> ArchivedRun {
    guard let run = try runs(matching: RunFilter(ids: [id])).first else {
      throw ArchiveError(
        path: location.folder + "/" + id,
        message: "there is no such run in the archive: haprig archive list shows them")
    }
    return run
  }

  /// Takes a decision back by the name of its file; fails where there is none.
  public func withdraw(decision file: String) throws(ArchiveError) {
    guard StoredRun.isName(file), file.hasSuffix(".json"),
      let folder = try OpenFolder(baselineFolder), folder.size(of: file) != nil
    else {
      throw ArchiveError(
        path: baselineFolder + "/" + file,
        message: "there is no such baseline: haprig baseline list shows them")
    }
    folder.unlink(file)
    Folder.sync(folder.pinnedPath)
  }

  private var baselineFolder: String { location.folder + "/" + Self.baselineFolder }

  /// Named by when it was given and by what it says: two at once do not meet.
  private func write(_ kept: KeptDecision) throws(ArchiveError) -> String {
    let text = kept.json.text(indent: 1, sortedKeys: true) + "\n"
    let stamp = String(kept.given.description.filter { $0 != "-" && $0 != ":" })
    let name = "\(stamp)-\(ContentHash(of: text).description.prefix(8)).json"
    try Folder.make(baselineFolder)
    guard let folder = try OpenFolder(baselineFolder) else {
      throw ArchiveError(path: baselineFolder, message: "it is no folder: move it away")
    }
    do throws(ArchiveError) {
      try AtomicFile.write(text, to: folder.pinnedPath + "/" + name)
    } catch {
      throw ArchiveError(path: baselineFolder + "/" + name, message: error.message)
    }
    Folder.sync(folder.pinnedPath)
    return name
  }
}
