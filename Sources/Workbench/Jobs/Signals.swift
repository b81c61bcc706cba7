// SPDX-License-Identifier: Apache-2.0

private import Glibc

enum Signals {
  /// Asks a process to stop, as Ctrl-C does.
  static func interrupt(_ process: Int) { kill(pid_t(process), SIGINT) }
}
