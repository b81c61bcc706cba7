// SPDX-License-Identifier: Apache-2.0

import Synchronization

@testable import Workbench

/// A connection on a clock of its own: what comes, comes when the script says, and nobody waits in earnest.
final class ScriptedStream: ByteStream {
  private struct State {
    var now = 0.0
    var pieces: [(at: Double, bytes: [UInt8])]
    var written: [UInt8] = []
    var isFinished = false
  }

  private let state: Mutex<State>
  /// Whether the other side leaves after the script; else it says nothing more.
  private let leaves: Bool

  init(_ pieces: [(at: Double, text: String)], leaves: Bool = false) {
    state = Mutex(State(pieces: pieces.map { ($0.at, Array($0.text.utf8)) }))
    self.leaves = leaves
  }

  init(bytes: [UInt8], leaves: Bool = true) {
    state = Mutex(State(pieces: [(0, bytes)]))
    self.leaves = leaves
  }

  var now: Double { state.withLock { $0.now } }
  var written: [UInt8] { state.withLock { $0.written } }
  var text: String { String(decoding: written, as: UTF8.self) }

  /// The status of the first answer; 0 where there is none.
  var status: Int { text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0 }

  func read(atMost count: Int, until deadline: Double) -> Received {
    state.withLock { state in
      guard let first = state.pieces.first else {
        if leaves { return .ended }
        state.now = max(state.now, deadline)
        return .late
      }
      guard first.at <= deadline else {
        state.now = max(state.now, deadline)
        return .late
      }
      state.now = max(state.now, first.at)
      let taken = Array(first.bytes.prefix(count))
      if taken.count == first.bytes.count {
        state.pieces.removeFirst()
      } else {
        state.pieces[0].bytes.removeFirst(taken.count)
      }
      return taken.isEmpty ? .ended : .bytes(taken)
    }
  }

  func write(_ bytes: [UInt8], until deadline: Double) -> Bool {
    state.withLock { $0.written += bytes }
    return true
  }

  func finish() { state.withLock { $0.isFinished = true } }

  func cut() { finish() }
}
