import Bench
private import Glibc
import JSONText
import RunArchive

/// The folder that the starts of observed engines are kept in.
struct StartFolder {
  /// `OUT/starts`.
  let path: String
  private let known: Set<String>
  private let knownRests: Set<String>

  /// Finds or makes the folder and notes what is in it.
  init(in out: String) throws(ArchiveError) {
    path = out + "/starts"
    try Folder.make(path)
    known = Set(try Folder.names(in: path))
    knownRests = try Self.rests(in: path)
  }

  /// What is left of starts that have come since and were cut off: the app ended before it could finish.
  func cutOff() throws(ArchiveError) -> [String] {
    try Self.rests(in: path).subtracting(knownRests).sorted().map { path + "/" + $0 }
  }

  /// The hidden folders of starts that are not whole.
  private static func rests(in path: String) throws(ArchiveError) -> Set<String> {
    let folders = try Folder.paths(below: path, hidden: true).map { $0.prefix { $0 != "/" } }
    return Set(folders.filter { $0.hasPrefix(".") && $0.hasSuffix(".partial") }.map(String.init))
  }

  /// The starts that have come since, in the order of their names, which begin with their times.
  func new() throws -> [ObservedStart] {
    try Folder.names(in: path).filter { !known.contains($0) }.sorted().map {
      try ObservedStart(folder: path + "/" + $0)
    }
  }
}

/// One start of an observed engine, out of its folder.
struct ObservedStart {
  /// The files of what its players played.
  let patterns: [String]
  /// What the rig's devices failed with; `nil` where they did not.
  let fault: String?
  /// What to tell of it.
  let summary: String

  /// Reads `engine.json`.
  init(folder: String) throws {
    let bytes = try RegularFile(path: folder + "/engine.json").bytes(limit: 16 << 20)
    let account: JSONValue
    do throws(JSONError) {
      account = try JSONValue(parsing: bytes)
    } catch {
      throw InputError("\(folder)/engine.json: \(error)")
    }
    let players = account["players"]?.elements ?? []
    patterns = players.compactMap { $0["pattern"]?.string }.map {
      folder + "/" + $0
    }
    func latency(_ kind: String, _ share: String) -> String {
      let value = account["latency"]?[kind]?[share]?.number
      return value.map { "\(($0 * 1e5).rounded() / 100) ms" } ?? "not measured"
    }
    func has(_ kind: String) -> Bool { (account["latency"]?[kind]?["count"]?.number ?? 0) > 0 }
    let seconds = account["duration"]?.number ?? 0
    var text =
      "\(folder): \(players.count) \(players.count == 1 ? "player" : "players") in \((seconds * 100).rounded() / 100) s\n"
    // Of the two kinds of starts, an app often has one alone.
    if has("immediate") {
      text +=
        "  start to device: median \(latency("immediate", "median")), "
        + "95 % \(latency("immediate", "p95")), largest \(latency("immediate", "largest"))\n"
    }
    if has("scheduled") {
      text +=
        "  scheduled starts: first sample \(latency("scheduled", "largest")) off what was asked at most, "
        + "handed to the device \(latency("handed", "median")) after (median), "
        + "\(latency("handed", "largest")) at most\n"
    }
    fault = account["fault"]?.string
    if let fault { text += "  fault: \(fault)\n" }
    for refusal in account["refusals"]?.elements ?? [] {
      text += "  refused: \(refusal.string ?? "")\n"
    }
    summary = text
  }
}

/// Paths for another program.
enum RegularPath {
  /// A path from the root, so that a program that changes its folder finds it.
  static func absolute(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }
}
