private import Glibc
public import Units

extension CrossSpectrum {
  /// One pair of signals on one clock.
  public struct Pair: Sendable {
    /// What went in.
    public let input: [Float]
    /// What came out, as many frames.
    public let output: [Float]

    /// Makes a pair; traps where the lengths differ.
    public init(input: [Float], output: [Float]) {
      precondition(
        input.count == output.count, "\(input.count) frames in beside \(output.count) frames out")
      self.input = input
      self.output = output
    }
  }

  /// Estimates from one long record: segments under a Hann window, half of each over the next (Welch).
  ///
  /// `segment` is their length in frames, rounded up to one that is fast to transform. Half-overlapped
  /// Hann windows share 1/6 of their amplitude, so k segments are worth k^2 / (k + 2 (k - 1) / 36)
  /// independent ones. The mean of each segment is taken off. Costs two transforms a segment.
  public static func welch(
    input: [Float], output: [Float], rate: SampleRate, segment: Int,
    band: ClosedRange<Double> = 20...1_000
  ) throws(TransferError) -> CrossSpectrum {
    let pair = Pair(input: input, output: output)
    let length = FourierTransform.fastLength(atLeast: max(16, segment))
    guard input.count >= length else { throw .tooShort(frames: input.count, needed: length) }
    let window = (0..<length).map { 0.5 - 0.5 * cos(2 * .pi * (Double($0) + 0.5) / Double(length)) }
    let starts = Array(stride(from: 0, through: input.count - length, by: length / 2))
    var sums = try CrossSums(length: length, rate: rate, band: band)
    for start in starts {
      sums.add(pair.input, pair.output, from: start, window: window)
    }
    let count = Double(starts.count)
    return try sums.result(averages: count * count / (count + 2 * (count - 1) / 36))
  }

  /// Estimates from repeats of one stimulus, each of which begins and ends quietly.
  ///
  /// No window: the records are taken as circles, all as long as the shortest. Costs two transforms a repeat.
  public static func repeats(
    _ pairs: [Pair], rate: SampleRate, band: ClosedRange<Double> = 20...1_000
  ) throws(TransferError) -> CrossSpectrum {
    let shortest = pairs.map(\.input.count).min() ?? 0
    guard shortest >= 16 else { throw .tooShort(frames: shortest, needed: 16) }
    let length = FourierTransform.fastLength(atLeast: shortest)
    let window = [Double](repeating: 1, count: shortest)
    var sums = try CrossSums(length: length, rate: rate, band: band)
    for pair in pairs { sums.add(pair.input, pair.output, from: 0, window: window) }
    return try sums.result(averages: Double(pairs.count))
  }
}
