import DeviceStreams
public import Devices

/// The text that MEMS breakouts send through a serial port: a line a sample, columns of decimal numbers.
///
/// Columns are separated by commas, semicolons, tabs or spaces, lines end with a line feed; words, as a
/// header or `a/g:` at a line's begin, are passed over. A line with another count of numbers is damaged: half a
/// line, or two that ran together after a loss. Text has no check sum: two halves that make the right count are
/// taken for a line, which only a counter among the columns shows. Holds one line at most.
public struct TextStream: Sendable {
  package static let lineLimit = 256

  package let columns: [SensorField]
  /// m/s2 of the number 1 in an axis' column.
  package let scale: Double
  private var line: [UInt8] = []
  private var isTooLong = false
  private var isFirst = true

  /// Makes a reader; the scale is 9.80665 for g, 9.80665 / 16384 for raw 16 bits at +-2 g.
  public init(columns: [SensorField], scale: Double) {
    precondition(columns.contains { $0.isAxis }, "a stream without axes has no samples")
    precondition(scale.isFinite && scale != 0, "a scale of \(scale) makes no acceleration")
    self.columns = columns
    self.scale = scale
  }

  /// Takes the next bytes and gives the lines that they end, in order.
  ///
  /// The first line with numbers is passed over: a port is opened in the middle of one, and what is missing of a
  /// number does not show.
  public mutating func append(_ bytes: some Sequence<UInt8>) -> [SensorEvent] {
    var events: [SensorEvent] = []
    for byte in bytes {
      guard byte == UInt8(ascii: "\n") else {
        if line.count < Self.lineLimit { line.append(byte) } else { isTooLong = true }
        continue
      }
      if let event = endLine() { events.append(event) }
    }
    return events
  }

  private mutating func endLine() -> SensorEvent? {
    defer {
      line.removeAll(keepingCapacity: true)
      isTooLong = false
    }
    guard !isTooLong || isFirst else {
      return .damaged(error(.length, at: Self.lineLimit, "a line above 256 bytes"))
    }
    let separators: [UInt8] = [0x20, 0x09, 0x0d, UInt8(ascii: ","), UInt8(ascii: ";")]
    let words = line.split { separators.contains($0) }
    // Words before the first number are a label; a line of words alone is a header.
    let numbers = words.drop { !Self.beginsNumber($0) }
    guard !numbers.isEmpty else { return nil }
    guard !isFirst else {
      isFirst = false
      return .skipped(line.count + 1)
    }
    guard numbers.count == columns.count else {
      return .damaged(
        error(.length, at: 0, "\(numbers.count) numbers where \(columns.count) make a sample"))
    }
    var sample = SensorSample(acceleration: [])
    for (column, word) in zip(columns, numbers) {
      let text = String(decoding: word, as: UTF8.self)
      guard word.allSatisfy(Self.isNumeral), let value = Double(text), value.isFinite else {
        return .damaged(error(.unknown, at: word.startIndex, "'\(text)' is no decimal number"))
      }
      switch column {
      case .axis: sample.acceleration.append(value * scale)
      case .counter, .ticks:
        guard let whole = UInt32(text) else {
          return .damaged(error(.range, at: word.startIndex, "'\(text)' is no counter of 32 bits"))
        }
        if case .counter = column { sample.counter = whole } else { sample.ticks = whole }
      case .other: break
      }
    }
    return .sample(sample)
  }

  private static func isNumeral(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte)
  }

  private static func beginsNumber(_ word: ArraySlice<UInt8>) -> Bool {
    guard let first = word.first else { return false }
    return (0x30...0x39).contains(first) || (word.count > 1 && "+-.".utf8.contains(first))
  }

  private func error(_ code: CodecError.Code, at offset: Int, _ problem: String) -> CodecError {
    CodecError(code, packet: "serial line", offset: offset, problem: problem)
  }
}
