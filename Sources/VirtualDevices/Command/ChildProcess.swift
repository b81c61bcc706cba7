// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A program started by haprig, with pipes on its standard streams; killed and reaped when it goes.
///
/// It leads a process group of its own, so that Ctrl-C at the terminal reaches haprig alone and a kill
/// reaches what the program started.
struct ChildProcess: ~Copyable, Sendable {
  enum Exit: Sendable, Equatable, CustomStringConvertible {
    case code(Int32)
    case signal(Int32)

    var description: String {
      switch self {
      case .code(let code): "ended with exit code \(code)"
      case .signal(let number): "was ended by signal \(number)"
      }
    }
  }

  enum Fault: Error {
    case timedOut
    /// It closed its output, with this many bytes of what was asked there.
    case ended(received: Int)
    /// It says far more than it was asked for.
    case flooded
    case system(Int32)

    var isEnd: Bool {
      if case .ended = self { true } else { false }
    }
  }

  let log: ProgramLog
  var received: [UInt8] = []

  private let identifier: pid_t
  private var input: Descriptor
  private var output: Descriptor
  private var errors: Descriptor
  private var exit: Exit?

  /// Starts a program in a folder, or throws the error number of what failed.
  ///
  /// A name without a slash is looked up in PATH. Corresponds to `posix_spawnp`.
  init(_ arguments: [String], folder: String, log: ProgramLog) throws(Fault) {
    let input = try Pipe()
    let output = try Pipe()
    let errors = try Pipe()
    var identifier: pid_t = 0
    let streams = [input.reading.number, output.writing.number, errors.writing.number]
    let failure = Self.spawn(arguments, folder: folder, streams: streams, &identifier)
    guard failure == 0 else { throw .system(failure) }
    for descriptor in [input.writing.number, output.reading.number, errors.reading.number] {
      _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }
    self.identifier = identifier
    self.log = log
    self.input = input.writing
    self.output = output.reading
    self.errors = errors.reading
  }

  deinit {
    guard exit == nil else { return }
    kill(-identifier, SIGKILL)
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
  }

  /// Makes a write to a program that has ended an error, for the whole process.
  static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }

  private static func spawn(
    _ arguments: [String], folder: String, streams: [Int32], _ identifier: inout pid_t
  ) -> Int32 {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, stream) in streams.enumerated() {
      posix_spawn_file_actions_adddup2(&actions, stream, Int32(number))
    }
    var failure = GlibcExtensions.addChangeOfFolder(&actions, folder)
    guard failure == 0 else { return failure }
    failure = GlibcExtensions.addCloseFrom(&actions, 3)
    guard failure == 0 else { return failure }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // What haprig ignores or blocks is no business of the program's.
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes,
      Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
    var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) }
    defer { for word in words { free(word) } }
    words.append(nil)
    return posix_spawnp(&identifier, arguments[0], &actions, &attributes, words, environ)
  }
}

extension ChildProcess {
  /// How many bytes a program may be ahead of what it was asked for.
  static let surplus = 1 << 20

  /// Sends bytes and goes on until `isComplete` holds of what was received.
  ///
  /// Both directions and the log go on together, so that neither side waits for the other for ever.
  /// `size` is how much is asked for; a program that says `surplus` bytes more is stopped. One that
  /// has ended may have said what was asked before it could be told anything: that counts, whether
  /// or not its end was seen before the bytes could be sent.
  mutating func converse(
    sending bytes: [UInt8], asking size: Int, timeout: Double,
    until isComplete: (borrowing [UInt8]) -> Bool
  ) throws(Fault) {
    var sent = 0
    let clock = MonotonicClock()
    let deadline = clock.now() + UInt64(timeout * 1e9)
    while sent < bytes.count || !isComplete(received) {
      let now = clock.now()
      guard now < deadline else { throw .timedOut }
      let pending = input.isOpen ? bytes.count - sent : 0
      guard output.isOpen else {
        if isComplete(received) { return }
        throw .ended(received: received.count)
      }
      guard received.count <= size + Self.surplus else { throw .flooded }
      try waitForStreams(writing: pending > 0, nanoseconds: deadline - now)
      if pending > 0 { try send(bytes, &sent) }
      takeErrors()
      try takeOutput()
    }
  }

