import ArgumentParser
import JSONText
import Reporting
import RunArchive

/// Compares every file of an archive with the hashes in its records.
struct ArchiveVerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Compare every file of an archive with the hashes in its records.",
    discussion: """
      Exit code 0 where everything is as it was written, 1 with a list where it is not, 2 where there is no \
      run to compare.
      """)

  @OptionGroup var archive: ArchiveOptions

  @Flag(name: .long, help: "Print the findings as JSON.")
  var json = false

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false

  func run() throws {
    let archive = try archive.open(isQuiet: quiet)
    let line = ProgressLine(isQuiet: quiet)
    let verification = try ExitStatus.of {
      defer { line.clear() }
      return try archive.verify { done, count in line.show("verifying \(done) of \(count)") }
    }
    guard verification.runs > 0 || !verification.isSound else {
      throw ExitStatus(
        ExitStatus.wrongInput,
        "haprig: \(archive.location.description): the archive holds no run, and nothing was compared"
      )
    }
    Console.out(json ? Self.json(verification) : Self.text(verification))
    if !verification.isSound { throw ExitStatus(ExitStatus.failed) }
  }

  private static func text(_ verification: Verification) -> String {
    var text = verification.findings.map { $0.description.printable + "\n" }.joined()
    let old = verification.withoutHashes
    if !old.isEmpty {
      text +=
        "not compared: \(Count.of(old.count, "run")) with no hashes in the record: "
        + old.prefix(5).map(\.printable).joined(separator: ", ")
        + (old.count > 5 ? ", ...\n" : "\n")
    }
    text +=
      "\(Count.of(verification.runs, "run")), \(Count.of(verification.files, "file")), "
      + "\(Count.bytes(verification.bytes)) compared"
    if verification.pruned > 0 {
      text += ", \(Count.of(verification.pruned, "recording")) pruned"
    }
    return text + ": "
      + (verification.isSound ? "sound\n" : "\(Count.of(verification.findings.count, "finding"))\n")
  }

  private static func json(_ verification: Verification) -> String {
    let json: JSONValue = [
      "sound": .bool(verification.isSound), "runs": .integer(verification.runs),
      "files": .integer(verification.files), "bytes": .integer(verification.bytes),
      "pruned": .integer(verification.pruned),
      "withoutHashes": .array(verification.withoutHashes.map { .string($0) }),
      "findings": .array(
        verification.findings.map { finding in
          var members = [
            JSONMember("kind", .string(finding.kind.rawValue)),
            JSONMember("message", .string(finding.message)),
          ]
          if !finding.run.isEmpty { members.append(JSONMember("run", .string(finding.run))) }
          if let file = finding.file { members.append(JSONMember("file", .string(file))) }
          return .object(members)
        }),
    ]
    return json.text(indent: 1, sortedKeys: true) + "\n"
  }
}
