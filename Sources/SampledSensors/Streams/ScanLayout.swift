public import DeviceStreams

/// Where the channels of an Industrial I/O buffer lie in a scan.
///
/// Channels lie in the order of their index, each aligned to its own size, a repeated one to that of its
/// numbers; the scan is as long as its alignment needs. Source: the kernel's
/// Documentation/iio/iio_devbuf.rst and drivers-api/iio/buffers.
public struct ScanLayout: Sendable, Hashable {
  /// A channel of a scan.
  public struct Channel: Sendable, Hashable {
    /// The name as sysfs has it, without `in_`: `accel_x`, `timestamp`.
    public var name: String
    /// The order in a scan.
    public var index: Int
    /// How it is stored.
    public var type: ScanElement
    /// m/s2 (or the channel's unit) of a step, after the offset.
    public var scale: Double
    /// Steps to add before the scale.
    public var offset: Double

    /// Makes a channel.
    public init(
      name: String, index: Int, type: ScanElement, scale: Double = 1, offset: Double = 0
    ) {
      self.name = name
      self.index = index
      self.type = type
      self.scale = scale
      self.offset = offset
    }
  }

  /// The channels in the order of a scan.
  public let channels: [Channel]
  /// The place of each channel in bytes.
  public let offsets: [Int]
  /// Bytes of a scan.
  public let size: Int

  /// Lays out the enabled channels.
  ///
  /// - Throws: `range` without channels, or where two have one index.
  public init(_ channels: [Channel]) throws(CodecError) {
    let sorted = channels.sorted { $0.index < $1.index }
    guard !sorted.isEmpty, Set(sorted.map(\.index)).count == sorted.count else {
      throw CodecError(
        .range, packet: "IIO scan", offset: 0,
        problem:
          "\(channels.count) channels with indices \(sorted.map(\.index)): each needs its own")
    }
    var offsets: [Int] = []
    var place = 0
    var alignment = 1
    for channel in sorted {
      let unit = channel.type.byteCount
      place = (place + unit - 1) / unit * unit
      offsets.append(place)
      place += unit * channel.type.count
      alignment = max(alignment, unit)
    }
    self.channels = sorted
    self.offsets = offsets
    size = (place + alignment - 1) / alignment * alignment
  }

  /// A scan in numbers.
  public struct Scan: Sendable, Hashable {
    /// The channels' numbers in their units, in the order of the layout, repeated ones one after the other; the
    /// time stamp is left out.
    public var values: [Double]
    /// The time stamp in nanoseconds of the buffer's clock; `nil` without that channel.
    public var timestamp: Int64?
  }

  /// Reads whole scans; the bytes of a part at the end are left.
  ///
  /// - Returns: The scans and how many bytes they took.
  public func read(_ bytes: [UInt8]) -> (scans: [Scan], byteCount: Int) {
    let count = bytes.count / size
    let scans = (0..<count).map { index in
      var scan = Scan(values: [], timestamp: nil)
      for (channel, offset) in zip(channels, offsets) {
        for repeated in 0..<channel.type.count {
          let place = index * size + offset + repeated * channel.type.byteCount
          let value = channel.type.value(bytes[place..<(place + channel.type.byteCount)])
          if channel.name == "timestamp" {
            scan.timestamp = value
          } else {
            scan.values.append((Double(value) + channel.offset) * channel.scale)
          }
        }
      }
      return scan
    }
    return (scans, count * size)
  }
}
