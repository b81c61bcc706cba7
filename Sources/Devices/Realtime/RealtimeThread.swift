// SPDX-License-Identifier: Apache-2.0

private import Glibc

/// A thread of its own for a loop that must not wait: real-time where that is permitted.
///
/// Noncopyable: whoever holds it joins it, but on the thread itself.
public struct RealtimeThread: ~Copyable, Sendable {
  private let thread: pthread_t
  /// What the operating system granted.
  public let scheduling: Scheduling

  /// Starts `body` on a thread of its own, at a SCHED_FIFO priority where one is asked for and permitted.
  ///
  /// Of the name 15 characters are shown. Throws where no thread can be made.
  public init(
    name: String, priority: Int?, body: @escaping @Sendable () -> Void
  ) throws(DeviceError) {
    (thread, scheduling) = try startThread(name, priority, body)
  }

  /// Starts `body` on a thread that nobody joins: it ends with its body.
  public static func detach(
    name: String, priority: Int?, body: @escaping @Sendable () -> Void
  ) throws(DeviceError) {
    pthread_detach(try startThread(name, priority, body).thread)
  }

  deinit {
    // What lets its thread go on that very thread cannot wait for it: it ends by itself.
    if pthread_equal(thread, pthread_self()) != 0 {
      pthread_detach(thread)
    } else {
      pthread_join(thread, nil)
    }
  }

  /// Waits until the body has ended.
  public consuming func join() {}
}

private func startThread(
  _ name: String, _ priority: Int?, _ body: @escaping @Sendable () -> Void
) throws(DeviceError) -> (thread: pthread_t, scheduling: Scheduling) {
  let job = Unmanaged.passRetained(ThreadJob(name: name, body: body))
  var thread = pthread_t()
  var granted = Scheduling.ordinary(reason: "real-time scheduling was not asked for")
  var status: Int32 = EPERM
  if let priority {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    pthread_attr_setinheritsched(&attributes, Int32(PTHREAD_EXPLICIT_SCHED))
    pthread_attr_setschedpolicy(&attributes, SCHED_FIFO)
    var parameters = sched_param()
    parameters.sched_priority = Int32(priority)
    pthread_attr_setschedparam(&attributes, &parameters)
    status = pthread_create(&thread, &attributes, runThreadJob, job.toOpaque())
    granted =
      status == 0
      ? .fifo(priority: priority)
      : .ordinary(
        reason: "SCHED_FIFO refused: give the user 'rtprio' in /etc/security/limits.d")
  }
  if status != 0 { status = pthread_create(&thread, nil, runThreadJob, job.toOpaque()) }
  guard status == 0 else {
    job.release()
    throw DeviceError(
      .refused, device: name, message: "no thread can be started (error \(status))",
      errno: status)
  }
  return (thread, granted)
}

private final class ThreadJob {
  let name: String
  let body: @Sendable () -> Void

  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }
}

/// The C entry point; a function outside any actor, as a closure may be isolated to one.
private func runThreadJob(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let context else { return nil }
  let job = Unmanaged<ThreadJob>.fromOpaque(context).takeRetainedValue()
  nameThread(job.name)
  job.body()
  return nil
}

/// Names the calling thread for tools that list threads; a name is a convenience, so errors are not.
private func nameThread(_ name: String) {
  let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
  guard file >= 0 else { return }
  let bytes = Array(name.utf8.prefix(15))
  _ = write(file, bytes, bytes.count)
  close(file)
}
