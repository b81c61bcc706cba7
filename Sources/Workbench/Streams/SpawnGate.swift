// SPDX-License-Identifier: Apache-2.0

import Devices

/// What keeps a child from inheriting a connection: a descriptor is made and marked, or a child is started, never both
/// at once.
enum SpawnGate {
  private static let gate = Guarded(())

  static func pass<Value>(_ body: () -> Value) -> Value {
    gate.withLock { _ in
      nonisolated(unsafe) let value = body()
      return value
    }
  }
}