  mutating func endInput() { input.close() }

  /// Waits for the program to end, reading on so that it never waits for haprig.
  mutating func waitForExit(within seconds: Double) -> Exit? {
    let clock = MonotonicClock()
    let deadline = clock.now() + UInt64(seconds * 1e9)
    while exit == nil {
      takeErrors()
      // What comes after the last block is of no use; a failure shows as the program's end.
      try? takeOutput()
      reap()
      received = []
      guard exit == nil, clock.now() < deadline else { break }
      try? waitForStreams(writing: false, nanoseconds: 2_000_000)
    }
    if exit != nil {
      while takeErrors() {}
      log.finish()
    }
    return exit
  }

  /// Ends a program: its input, a while to end by itself, then SIGTERM, then SIGKILL.
  mutating func end(patience: Double) -> Exit? {
    endInput()
    if let exit = waitForExit(within: patience) { return exit }
    kill(-identifier, SIGTERM)
    if let exit = waitForExit(within: 0.5) { return exit }
    kill(-identifier, SIGKILL)
    return waitForExit(within: 5)
  }

  private mutating func reap() {
    var found = siginfo_t()
    guard waitid(P_PID, id_t(identifier), &found, WEXITED | WNOHANG | WNOWAIT) == 0,
      found.si_signo == SIGCHLD
    else { return }
    // What the program started and left behind would hold its pipes open. Before the program is
    // reaped, since its number may belong to somebody else afterwards.
    kill(-identifier, SIGKILL)
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    // The low seven bits are the signal; without one the next byte is the code (wait(2)).
    exit = status & 0x7f == 0 ? .code((status >> 8) & 0xff) : .signal(status & 0x7f)
  }

  private func waitForStreams(writing: Bool, nanoseconds: UInt64) throws(Fault) {
    // A negative descriptor is passed over by poll.
    var streams = [
      pollfd(fd: writing ? input.number : -1, events: Int16(POLLOUT), revents: 0),
      pollfd(fd: output.number, events: Int16(POLLIN), revents: 0),
      pollfd(fd: errors.number, events: Int16(POLLIN), revents: 0),
    ]
    let milliseconds = min(nanoseconds / 1_000_000 + 1, 60_000)
    guard poll(&streams, 3, Int32(milliseconds)) >= 0 || errno == EINTR else {
      throw .system(errno)
    }
  }

  private mutating func send(_ bytes: [UInt8], _ sent: inout Int) throws(Fault) {
    guard input.isOpen else { return }
    let number = input.number
    let count = bytes.withUnsafeBytes {
      write(number, $0.baseAddress.map { $0 + sent }, $0.count - sent)
    }
    if count >= 0 {
      sent += count
    } else if errno == EPIPE {
      // It reads no more: what it still says, or its end, tells why.
      input.close()
    } else if errno != EAGAIN, errno != EINTR {
      throw .system(errno)
    }
  }

  private mutating func takeOutput() throws(Fault) {
    guard output.isOpen else { return }
    let number = output.number
    let (bytes, isOpen, failure) = Self.readAvailable(number)
    received += bytes
    if !isOpen { output.close() }
    if failure != 0 { throw .system(failure) }
  }

  /// Passes on what is there of the standard error; false where nothing is.
  @discardableResult
  private mutating func takeErrors() -> Bool {
    guard errors.isOpen else { return false }
    let number = errors.number
    let (bytes, isOpen, _) = Self.readAvailable(number)
    log.append(bytes)
    if !isOpen {
      errors.close()
      log.finish()
    }
    return !bytes.isEmpty
  }

  /// One read of what is there: the bytes, whether more can come, and the error number of a failure.
  private static func readAvailable(_ number: Int32) -> (ArraySlice<UInt8>, Bool, Int32) {
    var count = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, filled in
      count = read(number, buffer.baseAddress, 65_536)
      filled = max(0, count)
    }
    if count > 0 { return (bytes[...], true, 0) }
    if count == 0 { return ([], false, 0) }
    return errno == EAGAIN || errno == EINTR ? ([], true, 0) : ([], false, errno)
  }
}
