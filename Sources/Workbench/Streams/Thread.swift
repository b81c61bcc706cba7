// SPDX-License-Identifier: Apache-2.0

import Devices

/// Threads for work that waits: for a connection, a child, a file.
enum Thread {
  /// Starts a thread that nobody joins; `false` where the system has none to give.
  @discardableResult
  static func start(_ run: @escaping @Sendable () -> Void) -> Bool {
    do throws(DeviceError) {
      try RealtimeThread.detach(name: "workbench", priority: nil, body: run)
      return true
    } catch {
      return false
    }
  }
}
