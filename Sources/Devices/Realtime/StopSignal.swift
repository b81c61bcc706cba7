// SPDX-License-Identifier: Apache-2.0

private import Glibc
import Synchronization

/// A request to stop that any thread or signal handler may make and every loop looks at.
///
/// It stays once it was made. A render thread looks at `flag`, and where it waits in `poll` it waits on
/// `descriptor` as well.
public final class StopSignal: Sendable {
  /// Readable from the request on, and never read; -1 where the process has no descriptor left.
  public var descriptor: Int32 { wake.descriptor }

  /// The request as a render thread looks at it.
  public let flag = StopFlag()
  private let wake = WakePipe()

  /// Makes a signal that is not set.
  public init() {}

  deinit { flag.remove() }

  /// Asks to stop, with the number of the signal that asked; the first one stays.
  ///
  /// Safe in a signal handler: one atomic exchange and one `write`.
  public func request(_ number: Int32) {
    if flag.set(number) { wake.signal() }
  }

  /// The number of the signal that asked to stop, or `nil`.
  public var requested: Int32? {
    let value = flag.value
    return value == 0 ? nil : value
  }
}

/// The number of a stop signal, or whether a sound failed, where no reference is counted to look at it.
///
/// It lives as long as its signal or feed: whoever looks keeps that.
public struct StopFlag: @unchecked Sendable {
  // Sendable: what the pointer leads to is atomic and never changes its place.
  private let reason: UnsafeMutablePointer<Atomic<Int32>>

  init() {
    reason = .allocate(capacity: 1)
    reason.initialize(to: Atomic(0))
  }

  func remove() {
    reason.deinitialize(count: 1)
    reason.deallocate()
  }

  fileprivate var value: Int32 { reason.pointee.load(ordering: .acquiring) }

  func set(_ number: Int32) -> Bool {
    reason.pointee.compareExchange(
      expected: 0, desired: number, ordering: .acquiringAndReleasing
    ).exchanged
  }

  /// Whether anybody asked to stop; wait-free.
  public var isSet: Bool {
    @_noAllocation @_noLocks
    get { reason.pointee.load(ordering: .acquiring) != 0 }
  }
}

/// A pipe whose reading end a loop waits on, so that another thread or a signal handler can end the wait.
public final class WakePipe: Sendable {
  /// What to wait on; -1 where the process has no descriptor left, and nothing is ever readable.
  public let descriptor: Int32
  private let writer: Int32

  /// Makes a pipe that nobody has written to.
  public init() {
    var ends: [Int32] = [-1, -1]
    if pipe(&ends) == 0 {
      for end in ends {
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
      }
    }
    (descriptor, writer) = (ends[0], ends[1])
  }

  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    close(writer)
  }

  /// Ends the wait, now or when it begins.
  ///
  /// Any thread, and safe in a signal handler: one `write`, and `errno` as it was.
  public func signal() {
    guard writer >= 0 else { return }
    let kept = errno
    var byte: UInt8 = 1
    _ = write(writer, &byte, 1)
    errno = kept
  }
}
