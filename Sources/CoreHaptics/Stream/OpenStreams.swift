// SPDX-License-Identifier: Apache-2.0

import Devices
import Foundation
private import Glibc
import Synchronization

/// The streams of this program that run: its exit rests their devices and keeps their records.
///
/// Apps seldom stop an engine before they end, and a program ends once: so this is the one thing here that
/// all engines share.
enum OpenStreams {
  private static let running = Guarded<[ObjectIdentifier: EngineStream]>([:])
  private static let atExit: Bool = atexit { OpenStreams.finish(patience: 5) } == 0

  static func add(_ stream: EngineStream) {
    _ = atExit
    running.withLock { $0[ObjectIdentifier(stream)] = stream }
  }

  static func remove(_ stream: EngineStream) {
    running.withLock { $0[ObjectIdentifier(stream)] = nil }
  }

  /// Ends what runs and waits for it: a program that wants to end does.
  ///
  /// - Parameter patience: How long a device that lags behind may play on, in seconds; ten more are given
  ///   to come to rest and to write the records.
  static func finish(patience: Double) {
    let streams = running.withLock { Array($0.values) }
    for stream in streams { stream.stop() }
    wait(patience)
    for stream in streams { stream.hurry() }
    wait(10)
  }

  private static func wait(_ seconds: Double) {
    let deadline = HostClock.now() + seconds
    while running.withLock({ !$0.isEmpty }), HostClock.now() < deadline { HostClock.sleep(1e-3) }
  }
}

/// Ctrl-C, SIGTERM and the loss of the terminal: what plays is brought to rest and its record is kept, then
/// the signal ends the program as it would have.
///
/// Only where the program left the signal alone: who has a handler of its own, or ignores it, keeps that. The
/// same signal again ends the program at once.
enum EndSignals {
  /// The end of a pipe that the handler writes to; -1 until there is one.
  fileprivate static let pipeEnd = Atomic<Int32>(-1)
  private static let isListening: Bool = {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return false }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let reading = ends[0]
    pipeEnd.store(ends[1], ordering: .releasing)
    do throws(DeviceError) {
      try RealtimeThread.detach(name: "haprig-signals", priority: nil) { wait(reading) }
    } catch {
      return false
    }
    for number in [SIGINT, SIGTERM, SIGHUP] {
      var old = sigaction()
      guard sigaction(number, nil, &old) == 0, old.__sigaction_handler.sa_handler == nil else {
        continue
      }
      var action = sigaction()
      action.__sigaction_handler.sa_handler = noteEndSignal
      action.sa_flags = SA_RESTART | Int32(bitPattern: UInt32(SA_RESETHAND))
      sigaction(number, &action, nil)
    }
    return true
  }()

  /// Listens from now on; once a program.
  static func listen() { _ = isListening }

  private static func wait(_ reading: Int32) {
    var number: UInt8 = 0
    while read(reading, &number, 1) != 1 {
      guard errno == EINTR else { return }
    }
    OpenStreams.finish(patience: 0)
    signal(Int32(number), SIG_DFL)
    kill(getpid(), Int32(number))
  }
}

/// A function outside any type: a handler may run on any thread and only writes a byte.
private func noteEndSignal(_ number: Int32) {
  let reason = errno
  var byte = UInt8(truncatingIfNeeded: number)
  _ = write(EndSignals.pipeEnd.load(ordering: .acquiring), &byte, 1)
  errno = reason
}
