import ArgumentParser
private import Glibc
import RigDevices

/// Ends what plays on this user's rigs.
struct StopCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "stop",
    abstract: "Stop whatever drives a rig: the drive goes to zero, the record is finished.",
    discussion: """
      EXAMPLES
        haprig stop
        haprig stop bench-1
      """)

  @Argument(help: "The rig's name; all rigs of this user where none is given.")
  var rig: String?

  func run() throws {
    let held = RigLock.holdings().filter { holding in
      rig.map { RigLock.fileName(of: $0) == holding.rig } ?? true
    }
    guard !held.isEmpty else {
      Console.out(rig.map { "\($0): nobody uses this rig\n" } ?? "no rig is in use\n")
      return
    }
    for holding in held {
      guard kill(holding.process, SIGTERM) == 0 || errno == ESRCH else {
        throw ExitStatus(
          ExitStatus.deviceFault,
          "haprig: \(holding.rig): process \(holding.process) cannot be signalled: "
            + String(cString: strerror(errno)))
      }
    }
    for holding in held { try wait(for: holding) }
  }

  /// Waits until the rig is free: the drive is at zero well before.
  private func wait(for holding: RigLock.Holding) throws {
    for _ in 0..<500 {
      if !RigLock.holdings().contains(holding) {
        Console.out("\(holding.rig): stopped\n")
        return
      }
      usleep(20_000)
    }
    throw ExitStatus(
      ExitStatus.deviceFault,
      "haprig: \(holding.rig): process \(holding.process) was told to stop and still holds the rig "
        + "after 10 s: end it with 'kill -9 \(holding.process)'")
  }
}
