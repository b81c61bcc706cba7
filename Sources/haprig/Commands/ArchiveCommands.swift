// SPDX-License-Identifier: Apache-2.0

import Acceptance
import ArgumentParser
import Devices
import JSONText
import Reporting
import RunArchive
import Workflows

struct ArchiveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "archive",
    abstract: "List, verify, prune, index and import the runs of an archive.",
    discussion: """
      An archive is a folder of run folders, each complete in itself, with an index: the file index.sqlite beside \
      them, or a PostgreSQL database that several machines share. The index is made from the folders and can be \
      rebuilt at any time.

      EXAMPLES
        haprig archive list --rig simulated-lra
        haprig archive verify
        haprig archive prune --keep-recordings 30 --keep-runs 730 --dry-run
        haprig archive import lab-2025.csv --rig bench-1 --plan nightly --actuator lra-1
        haprig archive rebuild --archive postgres://rig@db.lab/haptics --reports /srv/reports
      """,
    subcommands: [
      ArchiveListCommand.self, ArchiveVerifyCommand.self, ArchivePruneCommand.self,
      ArchiveRebuildCommand.self, ArchiveImportCommand.self,
    ])
}

struct ArchiveListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the runs, calibrations and checks of an archive, newest first.",
    discussion: """
      Calibrations are folders of the archive, as runs are. Checks ('haprig check') are kept beside the profiles of \
      this machine, in --profiles.

      EXAMPLES
        haprig archive list --rig simulated-lra
        haprig archive list --kind calibration --kind check
        haprig archive list --verdict fail --json
      """)

  @OptionGroup var archive: ArchiveOptions

  @Option(
    help: """
      Only what is of this kind: run, imported, calibration or check; may be given several times.
      """)
  var kind: [ArchiveEntry.Kind] = []

  @Option(
    help: """
      The folder of profiles, beside which checks are kept (default: haprig.toml's, else calibration).
      """, completion: .directory)
  var profiles: String?

  @Option(help: "Only entries of this rig: its name or file.", completion: .yaml)
  var rig: String?

  @Option(help: "Only runs of this plan: its name or file.", completion: .yaml)
  var plan: String?

  @Option(help: "Only entries with this verdict: pass, marginal, 'not measured' or fail.")
  var verdict: String?

  @Option(help: "At most this many entries.")
  var limit = 50

  @Flag(
    help: """
      Only the latest run of each rig and plan, and the latest calibration and check of each \
      actuator.
      """)
  var latest = false

  @Flag(help: "Print the list as JSON.")
  var json = false

  func validate() throws {
    try Usage.require(limit > 0, "--limit takes 1 or more, not \(limit)")
    guard let verdict, Verdict(rawValue: verdict) == nil else { return }
    throw ValidationError(
      "--verdict takes \(Verdict.allCases.map(\.rawValue).joined(separator: ", ")), not '\(verdict)'"
    )
  }

  func run() throws {
    let archive = try archive.open()
    let rig = try Configured.rigName(only: rig)
    let plan = try Configured.planName(only: plan)
    let entries = try selected(of: archive, rig: rig, plan: plan)
    guard !json else { return Console.out(.array(entries.map(\.json)), sortedKeys: true) }
    guard !entries.isEmpty else {
      return Console.error("haprig: \(archive.location.description): the archive has no such run")
    }
    Console.out(ArchiveEntry.table(entries))
  }

  private func selected(
    of archive: Archive, rig: String?, plan: String?
  ) throws -> [ArchiveEntry] {
    let kinds = kind.isEmpty ? Set(ArchiveEntry.Kind.allCases) : Set(kind)
    var entries: [ArchiveEntry] = []
    if kinds.contains(.run) || kinds.contains(.imported) {
      let imported = try archive.environment(
        RunRecord.Imported.mark, of: RunFilter(rig: rig, plan: plan))
      entries += try runs(of: archive, rig: rig, plan: plan).map {
        ArchiveEntry($0, imported: imported[$0.id])
      }
    }
    // Neither a calibration nor a check has a plan.
    if kinds.contains(.calibration), plan == nil {
      entries += try archive.calibrations(rig: rig).map(ArchiveEntry.init)
    }
    if kinds.contains(.check), plan == nil {
      entries += try ArchiveEntry.checks(beside: Configured.profiles(profiles)).filter {
        (rig ?? $0.rig) == $0.rig
      }
    }
    let wanted = wanted
    entries = entries.filter { entry in
      kinds.contains(entry.kind) && (wanted ?? entry.verdict) == entry.verdict
    }
    entries.sort { ($1.began, $1.name) < ($0.began, $0.name) }
    if latest {
      var seen: Set<[String]> = []
      entries = entries.filter { seen.insert($0.series).inserted }
    }
    return Array(entries.prefix(limit))
  }

  private var wanted: Verdict? { verdict.flatMap(Verdict.init(rawValue:)) }

  private func runs(
    of archive: Archive, rig: String?, plan: String?
  ) throws(ArchiveError) -> [ArchivedRun] {
    guard latest else {
      let bound = kind.isEmpty ? limit : nil
      return try archive.runs(
        matching: RunFilter(
          rig: rig, plan: plan, verdict: wanted, limit: bound))
    }
    return try archive.latestRuns().filter { run in
      (rig ?? run.rig) == run.rig && (plan ?? run.plan) == run.plan
    }
  }
}

