// SPDX-License-Identifier: Apache-2.0

import Devices
import Foundation

/// Where an app's handlers run: one after the other, in order, on a thread that is not the main one.
///
/// A handler may call back into the engine, and take its time: nothing waits for it but the next one.
final class HandlerQueue: Sendable {
  private struct Work: Sendable {
    var waiting: [@Sendable () -> Void] = []
    var isRunning = false
  }

  private let work = Guarded(Work())

  /// Puts a call at the end; a thread is there for as long as calls wait.
  func add(_ call: @escaping @Sendable () -> Void) {
    let needsThread = work.withLock { work in
      work.waiting.append(call)
      defer { work.isRunning = true }
      return !work.isRunning
    }
    guard needsThread else { return }
    // The thread keeps the queue until nothing waits any more.
    let thread = Thread { self.run() }
    thread.name = "haprig-handlers"
    thread.start()
  }

  private func run() {
    while true {
      let next = work.withLock { work -> (@Sendable () -> Void)? in
        guard !work.waiting.isEmpty else {
          work.isRunning = false
          return nil
        }
        return work.waiting.removeFirst()
      }
      guard let next else { return }
      next()
    }
  }
}

/// A handler of an app, which Apple does not ask to be sendable: it is called by one thread after another,
/// never by two at once.
struct Handler<Function>: @unchecked Sendable {
  // Sendable: only the engine's handler queue calls it.
  let call: Function

  init(_ call: Function) { self.call = call }
}
