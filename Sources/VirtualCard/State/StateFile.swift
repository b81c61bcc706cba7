// SPDX-License-Identifier: Apache-2.0

import CALSA
import Devices
import Glibc

/// The file below /dev/shm in which the sides of a card meet.
///
/// One byte of it stands for each side: who holds a side holds a lock on its byte, and the kernel
/// lets go of it when the process dies. So a file that nobody has a lock on is stale and is begun
/// anew.
struct StateFile: Sendable {
  static let folder = "/dev/shm"

  let path: String
  /// Other processes write it as well: whoever follows the pointer holds the lock that stands
  /// there.
  nonisolated(unsafe) let memory: UnsafeMutablePointer<CardMemory>
  /// The drive frames on their way, under the same lock.
  nonisolated(unsafe) let ring: UnsafeMutablePointer<Float>

  private let descriptor: Int32
  private let length: Int
  private let channels: Int

  /// The most frames of a ring: 32 MiB, or what holds twice the largest buffer.
  static func mostFrames(channels: Int) -> Int {
    var frames = 1 << 20
    while frames * channels * 4 > 32 << 20 { frames /= 2 }
    return frames
  }

  private static let ringOffset = 4096

  /// Opens the card of a name and takes one side of it.
  ///
  /// `isFresh` comes back true where nobody else has the card: its memory is then all zeros but for
  /// the lock.
  static func attach(
    name: String, channels: Int, fingerprint: UInt64, taking side: CardDirection
  ) throws(CardError) -> (file: StateFile, isFresh: Bool) {
    let path = "\(folder)/haprig-\(getuid())-\(name)"
    while true {
      let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else { throw .system("open the card's state", path) }
      do throws(CardError) {
        guard lock(descriptor, .opening, wait: true) else {
          throw .system("lock the card's state", path)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
          throw .system("look at the card's state", path)
        }
        if status.st_nlink == 0 {
          // The last user removed it while this process waited for the lock.
          close(descriptor)
          continue
        }
        guard status.st_uid == getuid() else {
          throw CardError(EACCES, "the card's state \(path) belongs to another user: remove it")
        }
        let isFresh =
          !isLocked(descriptor, .side(.playback)) && !isLocked(descriptor, .side(.capture))
        let file = try StateFile(path: path, descriptor: descriptor, channels: channels)
        do throws(CardError) {
          try file.begin(isFresh: isFresh, fingerprint: fingerprint)
          try file.take(side)
        } catch {
          file.unmap()
          throw error
        }
        file.unlock(.opening)
        if isFresh { sweep(except: path) }
        return (file, isFresh)
      } catch {
        close(descriptor)
        throw error
      }
    }
  }

  private init(path: String, descriptor: Int32, channels: Int) throws(CardError) {
    let length = Self.ringOffset + Self.mostFrames(channels: channels) * channels * 4
    var status = stat()
    fstat(descriptor, &status)
    if status.st_size < length, ftruncate(descriptor, length) != 0 {
      throw .system("make room for the card's state", path)
    }
    // A page that cannot be had later would end the process: the head's is had now.
    let refusal = posix_fallocate(descriptor, 0, Self.ringOffset)
    guard refusal == 0 else {
      errno = refusal
      throw .system("make room for the card's state", path)
    }
    let base = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
    guard let base, base != MAP_FAILED else { throw .system("map the card's state", path) }
    self.path = path
    self.descriptor = descriptor
    self.length = length
    self.channels = channels
    memory = base.bindMemory(to: CardMemory.self, capacity: 1)
    ring = (base + Self.ringOffset).bindMemory(
      to: Float.self, capacity: (length - Self.ringOffset) / 4)
  }

  private func begin(isFresh: Bool, fingerprint: UInt64) throws(CardError) {
    if isFresh {
      memset(memory, 0, Self.ringOffset)
      var attributes = pthread_mutexattr_t()
      pthread_mutexattr_init(&attributes)
      pthread_mutexattr_setpshared(&attributes, Int32(PTHREAD_PROCESS_SHARED))
      pthread_mutexattr_setrobust(&attributes, Int32(PTHREAD_MUTEX_ROBUST))
      pthread_mutex_init(&memory.pointee.lock, &attributes)
      pthread_mutexattr_destroy(&attributes)
      memory.pointee.mark = CardMemory.mark
      memory.pointee.fingerprint = fingerprint
    } else if memory.pointee.mark != CardMemory.mark
      || memory.pointee.fingerprint != fingerprint
    {
      throw CardError(
        EBUSY,
        "the card \(path) is in use with another rig file, clock or version of the plugin: close "
          + "it there first, or give this one its own 'state'")
    }
  }

