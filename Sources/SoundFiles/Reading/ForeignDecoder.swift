// SPDX-License-Identifier: Apache-2.0

import Glibc
import Units

/// Decodes what libsndfile does not know, AAC and videos among it, by the program `ffmpeg` where it is installed.
///
/// The program is started without a shell and reads the file by its descriptor. It opens no other file and no
/// network, takes no playlist, and is ended when it says nothing for too long or more than the limit.
struct ForeignDecoder {
  /// What is given to the decoder, for messages: "an MP4 file (AAC or ALAC)".
  let coding: String
  let name: String
  /// The program; one without a slash is looked up in PATH.
  var program = "ffmpeg"
  /// How long it may say nothing, in seconds.
  var patience = 20.0

  /// Its demultiplexers that read one file and name no others.
  private static let formats = "mov,matroska,aac,avi,mpegts,asf,caf"
  /// Sun's AU is a stream: rate and channels stand first, and nothing has to be known of the end.
  private static let output = ["-map", "0:a:0", "-c:a", "pcm_f32be", "-f", "au", "pipe:1"]

  /// Decodes a regular file, which stays the caller's, block by block.
  func scan(
    descriptor: Int32, limit: SoundFile.Limit,
    _ body: (_ block: Span<Float>, _ shape: SoundFile.Shape) -> Void
  ) throws(SoundFileError) -> SoundFile.Info {
    let child = try start(descriptor)
    var stream = Stream(child: child, decoder: self)
    defer { stream.close() }
    let head = try stream.head()
    guard head.channels <= limit.channels, head.rate <= limit.rate else {
      throw SoundFileError(
        .tooLarge, path: name,
        "\(head.channels) channels at \(head.rate) Hz are more than the \(limit.channels) at "
          + "\(limit.rate) Hz that are read: mix or resample it")
    }
    let shape = SoundFile.Shape(
      rate: SampleRate(hertz: Double(head.rate)), channelCount: head.channels)
    let frameBytes = 4 * head.channels
    var count = 0
    while let bytes = try stream.frames(of: frameBytes) {
      count += bytes.count / frameBytes
      guard count * frameBytes <= limit.bytes else {
        throw SoundFileError(
          .tooLarge, path: name,
          "the sound takes more than the \(limit.bytes) bytes of decoded samples that are read: "
            + "cut it into shorter files")
      }
      let block = stride(from: 0, to: bytes.count, by: 4).map { place in
        let word = (0..<4).reduce(UInt32(0)) { $0 << 8 | UInt32(bytes[place + $1]) }
        let sample = Float(bitPattern: word)
        return sample.isFinite ? sample : 0
      }
      body(block.span, shape)
    }
    try stream.finish()
    guard count > 0 else {
      throw SoundFileError(.empty, path: name, "the sound has no frames: record or export it again")
    }
    return SoundFile.Info(
      rate: shape.rate, channelCount: shape.channelCount, frameCount: count,
      formatName: "\(coding), by \(program)")
  }

  private struct Child {
    let process: pid_t
    let output: Int32
    let errors: Int32
  }

  private func start(_ descriptor: Int32) throws(SoundFileError) -> Child {
    var pipes: [Int32] = []
    for _ in 0..<2 {
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else {
        for end in pipes { Glibc.close(end) }
        throw SoundFileError(.unsupported, path: name, "no pipe can be had for '\(program)'")
      }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      pipes += ends
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (number, stream) in [descriptor, pipes[1], pipes[3]].enumerated() {
      posix_spawn_file_actions_adddup2(&actions, stream, Int32(number))
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    // Ctrl-C at the terminal is for haprig, which ends what it has started.
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))
    // By its descriptor, since a name could be a protocol, and opened anew, since MP4 is read from its end as well.
    let arguments =
      [
        program, "-nostdin", "-hide_banner", "-loglevel", "error", "-protocol_whitelist",
        "file,pipe", "-format_whitelist", Self.formats, "-i", "file:/dev/stdin", "-vn", "-sn",
      ] + Self.output
    var words = arguments.map { strdup($0) } + [nil]
    let path = getenv("PATH").map { String(cString: $0) } ?? "/usr/bin:/bin"
    var settings = [strdup("PATH=\(path)"), strdup("LC_ALL=C"), nil]
    defer { for text in words + settings { free(text) } }
    var process: pid_t = 0
    let reason = posix_spawnp(&process, program, &actions, &attributes, &words, &settings)
    for end in [pipes[1], pipes[3]] { Glibc.close(end) }
    guard reason == 0 else {
      for end in [pipes[0], pipes[2]] { Glibc.close(end) }
      throw SoundFileError(
        .unsupported, path: name,
        reason == ENOENT
          ? "this is \(coding), which is read by the program '\(program)', and that is not installed: "
            + "install it, or convert the file to WAV or FLAC"
          : "this is \(coding), and '\(program)' cannot be started (\(FileSystem.reason(reason)))")
    }
    for end in [pipes[0], pipes[2]] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    return Child(process: process, output: pipes[0], errors: pipes[2])
  }

