import ArgumentParser

/// The archive of runs: what is in it, whether it is whole, and how long it keeps what.
struct ArchiveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "archive",
    abstract: "List, verify, prune and index the runs of an archive.",
    discussion: """
      An archive is a folder of run folders, each complete in itself, and an index over them: index.sqlite
      beside them, or a PostgreSQL database that several machines share. The index is made of the folders
      and can be made anew at any time.

      EXAMPLES
        haprig archive list --rig simulated-lra
        haprig archive verify
        haprig archive prune --keep-recordings 30 --keep-runs 730 --dry-run
        haprig archive rebuild --archive postgres://rig@db.lab/haptics --reports /srv/reports
      """,
    subcommands: [
      ArchiveListCommand.self, ArchiveVerifyCommand.self, ArchivePruneCommand.self,
      ArchiveRebuildCommand.self,
    ])
}
