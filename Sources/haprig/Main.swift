import ArgumentParser
import CAllocator
private import Glibc

/// Where the program starts: parses, runs, and turns every error into one sentence and an exit code.
@main
enum Main {
  static func main() async {
    // A program at the other end of a pipe may end first; a write then fails instead of killing us.
    signal(SIGPIPE, SIG_IGN)
    // Likewise a write beyond the size that files may have (ulimit -f).
    signal(SIGXFSZ, SIG_IGN)
    // Takes come and go with blocks of many megabytes. The C library would raise the size from which it
    // gives memory back after each, keep more and more of it, and a run of days would grow.
    mallopt(M_MMAP_THRESHOLD, 1 << 20)
    do {
      let arguments = FixOption.spelledOut(Array(CommandLine.arguments.dropFirst()))
      var command = try Haprig.parseAsRoot(arguments)
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
    } catch {
      end(with: error)
    }
  }

  private static func end(with error: any Error) -> Never {
    if let status = error as? ExitStatus {
      if let message = status.message { Console.error(message) }
      exit(status.code)
    }
    let code = Haprig.exitCode(for: error)
    let text = Haprig.fullMessage(for: error)
    guard code != .success else {
      print(text)
      exit(0)
    }
    if !text.isEmpty { Console.error(text) }
    // The argument parser says 64 for wrong usage; haprig's code for it is 2.
    exit(code == .validationFailure ? ExitStatus.wrongInput : code.rawValue)
  }
}