  func take(_ side: CardDirection) throws(CardError) {
    guard Self.lock(descriptor, .side(side), wait: false) else {
      throw CardError(
        EBUSY,
        "the card's \(side) is in use by process \(memory.pointee[side].process): close it there, "
          + "or give this one its own 'state'")
    }
  }

  func release(_ side: CardDirection) { unlock(.side(side)) }

  func isTakenElsewhere(_ side: CardDirection) -> Bool {
    Self.isLocked(descriptor, .side(side))
  }

  func allocate(frames: Int) -> Bool {
    posix_fallocate(descriptor, Self.ringOffset, frames * channels * 4) == 0
  }

  func detach() {
    let isLast =
      Self.lock(descriptor, .opening, wait: true) && !isTakenElsewhere(.playback)
      && !isTakenElsewhere(.capture)
    if isLast { unlink(path) }
    unmap()
    close(descriptor)
  }

  private func unmap() { munmap(memory, length) }
}

/// The commands of Linux for locks that belong to an open file, which Swift's Glibc leaves out.
private enum OpenFileLock {
  static let get: Int32 = 36
  static let set: Int32 = 37
  static let wait: Int32 = 38
}

extension StateFile {
  enum Byte {
    case side(CardDirection)
    case opening

    var offset: Int {
      switch self {
      case .side(let side): side.rawValue
      case .opening: 2
      }
    }
  }

  private static func region(_ byte: Byte) -> flock {
    flock(
      l_type: Int16(F_WRLCK), l_whence: Int16(SEEK_SET), l_start: byte.offset, l_len: 1, l_pid: 0)
  }

  /// Locks a byte for this open file, which the process's death releases.
  static func lock(_ descriptor: Int32, _ byte: Byte, wait: Bool) -> Bool {
    var region = region(byte)
    while true {
      if fcntl(descriptor, wait ? OpenFileLock.wait : OpenFileLock.set, &region) == 0 {
        return true
      }
      guard wait, errno == EINTR else { return false }
    }
  }

  static func isLocked(_ descriptor: Int32, _ byte: Byte) -> Bool {
    var region = region(byte)
    return fcntl(descriptor, OpenFileLock.get, &region) == 0 && region.l_type != Int16(F_UNLCK)
  }

  private func unlock(_ byte: Byte) {
    var region = Self.region(byte)
    region.l_type = Int16(F_UNLCK)
    _ = fcntl(descriptor, OpenFileLock.set, &region)
  }
}

extension StateFile {
  /// Removes the states that dead processes left behind, so that crashes cannot fill the memory.
  static func sweep(except path: String) {
    for name in SystemFiles().names(folder) where name.hasPrefix("haprig-\(getuid())-") {
      let other = "\(folder)/\(name)"
      if other != path { removeIfUnused(other) }
    }
  }

  private static func removeIfUnused(_ path: String) {
    let descriptor = Glibc.open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    // Whoever opens it just now has the lock, or waits for it and finds the file removed.
    guard lock(descriptor, .opening, wait: false), !isLocked(descriptor, .side(.playback)),
      !isLocked(descriptor, .side(.capture))
    else { return }
    unlink(path)
  }
}

/// A hash that is the same in every process: FNV-1a of 64 bits.
struct Fingerprint {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ bytes: [UInt8]) {
    for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
  }
}

/// The descriptor that a program polls: readable while its time has come.
struct WakeTimer: Sendable {
  let descriptor: Int32

  /// Makes a timer that is readable from now on.
  init() throws(CardError) {
    descriptor = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_NONBLOCK) | Int32(TFD_CLOEXEC))
    guard descriptor >= 0 else { throw .system("make", "a timer for poll") }
    set(to: 1)
  }

  /// Makes it readable from a moment of `CLOCK_MONOTONIC` on, and not before.
  func set(to nanoseconds: Int64) {
    let time = max(1, nanoseconds)
    var setting = itimerspec(
      it_interval: timespec(),
      it_value: timespec(
        tv_sec: Int(time / 1_000_000_000), tv_nsec: Int(time % 1_000_000_000)))
    timerfd_settime(descriptor, Int32(TFD_TIMER_ABSTIME), &setting, nil)
  }

  func remove() { close(descriptor) }

  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
