import ArgumentParser

/// What people decided about levels: accepted changes and pinned runs.
struct BaselineCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "baseline",
    abstract: "Accept a new level, pin one to a run, list and withdraw such decisions.",
    discussion: """
      A change that somebody accepted raises no alarm, and the nights after it are what later ones are held \
      against. A pinned run is the level itself and is never pruned. Of the decisions about a series the one \
      given last counts. Each is a file in the archive's folder 'baselines', with who, when and why.

      EXAMPLES
        haprig baseline accept --rig bench-1 --reading 'latency.onset' --why "new amplifier, +0.4 ms"
        haprig baseline pin 20261121-020000-bench-1-nightly --why "golden sample, measured in the lab"
        haprig baseline list --rig bench-1
        haprig baseline withdraw 20261121T093000Z-1f3a77c0.json
      """,
    subcommands: [
      BaselineAcceptCommand.self, BaselinePinCommand.self, BaselineListCommand.self,
      BaselineWithdrawCommand.self,
    ])
}
