// SPDX-License-Identifier: Apache-2.0

private import Glibc
private import Synchronization

/// Collects the samples of one channel, first to last; what is more than memory should hold goes to a scratch file.
///
/// Where no disk takes them they stay in memory: a take that is recorded is not to be lost for want of a file.
public final class SampleWriter {
  private var kept: [Float] = []
  /// Samples that are in the file already.
  private var filed = 0
  private var file: ScratchFile?
  private var isDiskLost = false

  /// Samples that are written to a file in one go.
  private static let pieceLength = 1 << 15

  /// Begins with none; room is made at once for as many as are expected.
  public init(expected: Int = 0) {
    kept.reserveCapacity(
      expected > Samples.mostInMemory ? Self.pieceLength + 4096 : expected)
    if expected > Samples.mostInMemory { file = ScratchFile() }
  }

  init(file: ScratchFile) { self.file = file }

  /// How many samples came.
  public var count: Int { filed + kept.count }

  /// Adds samples.
  public func append(_ samples: [Float]) {
    kept += samples
    makeRoom()
  }

  /// Adds one channel's samples of interleaved frames, multiplied by a gain.
  public func append(
    channel: Int, of width: Int, in interleaved: Span<Float>, frames: Int, gain: Float = 1
  ) {
    for frame in 0..<frames { kept.append(interleaved[frame * width + channel] * gain) }
    makeRoom()
  }

  /// The samples that came; none may be added afterwards.
  public func finish() -> Samples {
    guard file != nil, count > Samples.mostInMemory else {
      return Samples(filed == 0 ? kept : takeBack())
    }
    flush()
    guard let file else { return Samples(kept) }
    return Samples(file, count: filed)
  }

  private func makeRoom() {
    guard !isDiskLost, kept.count >= Self.pieceLength,
      file != nil || kept.count > Samples.mostInMemory
    else { return }
    file = file ?? ScratchFile()
    isDiskLost = file == nil
    flush()
  }

  private func flush() {
    guard let file else { return }
    guard file.write(kept.span, at: filed) else {
      kept = takeBack()
      (self.file, filed, isDiskLost) = (nil, 0, true)
      return
    }
    filed += kept.count
    // Of a first piece that filled the memory the room is let go of.
    kept.removeAll(keepingCapacity: kept.count <= 2 * Self.pieceLength)
  }

  private func takeBack() -> [Float] {
    guard let file, filed > 0 else { return kept }
    return Samples(file, count: filed)[0..<filed] + kept
  }
}

/// A file of float samples without a name: it is gone with its last user, whatever ends the process.
final class ScratchFile: Sendable {
  private let descriptor: Int32
  /// How many files this process made.
  private static let made = Atomic(0)

  /// Makes an empty file in `TMPDIR`, else in /var/tmp, which is on a disk where /tmp may be memory; `nil` where
  /// neither takes one.
  init?() {
    let folders = [getenv("TMPDIR").map { String(cString: $0) }, "/var/tmp", "/tmp"]
    for folder in folders.compactMap(\.self) {
      let number = Self.made.add(1, ordering: .relaxed).newValue
      let name = "\(folder)/haprig-\(getpid())-\(number).samples"
      let descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else { continue }
      unlink(name)
      self.descriptor = descriptor
      return
    }
    return nil
  }

  init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Writes samples from one of them on; false where the disk does not take them all.
  func write(_ samples: Span<Float>, at first: Int) -> Bool {
    samples.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        let count = pwrite(
          descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done,
          off_t(4 * first + done))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        done += count
      }
      return true
    }
  }

  /// Reads samples from one of them on, as many as there is room for; traps where the disk fails, as memory would.
  func read(into room: UnsafeMutableBufferPointer<Float>, at first: Int) {
    let bytes = UnsafeMutableRawBufferPointer(room)
    var done = 0
    while done < bytes.count {
      let count = pread(
        descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done,
        off_t(4 * first + done))
      if count < 0, errno == EINTR { continue }
      precondition(
        count > 0, "samples \(first) on cannot be read back from the disk: errno \(errno)")
      done += count
    }
  }
}