  /// What the program writes, as it comes.
  private struct Stream {
    let child: Child
    let decoder: ForeignDecoder
    private var bytes: [UInt8] = []
    private var complaint: [UInt8] = []
    private var isAtEnd = false
    private var isReaped = false

    init(child: Child, decoder: ForeignDecoder) {
      self.child = child
      self.decoder = decoder
    }

    /// Rate and channels, behind which the samples begin.
    mutating func head() throws(SoundFileError) -> (rate: Int, channels: Int) {
      try fill(24)
      func number(_ place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
      guard bytes.count >= 24, bytes[0..<4].elementsEqual(".snd".utf8), number(12) == 6,
        number(16) > 0, number(20) > 0, (24...4096).contains(number(4))
      else {
        try finish()
        throw failure("it has no sound that '\(decoder.program)' finds")
      }
      let (start, rate, channels) = (number(4), number(16), number(20))
      try fill(start)
      bytes.removeFirst(min(start, bytes.count))
      return (rate, channels)
    }

    /// The next bytes of whole frames; `nil` at the end.
    mutating func frames(of size: Int) throws(SoundFileError) -> [UInt8]? {
      try fill(max(size, 1 << 16) / size * size)
      let whole = bytes.count / size * size
      guard whole > 0 else { return nil }
      defer { bytes.removeFirst(whole) }
      return Array(bytes[..<whole])
    }

    /// Reads until there are so many bytes, or no more.
    private mutating func fill(_ count: Int) throws(SoundFileError) {
      var block = [UInt8](repeating: 0, count: 1 << 16)
      while bytes.count < count, !isAtEnd {
        var waits = [
          pollfd(fd: child.output, events: Int16(POLLIN), revents: 0),
          pollfd(fd: child.errors, events: Int16(POLLIN), revents: 0),
        ]
        let ready = poll(&waits, 2, Int32(1000 * decoder.patience))
        if ready < 0, errno == EINTR { continue }
        guard ready > 0 else {
          throw failure("'\(decoder.program)' said nothing for \(Int(decoder.patience)) s")
        }
        if waits[1].revents != 0 {
          let count = Glibc.read(child.errors, &block, block.count)
          if count > 0 { complaint = (complaint + block[..<count]).suffix(400) }
          // Its end alone wakes for ever.
          if count == 0, waits[0].revents == 0 { usleep(1000) }
        }
        guard waits[0].revents != 0 else { continue }
        let count = Glibc.read(child.output, &block, block.count)
        if count > 0 { bytes += block[..<count] }
        if count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR) { isAtEnd = true }
      }
    }

    /// Waits for the program's end; what it complains of is an error.
    mutating func finish() throws(SoundFileError) {
      guard !isReaped else { return }
      var status: Int32 = 0
      for _ in 0..<Int(1000 * decoder.patience) {
        if waitpid(child.process, &status, WNOHANG) != 0 {
          isReaped = true
          break
        }
        usleep(1000)
      }
      guard isReaped else { throw failure("'\(decoder.program)' does not end") }
      guard status == 0 else { throw failure("'\(decoder.program)' cannot decode it") }
    }

    private func failure(_ reason: String) -> SoundFileError {
      let lines = String(decoding: complaint, as: UTF8.self).split(separator: "\n")
      let said = (lines.first ?? "").replacing("file:/dev/stdin: ", with: "")
      if said.contains("matches no streams") {
        return SoundFileError(
          .empty, path: decoder.name, "this is \(decoder.coding) without a sound in it")
      }
      return SoundFileError(
        .damaged, path: decoder.name,
        "this is \(decoder.coding), and \(reason)\(said.isEmpty ? "" : " (\(said))"): "
          + "copy it again, or convert it to WAV")
    }

    mutating func close() {
      if !isReaped {
        kill(-child.process, SIGKILL)
        var status: Int32 = 0
        while waitpid(child.process, &status, 0) < 0, errno == EINTR {}
        isReaped = true
      }
      Glibc.close(child.output)
      Glibc.close(child.errors)
    }
  }
}
