private import Glibc

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
