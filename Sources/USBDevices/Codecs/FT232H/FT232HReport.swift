public import DeviceStreams

/// What comes in from an FT232H: packets that begin with two status bytes, the rest is the MPSSE's.
public struct FT232HReport: Sendable, Hashable {
  /// The MPSSE's bytes.
  public var bytes: [UInt8]
  /// Whether a packet's line status says that bytes were lost (bit 1 of its second byte).
  public var overrun: Bool

  /// Takes a bulk IN transfer apart.
  ///
  /// - Parameters:
  ///   - transfer: What the transfer brought, of any length.
  ///   - packetSize: The endpoint's packet size: 512 at high speed, 64 at full speed.
  /// - Throws: `truncated` where a packet has less than its two status bytes.
  public init(_ transfer: [UInt8], packetSize: Int = FT232HFacts.packetSize) throws(CodecError) {
    precondition(packetSize > 2, "a packet of \(packetSize) bytes holds nothing")
    bytes = []
    overrun = false
    var place = 0
    while place < transfer.count {
      let end = min(place + packetSize, transfer.count)
      guard end - place >= 2 else {
        throw CodecError(
          .truncated, packet: "FT232H packet", offset: place,
          problem: "a packet of \(end - place) bytes where two of status come first")
      }
      if transfer[place + 1] & 0x02 != 0 { overrun = true }
      bytes += transfer[(place + 2)..<end]
      place = end
    }
  }
}
