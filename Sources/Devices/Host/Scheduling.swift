private import Glibc

/// How a thread is scheduled, as the operating system granted it.
public enum Scheduling: Sendable, Hashable, LosslessStringConvertible {
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
    let (fifo, ordinary) = ("SCHED_FIFO at priority ", "ordinary scheduling (")
    if description.hasPrefix(fifo), let priority = Int(description.dropFirst(fifo.count)) {
      self = .fifo(priority: priority)
    } else if description.hasPrefix(ordinary), description.hasSuffix(")") {
      self = .ordinary(reason: String(description.dropFirst(ordinary.count).dropLast()))
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
    let refused = "memory not locked ("
    if description == "memory locked" {
      self = .locked
    } else if description.hasPrefix(refused), description.hasSuffix(")") {
      self = .refused(reason: String(description.dropFirst(refused.count).dropLast()))
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
