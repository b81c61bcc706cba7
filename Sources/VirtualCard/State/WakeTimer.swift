import CALSA
import Glibc

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
