// SPDX-License-Identifier: Apache-2.0

/// A drive that goes on only as long as somebody says so: what `haprig play --held` follows.
///
/// Bytes come with the seconds at which they came. Every byte is to be `.`; silence, an end and any other byte let go.
package struct DeadMansSwitch: Sendable, Equatable {
  package enum Reason: Sendable, Equatable {
    case silence
    case end
    case wrongByte
  }

  /// How long nothing may be heard, in seconds.
  package static let patience = 0.5

  /// How much longer the first byte may take, before anything is driven: who holds has to learn of the drive first.
  package static let grace = 1.5

  private var heard: Double
  /// Why the drive has to stop; `nil` while it may go on.
  package private(set) var reason: Reason?

  /// Begins as if something was just heard.
  package init(at now: Double) { heard = now }

  /// How long to wait for a byte, in seconds.
  package func remaining(at now: Double) -> Double { max(0, heard + Self.patience - now) }

  /// Takes what was read: no bytes for the end, `nil` where none came.
  package mutating func take(_ bytes: [UInt8]?, at now: Double) {
    guard reason == nil else { return }
    // What came too late came too late, whatever it says.
    guard now - heard < Self.patience else {
      reason = .silence
      return
    }
    guard let bytes else { return }
    guard !bytes.isEmpty else {
      reason = .end
      return
    }
    guard bytes.allSatisfy({ $0 == UInt8(ascii: ".") }) else {
      reason = .wrongByte
      return
    }
    heard = now
  }
}
