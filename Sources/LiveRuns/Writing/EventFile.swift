// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A live folder that this process writes: its lock is held for as long as the object lives.
final class EventFile: @unchecked Sendable {
  // Sendable: one thread at a time writes.
  let path: String
  private let lock: Int32
  private let events: Int32
  private var size = 0
  private var number = 0
  /// Events that were left out since the last line.
  private var omitted = 0
  private var waiting: [UInt8] = []
  private var added = 0

  /// Makes a folder, which appears with its first line and its lock held.
  init(id: String, in folder: String, first: LiveEvent, seconds: Double) throws(LiveError) {
    try LiveFolder.make(folder)
    LiveFolder.clean(folder)
    let hidden = folder + "/." + id
    path = folder + "/" + id
    guard mkdir(hidden, 0o700) == 0 else { throw LiveError("no folder", hidden, errno) }
    lock = Self.make(hidden + "/" + LiveNames.lock)
    events = lock < 0 ? -1 : Self.make(hidden + "/" + LiveNames.events, O_APPEND)
    guard events >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0, write(first, seconds),
      rename(hidden, path) == 0
    else {
      let refusal = LiveError("no folder", path, errno)
      LiveFolder.remove(hidden)
      throw refusal
    }
  }

  deinit {
    if events >= 0 { close(events) }
    if lock >= 0 { close(lock) }
  }

  private func write(_ event: LiveEvent, _ seconds: Double) -> Bool {
    add(event, seconds)
    return flush()
  }

  private static func make(_ path: String, _ flags: Int32 = 0) -> Int32 {
    open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW | flags, 0o600)
  }

  func leaveOut(_ count: Int) { omitted += count }

  /// Adds a line to what the next `flush` writes.
  func add(_ event: LiveEvent, _ seconds: Double) {
    waiting +=
      LiveLine(number: number + added, seconds: seconds, omitted: omitted, event: event).bytes
    added += 1
    omitted = 0
  }

  /// Writes whole lines at once, or none of them: then they count as left out.
  @discardableResult
  func flush() -> Bool {
    defer {
      waiting.removeAll(keepingCapacity: waiting.count < 1 << 20)
      added = 0
    }
    guard !waiting.isEmpty else { return true }
    while true {
      let count = Glibc.write(events, waiting, waiting.count)
      if count < 0, errno == EINTR { continue }
      guard count == waiting.count else {
        let reason = errno
        // A part of them is none: the next ones begin in its place.
        if count > 0 { ftruncate(events, off_t(size)) }
        omitted += added
        errno = count >= 0 ? ENOSPC : reason
        return false
      }
      size += count
      number += added
      return true
    }
  }

  /// Takes the folder away; whoever has its files open reads on to the end.
  func remove() { LiveFolder.remove(path) }
}
