import DeviceStreams

/// Finds packets in a stream of bytes, however it is cut, and finds its way back after damage.
///
/// Bytes that are no packet are passed over to the next `HR` at which one begins; a wrong check sum costs
/// its first byte only, so that a true packet inside a false one is found. Holds less than one packet.
public struct BoardDecoder: Sendable {
  /// What was found.
  public enum Event: Sendable, Hashable {
    /// A whole packet with a right check sum.
    case packet(BoardPacket)
    /// A whole packet with a right check sum that this version cannot read; its header, as far as needed to
    /// refuse it.
    case unreadable(kind: UInt8, sequence: UInt32, error: CodecError)
    /// What looked like a packet and had a wrong check sum or length.
    case damaged(CodecError)
    /// So many bytes that are no packet.
    case skipped(Int)
  }

  private var buffer: [UInt8] = []
  private var skipped = 0

  /// Starts between two packets.
  public init() {
    buffer.reserveCapacity(2 * BoardFacts.maximumPacketSize)
  }

  /// Bytes that wait for more.
  public var pendingCount: Int { buffer.count }

  /// Takes the next bytes and gives what they complete, in order.
  ///
  /// - Complexity: O(n) in the bytes, but for damage, where every `HR` inside costs one check sum.
  public mutating func append(_ bytes: some Sequence<UInt8>) -> [Event] {
    buffer.append(contentsOf: bytes)
    var events: [Event] = []
    var place = 0
    while place < buffer.count {
      guard buffer[place] == BoardFacts.magic[0],
        place + 1 >= buffer.count || buffer[place + 1] == BoardFacts.magic[1]
      else {
        place += 1
        skipped += 1
        continue
      }
      guard buffer.count - place >= 6 else { break }
      let header = ByteReader(buffer, range: place..<buffer.count, as: "board packet")
      let size: Int
      do {
        size = try BoardPacket.size(header)
      } catch {
        note(.damaged(error), in: &events)
        place += 1
        skipped += 1
        continue
      }
      guard buffer.count - place >= size else { break }
      do {
        note(.packet(try BoardPacket(buffer, range: place..<(place + size))), in: &events)
        place += size
      } catch  where error.code == .checksum {
        note(.damaged(error), in: &events)
        place += 1
        skipped += 1
      } catch {
        let sequence = (0..<4).reduce(UInt32(0)) { $0 | UInt32(buffer[place + 8 + $1]) << ($1 * 8) }
        note(
          .unreadable(kind: buffer[place + 3], sequence: sequence, error: error), in: &events)
        place += size
      }
    }
    buffer.removeFirst(place)
    return events
  }

  /// Drops a packet that began and did not end, as at the end of a session; gives what was lost.
  public mutating func reset() -> [Event] {
    skipped += buffer.count
    buffer.removeAll(keepingCapacity: true)
    var events: [Event] = []
    note(nil, in: &events)
    return events
  }

  private mutating func note(_ event: Event?, in events: inout [Event]) {
    if skipped > 0 { events.append(.skipped(skipped)) }
    skipped = 0
    if let event { events.append(event) }
  }
}