struct ArchiveVerifyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Compare every file of an archive with the hashes in its records.",
    discussion: """
      Exit code 0 if every file is as it was written. 1 if not, with a list. 2 if there is no run to compare.
      """)

  @OptionGroup var archive: ArchiveOptions

  @Flag(help: "Print the findings as JSON.")
  var json = false

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false

  func run() throws {
    let archive = try archive.open(isQuiet: quiet)
    let line = ProgressLine(isQuiet: quiet)
    defer { line.clear() }
    let listing = VerificationListing(
      verification: try archive.verify { line.show("verifying \($0) of \($1)") })
    line.clear()
    let verification = listing.verification
    guard verification.runs > 0 || !verification.isSound else {
      throw ExitStatus(
        .wrongInput,
        "\(archive.location.description): the archive holds no run, and nothing was compared")
    }
    Console.out(listing, asJSON: json, sortedKeys: true)
    if !verification.isSound { throw ExitStatus.failed }
  }
}

private struct VerificationListing: Listing {
  let verification: Verification

  var text: String {
    var text = verification.findings.map { $0.description.printable + "\n" }.joined()
    let old = verification.withoutHashes
    if !old.isEmpty {
      let names = old.prefix(5).map(\.printable).joined(separator: ", ")
      text += "not compared: \(Count.of(old.count, "run")) with no hashes in the record: \(names)"
      text += old.count > 5 ? ", ...\n" : "\n"
    }
    text += "\(Count.of(verification.runs, "run")), \(Count.of(verification.files, "file")), "
    text += "\(Count.bytes(verification.bytes)) compared"
    if verification.pruned > 0 {
      text += ", \(Count.of(verification.pruned, "recording")) pruned"
    }
    let findings = Count.of(verification.findings.count, "finding")
    return text + (verification.isSound ? ": sound\n" : ": \(findings)\n")
  }

  var json: JSONValue {
    let findings = verification.findings.map { finding in
      JSONValue.object(of: [
        "kind": finding.kind.rawValue, "message": finding.message,
        "run": finding.run.isEmpty ? nil : finding.run, "file": finding.file,
      ])
    }
    return .object(of: [
      "sound": verification.isSound, "runs": verification.runs, "files": verification.files,
      "bytes": verification.bytes, "pruned": verification.pruned,
      "withoutHashes": verification.withoutHashes, "findings": findings,
    ])
  }
}

struct ArchivePruneCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Remove old recordings, and old runs.",
    discussion: """
      Removes recordings first, then whole runs. A run that a baseline is pinned to stays whole. The file \
      pruned.json in a run's folder says what was removed. What killed runs left behind is removed after a day.

      EXAMPLES
        haprig archive prune --keep-recordings 30 --dry-run
        haprig archive prune --keep-recordings 30 --keep-runs 730
      """)

  @OptionGroup var archive: ArchiveOptions

  @Option(help: "Days for which recordings are kept.")
  var keepRecordings: Int?

  @Option(help: "Days for which whole runs are kept.")
  var keepRuns: Int?

  @Flag(help: "Show what would be removed, and remove nothing.")
  var dryRun = false

  @Flag(help: "Print what was removed as JSON.")
  var json = false

  func run() throws {
    let retention = try Retention(recordings: keepRecordings, runs: keepRuns)
    let summary = try archive.open().prune(
      retention, now: Moment(seconds: Host.secondsSince1970), isDry: dryRun)
    if json {
      Console.out(Self.json(summary, isDry: dryRun))
    } else {
      show(summary)
    }
    Console.warn(summary.problems)
    if !summary.problems.isEmpty { throw ExitStatus.failed }
  }

  private static func json(_ summary: PruneSummary, isDry: Bool) -> JSONValue {
    func items(_ items: [PruneSummary.Item]) -> [JSONValue] {
      items.map { .object(of: ["name": $0.name, "files": $0.files, "bytes": $0.bytes]) }
    }
    return .object(of: [
      "dryRun": isDry, "bytes": summary.bytes, "recordings": items(summary.recordings),
      "runs": items(summary.runs), "leftovers": items(summary.leftovers),
      "pinned": summary.pinned, "problems": summary.problems.map { "\($0)" },
    ])
  }

  private func show(_ summary: PruneSummary) {
    for (what, items) in [
      ("recordings of", summary.recordings), ("run", summary.runs),
      ("left behind:", summary.leftovers),
    ] {
      for item in items {
        Console.out(
          "\(what) \(item.name.printable): \(Count.of(item.files, "file")), "
            + "\(Count.bytes(item.bytes))\n")
      }
    }
    for run in summary.pinned { Console.out("kept \(run.printable): a baseline is pinned to it\n") }
    Console.out("\(dryRun ? "would free" : "freed") \(Count.bytes(summary.bytes))\n")
  }
}

struct ArchiveRebuildCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rebuild", abstract: "Rebuild the index of an archive from its run folders.")

  @OptionGroup var archive: ArchiveOptions

  @Flag(help: "Print what was indexed as JSON.")
  var json = false

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false

  func run() throws {
    let location = try archive.location()
    let line = ProgressLine(isQuiet: quiet)
    defer { line.clear() }
    let (update, notices) = try Archive.rebuild(location) {
      line.show("indexing \($0) of \($1)")
    }
    line.clear()
    for notice in notices { Console.error("haprig: \(notice)") }
    Console.warn(update.unreadable, "not indexed: ")
    guard !json else {
      return Console.out(
        .object(of: [
          "archive": location.description, "indexed": update.added,
          "calibrations": update.calibrations, "forgotten": update.removed,
          "unreadable": update.unreadable.map { "\($0)" },
        ]))
    }
    for run in update.removed {
      Console.out("forgotten \(run.printable): its folder is gone\n")
    }
    let calibrations =
      update.calibrations == 0 ? "" : " and \(Count.of(update.calibrations, "calibration"))"
    Console.out(
      "\(location.description): \(Count.of(update.added, "run"))\(calibrations) indexed\n")
  }
}
