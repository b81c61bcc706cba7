// SPDX-License-Identifier: Apache-2.0

/// Options that other programs, or people by habit, look for, and what says the same here.
enum OptionHint {
  /// The parser's words, with what to write for an option that it does not know.
  static func added(to text: String) -> String {
    let beginning = "Error: Unknown option '"
    guard text.hasPrefix(beginning), let command = CommandLine.arguments.dropFirst().first else {
      return text
    }
    let option = String(text.dropFirst(beginning.count).prefix { $0 != "'" })
    guard let hint = self.text(for: option, of: command) else { return text }
    let rest = text.drop { $0 != "\n" }
    return "\(beginning)\(option)': \(hint)\(rest)"
  }

  /// What to write for an option that a command does not have; `nil` where nothing comes near.
  private static func text(for option: String, of command: String) -> String? {
    switch (command, option) {
    case ("run", "--out"), ("demo", "--out"), ("observe", "--out"):
      "runs are kept in the archive: --archive DIR"
    case (_, "--profile"), ("serve", "--calibration"):
      "profiles are named by --profiles: a folder, a file or 'none'"
    case ("calibrate", "--fleet"): "write --common-level --profiles DIR"
    case ("calibrate", "--reference"): "write --reference-level DB"
    case ("regress", "--rig-file"): "--rig takes a file as well as a name"
    case ("regress", "--plan-file"): "--plan takes a file as well as a name"
    case ("run", "--plan"): "name the plan without an option: haprig run PLAN"
    default: nil
    }
  }
}
