import Devices
private import Glibc

/// A program that was started, in a session of its own, and is waited for by a thread of its own.
final class Child: Sendable {
  let process: Int32
  /// What a held drive is told over; -1 where the child has no input.
  private let input: Guarded<Int32>
  private let ending = Guarded<Int32?>(nil)

  private init(process: Int32, input: Int32) {
    self.process = process
    self.input = Guarded(input)
  }

  deinit { closeInput() }

  /// The exit code, or 128 and the number of the signal that ended it; `nil` while it runs.
  var status: Int32? { ending.withLock { $0 } }

  /// Starts a program without a shell; its output goes to a descriptor that is the caller's.
  ///
  /// It inherits its three standard descriptors and no other, and no signal is blocked or ignored.
  static func start(
    _ arguments: [String], output: Int32, hasInput: Bool,
    then: @escaping @Sendable (Int32) -> Void
  ) throws(HTTPFault) -> Child {
    let (process, input, reason) = SpawnGate.pass {
      spawn(arguments, output: output, hasInput: hasInput)
    }
    guard reason == 0 else {
      throw HTTPFault(
        500, "start", "the program cannot be started: \(String(cString: strerror(reason)))")
    }
    let child = Child(process: process, input: input)
    Thread.start {
      let status = child.wait()
      then(status)
    }
    return child
  }

  /// Every descriptor of this program is marked to be closed in children, whoever made it.
  private static func spawn(
    _ arguments: [String], output: Int32, hasInput: Bool
  ) -> (process: Int32, input: Int32, reason: Int32) {
    var ends: [Int32] = [-1, -1]
    if hasInput, pipe(&ends) != 0 { return (0, -1, errno) }
    defer { if ends[0] >= 0 { close(ends[0]) } }
    if hasInput {
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if hasInput {
      posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
    } else {
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    }
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, output, 2)
    // Whatever this program has open, whoever opened it: nothing of it is the child's.
    for number in openDescriptors where number > 2 {
      posix_spawn_file_actions_addclose(&actions, number)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for number in [SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGXFSZ] { sigaddset(&signals, number) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    // 0x80 is POSIX_SPAWN_SETSID.
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | 0x80))
    var words = arguments.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let reason = posix_spawn(&process, arguments[0], &actions, &attributes, &words, environ)
    guard reason == 0 else {
      if ends[1] >= 0 { close(ends[1]) }
      return (0, -1, reason)
    }
    return (process, ends[1], 0)
  }

  private static var openDescriptors: [Int32] {
    guard let stream = opendir("/proc/self/fd") else { return [] }
    defer { closedir(stream) }
    var numbers: [Int32] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if let number = Int32(name) { numbers.append(number) }
    }
    return numbers
  }

  /// Waits for the end without taking the number away from who may just be sending a signal.
  private func wait() -> Int32 {
    var info = siginfo_t()
    while waitid(P_PID, id_t(process), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    closeInput()
    return ending.withLock { ending in
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      // The low seven bits are the signal; without one the next byte is the code (wait(2)).
      let signal = status & 0x7F
      let code = signal == 0 ? (status >> 8) & 0xFF : 128 + signal
      ending = code
      return code
    }
  }

  /// Sends a signal, where the process is still there.
  func send(_ signal: Int32) {
    ending.withLock { ending in if ending == nil { kill(process, signal) } }
  }

  /// Tells a held drive to go on; a pipe that is full has enough of that.
  func beat() {
    input.withLock { descriptor in
      guard descriptor >= 0 else { return }
      _ = Glibc.write(descriptor, ".", 1)
    }
  }

  /// Ends what a held drive is told over: it stops.
  func closeInput() {
    input.withLock { descriptor in
      if descriptor >= 0 { close(descriptor) }
      descriptor = -1
    }
  }
}
