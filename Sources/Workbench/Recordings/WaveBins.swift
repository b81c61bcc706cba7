// SPDX-License-Identifier: Apache-2.0

import JSONText
import Reporting

/// Signals as a picture needs them: for each channel so many bins, each with its smallest and its largest value.
struct WaveBins: Sendable {
  static let mostColumns = 4096

  let rate: Double
  /// The frames that the bins are of.
  let range: Range<Int>
  let framesPerBin: Int
  var names: [String]
  var units: [String]
  /// What is not known is NaN.
  private(set) var lowest: [[Float]]
  private(set) var highest: [[Float]]

  var binCount: Int { (range.count + framesPerBin - 1) / framesPerBin }

  /// Bins of a range, none known yet: at most so many columns.
  init(rate: Double, range: Range<Int>, columns: Int, names: [String], units: [String]) {
    self.init(
      rate: rate, range: range,
      framesPerBin: max(1, (range.count + columns - 1) / max(1, columns)), names: names,
      units: units)
  }

  /// Bins whose width is a given one and that begin at a whole multiple of it: what was sent once stays the same.
  init(
    rate: Double, newest count: Int, framesPerBin: Int, columns: Int, names: [String],
    units: [String]
  ) {
    let first = max(0, count - framesPerBin * columns) / framesPerBin * framesPerBin
    self.init(
      rate: rate, range: first..<max(first, count), framesPerBin: framesPerBin, names: names,
      units: units)
  }

  /// Bins of a range whose width is a given one.
  init(
    rate: Double, range: Range<Int>, framesPerBin: Int, names: [String], units: [String]
  ) {
    self.rate = rate
    self.range = range
    self.framesPerBin = framesPerBin
    self.names = names
    self.units = units
    let bins = (range.count + framesPerBin - 1) / framesPerBin
    lowest = names.map { _ in [Float](repeating: .nan, count: bins) }
    highest = lowest
  }

  /// Takes a sample of a channel at a frame; frames outside the range are passed over.
  mutating func add(_ sample: Float, channel: Int, frame: Int) {
    guard range.contains(frame) else { return }
    let bin = (frame - range.lowerBound) / framesPerBin
    // Comparisons with NaN are false: the first sample of a bin is taken as it is.
    lowest[channel][bin] = lowest[channel][bin] <= sample ? lowest[channel][bin] : sample
    highest[channel][bin] = highest[channel][bin] >= sample ? highest[channel][bin] : sample
  }

  /// Puts bins that somebody else made in the place of a channel's.
  mutating func set(_ low: [Float], _ high: [Float], channel: Int) {
    precondition(
      low.count == binCount && high.count == binCount, "\(low.count) of \(binCount) bins")
    lowest[channel] = low
    highest[channel] = high
  }

  /// The bins as they go over the wire (docs/WORKBENCH.md); `topic` is of a socket's frame.
  func bytes(topic: String? = nil) -> [UInt8] {
    let header = JSONValue.object(of: [
      "topic": topic, "rate": rate, "from": range.lowerBound, "to": range.upperBound,
      "framesPerBin": framesPerBin, "channels": names, "unit": units,
    ])
    var text = header.utf8(indent: nil)
    while (8 + text.count) % 8 != 0 { text.append(0x20) }
    var bytes: [UInt8] = Array("HW1\0".utf8)
    bytes.reserveCapacity(8 + text.count + 8 * names.count * binCount)
    append(UInt32(text.count), to: &bytes)
    bytes += text
    for (low, high) in zip(lowest, highest) {
      for (low, high) in zip(low, high) {
        append(low.bitPattern, to: &bytes)
        append(high.bitPattern, to: &bytes)
      }
    }
    return bytes
  }

  private func append(_ word: UInt32, to bytes: inout [UInt8]) {
    for shift in stride(from: 0, to: 32, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: word >> UInt32(shift)))
    }
  }
}
