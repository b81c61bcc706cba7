import Devices
private import Glibc

/// Ctrl-C, SIGTERM and the loss of the terminal as a request to stop that the running session looks at.
///
/// The first signal asks to stop: the drive goes to zero and the record is finished. Ctrl-C or SIGTERM
/// again ends the program at once. SIGHUP does not: where a shell stands between, the shell and the
/// kernel both tell of one lost terminal.
enum Interruption {
  static let signal = StopSignal()

  /// Listens from now on.
  static func listen() {
    // Touched here, so that the handler finds it made.
    _ = signal.requested
    for number in [SIGINT, SIGTERM, SIGHUP] {
      var action = sigaction()
      action.__sigaction_handler.sa_handler = noteSignal
      action.sa_flags = SA_RESTART
      if number != SIGHUP { action.sa_flags |= Int32(bitPattern: UInt32(SA_RESETHAND)) }
      sigaction(number, &action, nil)
    }
  }
}

/// A function outside any type: a handler may run on any thread and only sets one atomic number.
private func noteSignal(_ number: Int32) { Interruption.signal.request(number) }
