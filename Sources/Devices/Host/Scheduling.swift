// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// How a thread is scheduled, as the operating system granted it.
public enum Scheduling: Sendable, Hashable, LosslessStringConvertible {
  /// The priority that the thread asks for that serves a card or a USB device.
  package static let renderPriority = 75

  /// First in, first out at a priority: runs before every ordinary thread.
  case fifo(priority: Int)
  /// Like any other thread, with the reason it is not better.
  case ordinary(reason: String)

  /// What was granted, and what to set where it was not.
  public var description: String {
    switch self {
    case .fifo(let priority): "SCHED_FIFO at priority \(priority)"
    case .ordinary(let reason): "ordinary scheduling (\(reason))"
    }
  }

  /// What a description was made of; `nil` for a text that is none.
  public init?(_ description: String) {
    if let priority = description.inside("SCHED_FIFO at priority ", "").flatMap({ Int($0) }) {
      self = .fifo(priority: priority)
    } else if let reason = description.inside("ordinary scheduling (", ")") {
      self = .ordinary(reason: reason)
    } else {
      return nil
    }
  }
}

/// Whether the pages of the process stay in memory, so that no loop waits for a disk.
public enum MemoryLock: Sendable, Hashable, LosslessStringConvertible {
  /// Every page stays once it was used.
  case locked
  /// Pages may leave, with the reason and what to set.
  case refused(reason: String)

  /// What was granted, and what to set where it was not.
  public var description: String {
    switch self {
    case .locked: "memory locked"
    case .refused(let reason): "memory not locked (\(reason))"
    }
  }

  /// What a description was made of; `nil` for a text that is none.
  public init?(_ description: String) {
    if description == "memory locked" {
      self = .locked
    } else if let reason = description.inside("memory not locked (", ")") {
      self = .refused(reason: reason)
    } else {
      return nil
    }
  }

  /// Keeps every page that is there and every one that comes in memory, where that is permitted.
  ///
  /// It holds for the whole process until its end. Under a limit on locked memory nothing is locked:
  /// half a lock would make later allocations fail. Corresponds to `mlockall`.
  public static func lockProcess() -> MemoryLock {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(__RLIMIT_MEMLOCK.rawValue), &limit)
    guard limit.rlim_cur == rlim_t.max || geteuid() == 0 else {
      return .refused(
        reason: "at most \(limit.rlim_cur) bytes may be locked: give the user 'memlock unlimited' "
          + "in /etc/security/limits.d")
    }
    // On fault (4): a thread's untouched stack is not brought in for the sake of the lock.
    guard mlockall(Int32(MCL_CURRENT) | Int32(MCL_FUTURE) | 4) == 0 else {
      return .refused(
        reason: "mlockall failed with error \(errno): give the user 'memlock unlimited' in "
          + "/etc/security/limits.d")
    }
    return .locked
  }
}

extension String {
  /// What stands between a beginning and an end; `nil` where the text has others.
  fileprivate func inside(_ beginning: String, _ end: String) -> String? {
    guard hasPrefix(beginning), hasSuffix(end) else { return nil }
    return String(dropFirst(beginning.count).dropLast(end.count))
  }
}
