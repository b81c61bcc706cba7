import ArgumentParser
import Bench
private import Glibc
import Paths
import Workflows

/// Runs the whole chain on the simulated rig.
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Run the project's own patterns on a simulated rig: the whole chain, no hardware.")

  @Option(name: .long, help: "The project's folder of rigs.", completion: .directory)
  var rigs: String?

  @Option(name: .long, help: "The folder that run folders are made in.", completion: .directory)
  var out = "reports"

  @Flag(name: .shortAndLong, help: "Show no progress.")
  var quiet = false

  func run() async throws {
    let folder = try rigs ?? Self.rigsFolder()
    let user = RigOperator.terminal(isQuiet: quiet)
    let outcome = try await ExitStatus.awaited {
      let order = RunOrder(
        [folder + "/plans/demo.yaml"], on: RigChoice(file: folder + "/simulated-lra.yaml"),
        folder: out)
      return try await RunWorkflow(RunRequest(order, by: user), by: user).execute()
    }
    try RunOutput(isJSON: false).show(outcome)
  }

  /// `rigs` in the working folder, or in a folder above the program's own.
  private static func rigsFolder() throws -> String {
    if access("rigs/plans/demo.yaml", R_OK) == 0 { return "rigs" }
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    var folder = String(
      decoding: buffer[..<max(0, count)].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    while folder.count > 1 {
      folder = FilePath.folder(of: folder)
      let rigs = FilePath.join(folder, "rigs")
      if access(rigs + "/plans/demo.yaml", R_OK) == 0 { return rigs }
    }
    throw ExitStatus(
      ExitStatus.wrongInput,
      "haprig: there is no folder 'rigs' here: run the demo in the project's folder, or name its "
        + "rigs with --rigs DIR")
  }
}
