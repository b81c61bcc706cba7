import Devices
private import Glibc

/// Ctrl-C, SIGTERM and the loss of the terminal as a request to stop that the running session looks at.
///
/// The first signal asks to stop: the drive goes to zero and the record is finished. Ctrl-C or SIGTERM
/// again ends the program at once. SIGHUP does not: where a shell stands between, the shell and the
/// kernel both tell of one lost terminal.
enum Interruption {
  static let signal = StopSignal()

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

/// Return after Return from standard input, a terminal or not.
struct LineInput {
  private let stop: StopSignal
  private var buffer = [UInt8](repeating: 0, count: 4096)
  private var unread: Range<Int> = 0..<0
  private var hasEnded = false

  init(stop: StopSignal) { self.stop = stop }

  /// Waits for the end of a line; false where the input has ended instead, or somebody asked to stop.
  ///
  /// What stands in the line does not matter. A last line without an end counts.
  mutating func next() -> Bool {
    var hasText = false
    while true {
      while let place = unread.first {
        unread = place + 1..<unread.upperBound
        if buffer[place] == UInt8(ascii: "\n") { return true }
        hasText = true
      }
      guard !hasEnded else { return hasText }
      guard fill() else { return false }
    }
  }

  /// Waits for bytes or the end of the input; false where somebody asked to stop.
  private mutating func fill() -> Bool {
    while stop.requested == nil {
      // A negative descriptor is passed over by poll.
      var waiting = [
        pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
        pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&waiting, 2, stop.descriptor < 0 ? 100 : -1) > 0, waiting[0].revents != 0 else {
        continue
      }
      let count = buffer.withUnsafeMutableBytes { read(STDIN_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      hasEnded = count <= 0
      unread = 0..<max(0, count)
      return true
    }
    return false
  }
}
