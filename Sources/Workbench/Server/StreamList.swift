// SPDX-License-Identifier: Apache-2.0

import Devices

/// The connections that are open, so that they can be ended together.
final class StreamList: Sendable {
  private let streams = Guarded<[ObjectIdentifier: any ByteStream]>([:])

  func add(_ stream: any ByteStream) {
    streams.withLock { $0[ObjectIdentifier(stream)] = stream }
  }

  func remove(_ stream: any ByteStream) {
    streams.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(stream)) }
  }

  func cut() {
    for stream in streams.withLock({ Array($0.values) }) { stream.cut() }
  }
}
