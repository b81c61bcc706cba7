// SPDX-License-Identifier: Apache-2.0

import Devices

@testable import USBTransport

/// A queue behind a reference, since expectations take copyable values only.
final class TestQueue {
  /// A transfer that was taken and given back.
  struct Ended: Equatable {
    var failure: USBFailure?
    var count: Int
    var number: Int
    var submitted: UInt64
    var completed: UInt64
    var bytes: [UInt8]
  }

  private var queue: USBTransferQueue

  init(_ queue: consuming USBTransferQueue) { self.queue = queue }

  convenience init(
    _ handle: borrowing USBDeviceHandle, _ endpoint: USBEndpoint, _ transfers: Int,
    milliseconds: UInt32 = 0
  ) throws {
    self.init(
      try handle.queue(
        endpoint, transfers: transfers, bytes: endpoint.packetBytes, milliseconds: milliseconds))
  }

  var inFlight: Int { queue.inFlight }
  var room: Int { queue.room }
  var isUnplugged: Bool { queue.isUnplugged }
  var latency: JitterHistogram { queue.latency }

  func submit(_ bytes: [UInt8]) throws(USBFailure) -> Bool { try queue.submit(bytes.span) }

  func submitAll() throws(USBFailure) { try queue.submitAll() }

  func stop() -> Bool { queue.stop() }

  func clearStall() throws(USBFailure) { try queue.clearStall() }

  /// Waits for the next end.
  func next(microseconds: Int) throws(USBFailure) -> Ended? {
    guard let completion = try queue.waitForCompletion(microseconds: microseconds) else {
      return nil
    }
    return give(completion)
  }

  /// Takes an end that is there.
  func taken() -> Ended? {
    guard let completion = queue.takeCompletion() else { return nil }
    return give(completion)
  }

  private func give(_ completion: consuming USBCompletion) -> Ended {
    let bytes = queue.withBytes(of: completion) { span in (0..<span.count).map { span[$0] } }
    let ended = Ended(
      failure: completion.failure, count: completion.count, number: completion.number,
      submitted: completion.submitted, completed: completion.completed, bytes: bytes)
    queue.recycle(completion)
    return ended
  }
}
