/// A sound of 16 bits and one channel.
enum WAVFile {
  static func bytes(_ samples: [Float], gain: Double, rate: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(44 + 2 * samples.count)
    func append(_ number: Int, _ size: Int) {
      for byte in 0..<size { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * byte))) }
    }
    bytes += Array("RIFF".utf8)
    append(36 + 2 * samples.count, 4)
    bytes += Array("WAVEfmt ".utf8)
    for (number, size) in [(16, 4), (1, 2), (1, 2), (rate, 4), (2 * rate, 4), (2, 2), (16, 2)] {
      append(number, size)
    }
    bytes += Array("data".utf8)
    append(2 * samples.count, 4)
    for sample in samples {
      let value = sample.isFinite ? Double(sample) * gain * 32_767 : 0
      append(Int(max(-32_768, min(32_767, value.rounded()))), 2)
    }
    return bytes
  }
}
