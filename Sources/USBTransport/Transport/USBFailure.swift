/// Why a call on a USB device failed, before it is known what a person was doing.
///
/// A plain enum, so that it can be thrown where nothing may be allocated; `USBFault` makes the sentence.
public enum USBFailure: Error, Sendable, Hashable, CaseIterable {
  /// No such device, interface or endpoint.
  case notFound
  /// The device went away.
  case unplugged
  /// The operating system refuses access to the device's node.
  case denied
  /// Somebody else holds the interface: a kernel driver or a program.
  case busy
  /// The device refused a request or halted an endpoint.
  case stalled
  /// The device did not answer in time.
  case timedOut
  /// The device sent more than was asked for.
  case babbled
  /// The request was taken back before it was done.
  case cancelled
  /// A request that the library or the device's descriptors do not allow.
  case refused
  /// The library has no memory.
  case outOfMemory
  /// What came cannot be understood.
  case malformed
  /// The bus failed: wrong checks, lost packets, a controller at its end.
  case failed
}

/// How one transfer ended.
public enum USBTransferStatus: UInt8, Sendable, Hashable, CaseIterable {
  /// Everything asked for, or a short packet before.
  case completed
  /// The endpoint is halted until it is cleared.
  case stalled
  /// Its time was over; what had come until then is there.
  case timedOut
  /// Taken back.
  case cancelled
  /// The device sent more than there was room for.
  case babbled
  /// The device is gone.
  case unplugged
  /// The bus failed.
  case failed

  /// The failure that this is; `nil` for a transfer that went well.
  public var failure: USBFailure? {
    switch self {
    case .completed: nil
    case .stalled: .stalled
    case .timedOut: .timedOut
    case .cancelled: .cancelled
    case .babbled: .babbled
    case .unplugged: .unplugged
    case .failed: .failed
    }
  }
}
