// SPDX-License-Identifier: Apache-2.0

import Glibc
import ScratchFolder

/// A program of alsa-utils, run on a card in a process of its own.
final class OutsideProgram {
  private let process: pid_t
  private var status: Int32?

  /// Starts a program that finds the card by a configuration file; what it prints is dropped.
  init(_ arguments: [String], folder: CardFolder, keys: String = "") throws {
    let file = try folder.folder.write(folder.configuration(keys), to: "asound.conf")
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
    }
    let environment = [
      "ALSA_CONFIG_PATH=/usr/share/alsa/alsa.conf:\(file)", "LC_ALL=C", "PATH=/usr/bin:/bin",
    ]
    var words = arguments.map { strdup($0) } + [nil]
    var settings = environment.map { strdup($0) } + [nil]
    defer {
      for word in words + settings { free(word) }
    }
    var process: pid_t = 0
    let code = posix_spawnp(&process, arguments[0], &actions, nil, &words, &settings)
    guard code == 0 else { throw CardPCM.Failure(call: "spawn \(arguments[0])", code: Int(-code)) }
    self.process = process
  }

  deinit { if status == nil { end() } }

  /// Waits for the program, and gives its exit status, or 128 and the signal that ended it.
  @discardableResult
  func wait() -> Int32 {
    if let status { return status }
    var word: Int32 = 0
    while waitpid(process, &word, 0) < 0, errno == EINTR {}
    let result = word & 0x7F == 0 ? (word >> 8) & 0xFF : 128 + (word & 0x7F)
    status = result
    return result
  }

  /// Ends the program in the middle of whatever it does.
  func end() {
    kill(process, SIGKILL)
    wait()
  }
}
