import ArgumentParser

/// The command line of haprig.
struct Haprig: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "haprig",
    abstract: "The hardware-in-the-loop rig for haptics.",
    discussion: """
      Plays AHAP patterns on an actuator, records what it really did, and scores latency, \
      audio-haptic sync and fidelity against what the pattern asked for.

      EXAMPLES
        haprig demo
        haprig run rigs/patterns --rig rigs/simulated-lra.yaml
        haprig run rigs/plans/nightly.yaml --rig rigs/simulated-lra.yaml --json
        haprig score reports/*
        haprig regress --rig simulated-lra --plan nightly
        haprig calibrate --rig rigs/simulated-lra.yaml
        haprig lint --strict *.ahap
        haprig convert tap.ahap tap.haptic
        haprig render tap.ahap --out drive.wav

      EXIT CODES
        0 pass or marginal    1 a limit failed, a required reading is missing, a confirmed regression, lint errors
        2 wrong usage or input    3 a device fault or setup check    130, 143 interrupted
      """,
    version: Version.text,
    subcommands: [
      RunCommand.self, ScoreCommand.self, PlayCommand.self, RenderCommand.self, LintCommand.self,
      FormatCommand.self,
      ConvertCommand.self, ExportCommand.self, CalibrateCommand.self, CheckCommand.self,
      CompareCommand.self,
      LatencyCommand.self, ObserveCommand.self, SensorCommand.self, DevicesCommand.self,
      ArchiveCommand.self, HistoryCommand.self, RegressCommand.self, BaselineCommand.self,
      NightlyCommand.self, StopCommand.self, DemoCommand.self,
    ])
}
