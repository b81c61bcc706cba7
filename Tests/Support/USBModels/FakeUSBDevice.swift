// SPDX-License-Identifier: Apache-2.0

public import USBTransport

/// A device that exists only in this process: bytes in, bytes out, on a clock that is told to it.
///
/// The calls come one at a time, under the bus's lock, in the order of the clock.
public protocol FakeUSBDevice: AnyObject, Sendable {
  /// What the bus tells of the device; the place is the bus's to give.
  var record: USBDeviceRecord { get }

  /// Answers a control request: how many bytes went or came, `nil` for a stall.
  func control(_ request: USBControlRequest, bytes: inout [UInt8], at nanoseconds: UInt64) -> Int?

  /// Takes a transfer's bytes; false for "not now", which is asked again (NAK).
  func accept(_ bytes: Span<UInt8>, on endpoint: UInt8, at nanoseconds: UInt64) -> Bool

  /// Fills a transfer and returns how many bytes; `nil` for "nothing now" (NAK).
  func give(_ bytes: inout MutableSpan<UInt8>, on endpoint: UInt8, at nanoseconds: UInt64) -> Int?
}

/// What goes wrong with one transfer of an endpoint of a fake device.
public struct FakeUSBFault: Sendable, Hashable {
  /// What goes wrong.
  public enum Kind: Sendable, Hashable {
    /// The endpoint halts until it is cleared.
    case stall
    /// More came than there was room for.
    case babble
    /// The bus failed.
    case fail
    /// The device answers "not now" for so many nanoseconds.
    case hold(nanoseconds: UInt64)
    /// The device is gone with this transfer, which never arrives.
    case unplug
    /// Only so many bytes are moved.
    case shorten(to: Int)
    /// The bytes are lost on the way, and the transfer looks well.
    case lose
    /// The bytes come again with the next transfer.
    case duplicate
    /// The bytes come after those of the next transfer.
    case swap
    /// The bits of one byte are turned over.
    case corrupt(byte: Int)
  }

  /// What goes wrong.
  public let kind: Kind
  /// The endpoint.
  public let endpoint: UInt8
  /// Which of the endpoint's transfers, counted from 0 since the device was plugged.
  public let transfer: Int

  /// Makes a fault.
  public init(_ kind: Kind, endpoint: UInt8, transfer: Int) {
    self.kind = kind
    self.endpoint = endpoint
    self.transfer = transfer
  }
}
