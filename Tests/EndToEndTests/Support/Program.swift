// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// How a program ended and what it printed.
struct Ending {
  /// The exit code, or 128 and the signal's number where a signal ended it.
  let code: Int32
  let output: String
  let errors: String
  /// The most memory that it had at once, in kilobytes, as far as it was looked at.
  var peakKilobytes = 0
}

/// A program that was started, in a process group of its own; it writes to two files.
///
/// On a terminal it leads a session of its own, reads from there and writes its output there.
struct Program {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let identifier: pid_t
  private let name: String
  private let output: URL
  private let errors: URL

  /// Starts a program with the environment of the tests and some changes to it.
  ///
  /// Signals are as a shell leaves them: threads of the test runner block some, and what started the
  /// runner may ignore others.
  init(
    _ arguments: [String], changing environment: [String: String] = [:], in folder: URL,
    output: URL, errors: URL, terminal: Terminal? = nil
  ) throws {
    self.output = output
    self.errors = errors
    name = arguments.joined(separator: " ")
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // The first terminal that the leader of a session opens becomes its own.
    posix_spawn_file_actions_addopen(&actions, 0, terminal?.path ?? "/dev/null", O_RDWR, 0)
    for (number, file) in [(1, terminal?.path ?? output.path()), (2, errors.path())] {
      posix_spawn_file_actions_addopen(
        &actions, Int32(number), file, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for number in [SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGXFSZ] { sigaddset(&signals, number) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    // Either makes a process group whose number is the program's; 0x80 is POSIX_SPAWN_SETSID.
    let group = terminal == nil ? POSIX_SPAWN_SETPGROUP : 0x80
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | Int32(group)))
    let merged = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    // env becomes the program once it stands in the folder.
    var words = (["env", "--chdir=\(folder.path())"] + arguments).map { strdup($0) } + [nil]
    var settings = merged.map { strdup("\($0)=\($1)") } + [nil]
    defer { for text in words + settings { free(text) } }
    var identifier: pid_t = 0
    let reason = posix_spawnp(&identifier, "env", &actions, &attributes, &words, &settings)
    guard reason == 0 else {
      throw Failure(description: "'\(name)': \(String(cString: strerror(reason)))")
    }
    self.identifier = identifier
  }

  /// What it has written to its standard output so far.
  var outputSoFar: String { Self.text(output) }

  /// What it has written to its standard error so far.
  var errorsSoFar: String { Self.text(errors) }

  /// Whether it has a handler for a signal, as the kernel tells.
  func handles(_ signal: Int32) -> Bool {
    let status = (try? String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8)) ?? ""
    let caught = status.firstMatch(of: /SigCgt:\s*([0-9a-f]+)/)?.output.1
    return caught.flatMap { UInt64($0, radix: 16) }.map { $0 >> (signal - 1) & 1 == 1 } ?? false
  }

  func send(_ signal: Int32) { kill(identifier, signal) }

  /// Waits for the end, and kills the whole group if it does not come in time.
  ///
  /// What it started goes with it, unless its group is kept.
  func end(within seconds: Double = 120, keepsGroup: Bool = false) throws -> Ending {
    let start = ContinuousClock.now
    var status: Int32 = 0
    var peak = 0
    while waitpid(identifier, &status, WNOHANG) == 0 {
      peak = max(peak, peakKilobytes)
      guard ContinuousClock.now - start < .seconds(seconds) else {
        kill(-identifier, SIGKILL)
        waitpid(identifier, &status, 0)
        throw Failure(
          description: "'\(name)' did not end within \(seconds) s; it wrote: \(errorsSoFar)")
      }
      usleep(3_000)
    }
    // What it started and left behind would go on.
    if !keepsGroup { kill(-identifier, SIGKILL) }
    // The low seven bits are the signal; without one the next byte is the code (wait(2)).
    let signal = status & 0x7f
    return Ending(
      code: signal == 0 ? (status >> 8) & 0xff : 128 + signal, output: Self.text(output),
      errors: Self.text(errors), peakKilobytes: peak)
  }

  /// The most memory that it had at once so far.
  ///
  /// Looked at while it lives: what the system keeps of ended children holds what their parent had as they were made.
  private var peakKilobytes: Int {
    let status = (try? String(contentsOfFile: "/proc/\(identifier)/status", encoding: .utf8)) ?? ""
    return status.firstMatch(of: /VmHWM:\s*([0-9]+)/).flatMap { Int($0.output.1) } ?? 0
  }

  private static func text(_ file: URL) -> String {
    String(decoding: (try? Data(contentsOf: file)) ?? Data(), as: UTF8.self)
  }
}
