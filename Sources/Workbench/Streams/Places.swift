// SPDX-License-Identifier: Apache-2.0

import Devices

/// A number of places that are taken and given back.
final class Places: Sendable {
  private let most: Int
  private let taken = Guarded(0)

  static let connections = 64
  static let sockets = 16

  init(_ most: Int) { self.most = most }

  var count: Int { taken.withLock { $0 } }

  func take() -> Bool {
    taken.withLock { taken in
      guard taken < most else { return false }
      taken += 1
      return true
    }
  }

  func giveBack() { taken.withLock { $0 -= 1 } }
}
