import Devices
private import Glibc

/// A program that is run with more in its environment, its input and output those of this one.
struct ObservedApp {
  private let command: [String]

  init(_ command: [String]) { self.command = command }

  /// How a program ended.
  enum End: Equatable, CustomStringConvertible {
    case exited(Int32)
    case signalled(Int32)

    /// Out of what `wait` tells (wait(2)): the low seven bits are the signal, the next byte is the code.
    init(status: Int32) {
      let number = status & 0x7f
      self = number == 0 ? .exited((status >> 8) & 0xff) : .signalled(number)
    }

    var description: String {
      switch self {
      case .exited(let code): "ended with \(code)"
      case .signalled(let number):
        "was ended by signal \(number) (\(String(cString: strsignal(number))))"
      }
    }
  }

  /// Runs the program to its end; a signal that asks haprig to stop is passed on to it.
  ///
  /// - Parameter variables: What is put into its environment.
  /// - Returns: How it ended.
  /// - Throws: An `ExitStatus` where it cannot be started.
  func run(_ variables: [String: String]) throws -> End {
    var environment: [UnsafeMutablePointer<CChar>?] = []
    var place = environ
    while let entry = place.pointee {
      let name = String(cString: entry).prefix { $0 != "=" }
      if variables[String(name)] == nil { environment.append(strdup(entry)) }
      place += 1
    }
    for (name, value) in variables { environment.append(strdup("\(name)=\(value)")) }
    var arguments = command.map { strdup($0) }
    defer { for text in environment + arguments { free(text) } }
    environment.append(nil)
    arguments.append(nil)
    var process = pid_t()
    let status = posix_spawnp(&process, command[0], nil, nil, arguments, environment)
    guard status == 0 else {
      throw ExitStatus(
        ExitStatus.wrongInput,
        "haprig: '\(command[0])' cannot be run: \(String(cString: strerror(status)))")
    }
    return wait(for: process)
  }

  private func wait(for process: pid_t) -> End {
    var status: Int32 = 0
    var patience = Self.patience
    while true {
      let ended = waitpid(process, &status, WNOHANG)
      if ended == process { return End(status: status) }
      if ended < 0, errno != EINTR { return .exited(127) }
      usleep(UInt32(Self.look))
      guard let number = Interruption.signal.requested, patience > 0 else { continue }
      // A terminal tells the app by itself.
      patience -= Self.look
      if patience <= 0 { kill(process, number) }
    }
  }

  /// How often the app is looked at, and how long it may take to end by itself, in microseconds.
  private static let look = 10_000
  private static let patience = 300_000
}
