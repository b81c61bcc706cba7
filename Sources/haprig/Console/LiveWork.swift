// SPDX-License-Identifier: Apache-2.0

private import Glibc
import LiveRuns
import RunArchive
import Workflows

/// What this process tells whoever watches: one folder a process, made when work begins.
enum LiveWork {
  static let writer = LiveWriter {
    LiveEvent.Start(
      id: Host.time("%Y%m%d-%H%M%S") + "-\(getpid())", program: "haprig \(Version.text)",
      process: Int(getpid()), host: Host.name, started: Host.time("%Y-%m-%dT%H:%M:%SZ"),
      command: CommandLine.arguments.dropFirst().first ?? "",
      arguments: withoutSecrets(Array(CommandLine.arguments.dropFirst(2))))
  }

  /// Arguments as everybody may see them: what the name of an option calls a secret, and passwords of servers, are not
  /// shown.
  static func withoutSecrets(_ arguments: [String]) -> [String] {
    var isSecret = false
    return arguments.map { argument in
      defer { isSecret = !isSecret && argument.hasPrefix("-") && namesSecret(argument) }
      if isSecret, !argument.hasPrefix("-") { return "***" }
      if argument.contains("://") { return ArchiveLocation.withoutPassword(argument) }
      if let end = argument.firstIndex(of: "="), namesSecret(String(argument[..<end])) {
        return argument[...end] + "***"
      }
      return argument
    }
  }

  private static func namesSecret(_ name: String) -> Bool {
    let name = name.lowercased()
    return ["key", "password", "secret", "token"].contains { name.contains($0) }
  }
}
