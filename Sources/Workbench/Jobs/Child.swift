// SPDX-License-Identifier: Apache-2.0

import Devices
private import Glibc

/// A program that was started, in a session of its own, and is waited for by a thread of its own.
final class Child: Sendable {
  let process: Int32
  /// What a held drive is told over.
  private let input: Guarded<Input>
  private let ending = Guarded<Int32?>(nil)

  private init(process: Int32, input: Int32) {
    self.process = process
    self.input = Guarded(Input(descriptor: input))
  }

  /// The input of a child and what did not go into it yet.
  private struct Input {
    /// -1 where the child has none, or no more.
    var descriptor: Int32
    private var bytes: [UInt8] = []
    private var written = 0
    /// Whether a thread writes what waits.
    var isFollowed = false

    init(descriptor: Int32) { self.descriptor = descriptor }

    var waiting: Int { bytes.count - written }
    var last: UInt8? { bytes.last }

    mutating func append(_ more: [UInt8]) { bytes += more }

    mutating func forget() { (bytes, written) = ([], 0) }

    /// Writes as much as goes in without waiting for the child.
    mutating func write() {
      while descriptor >= 0, waiting > 0 {
        let count = bytes.withUnsafeBytes { buffer in
          buffer.baseAddress.map {
            Glibc.write(descriptor, $0 + written, min(buffer.count - written, 65_536))
          } ?? 0
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else {
          if count < 0, errno != EAGAIN { forget() }
          break
        }
        written += count
      }
      if waiting == 0 { forget() }
      // What has gone is dropped now and then, not each time.
      if written > 1 << 20, written > bytes.count / 2 {
        bytes.removeFirst(written)
        written = 0
      }
    }
  }

  /// The most that waits for a child to read it.
  private static let mostWaiting = 24 << 20

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

  /// Tells a held drive to go on; one beat that waits is enough of that.
  func beat() {
    input.withLock { input in
      let beat = UInt8(ascii: ".")
      guard input.descriptor >= 0, input.last != beat else { return }
      input.append([beat])
      input.write()
      // A drive that is told nothing but beats, and takes none, stops by itself.
      if input.waiting == 1 { input.forget() }
    }
  }

  /// Tells a child a line, never waiting for it; `false` where it has no input any more, or does not read.
  func say(_ line: [UInt8]) -> Bool {
    let (isTaken, isLate) = input.withLock { input in
      guard input.descriptor >= 0, input.waiting + line.count < Self.mostWaiting else {
        return (false, false)
      }
      input.append(line)
      input.append([0x0A])
      input.write()
      let isLate = input.waiting > 0 && !input.isFollowed
      if isLate { input.isFollowed = true }
      return (true, isLate)
    }
    if isLate { Thread.start { self.follow() } }
    return isTaken
  }

  /// Writes what waits as the child reads, until nothing does.
  private func follow() {
    while true {
      // A descriptor of this thread's own: the other may be closed meanwhile.
      let own = input.withLock { input in
        input.write()
        guard input.descriptor >= 0, input.waiting > 0 else {
          input.isFollowed = false
          return Int32(-1)
        }
        return fcntl(input.descriptor, F_DUPFD_CLOEXEC, 0)
      }
      guard own >= 0 else { return }
      var room = pollfd(fd: own, events: Int16(POLLOUT), revents: 0)
      _ = poll(&room, 1, 100)
      close(own)
    }
  }

  /// Ends what a held drive is told over: it stops.
  func closeInput() {
    input.withLock { input in
      if input.descriptor >= 0 { close(input.descriptor) }
      input.descriptor = -1
      input.forget()
    }
  }
}
