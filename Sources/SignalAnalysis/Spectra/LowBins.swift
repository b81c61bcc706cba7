private import Glibc

/// The lowest bins of the spectra of long real records.
///
/// The record is dealt out to parts, every part every n-th sample: each is transformed by itself, in
/// cache, and the low bins of the whole are the sum of theirs, each turned by its part's offset. Half the
/// time of a whole transform where a twentieth of its bins is wanted; the same numbers but for
/// rounding. Owns its buffers, so one value serves one thread at a time.
struct LowBins: ~Copyable {
  private let length: Int
  private let count: Int
  /// How many parts there are; 1 for a whole transform.
  private let parts: Int
  /// A transform of one part, with room for the samples of the record, part by part.
  private var transform: FourierTransform
  /// exp(-2 pi j k / length) for each bin k.
  private let turns: [Complex]

  /// Prepares for records of a length in samples; traps as `FourierTransform` does, and where more bins are
  /// asked for than there are.
  init(length: Int, bins count: Int) {
    precondition(count <= length / 2 + 1, "\(count) bins of \(length / 2 + 1)")
    let parts = Self.parts(of: length, bins: count)
    self.length = length
    self.count = count
    self.parts = parts
    transform = FourierTransform(length: length / parts, room: length)
    let unit = -2 * Double.pi / Double(length)
    turns = parts == 1 ? [] : (0..<count).map { Complex(angle: unit * Double($0)) }
  }

  /// Transforms single-precision samples less an offset, with zeros after them, to the first bins.
  mutating func forward(_ samples: Span<Float>, less offset: Double) -> [Complex] {
    precondition(samples.count <= length, "\(samples.count) samples in a plan of \(length)")
    deal(samples, less: offset)
    let size = length / parts
    var bins = Array(
      UnsafeBufferPointer(start: transform.run(from: (parts - 1) * size), count: count))
    guard parts > 1 else { return bins }
    bins.withUnsafeMutableBufferPointer { bins in
      turns.withUnsafeBufferPointer { turns in
        for part in stride(from: parts - 2, through: 0, by: -1) {
          let own = transform.run(from: part * size)
          for bin in 0..<count {
            let (sum, turn) = (bins[bin], turns[bin])
            bins[bin] = Complex(
              own[bin].real + (sum.real * turn.real - sum.imaginary * turn.imaginary),
              own[bin].imaginary + (sum.real * turn.imaginary + sum.imaginary * turn.real))
          }
        }
      }
    }
    return bins
  }

  /// Sample n goes to part n mod parts.
  private func deal(_ samples: Span<Float>, less offset: Double) {
    let (size, parts, dealt) = (length / parts, parts, transform.samples)
    samples.withUnsafeBufferPointer { samples in
      // By blocks of samples that stay in the nearest cache while they are dealt.
      for first in stride(from: 0, to: size, by: 32) {
        let end = min(first + 32, size)
        for part in 0..<parts {
          // How many rows of this part there are samples for.
          let filled = min(end, max(first, (samples.count - part + parts - 1) / parts))
          let own = dealt + part * size
          for row in first..<filled { own[row] = Double(samples[row * parts + part]) - offset }
          for row in filled..<end { own[row] = 0 }
        }
      }
    }
  }

  /// As many parts as leave each twice the bins, in whole cache lines, at most 32.
  private static func parts(of length: Int, bins count: Int) -> Int {
    let fitting = (2...32).filter {
      length.isMultiple(of: 8 * $0) && length / $0 >= 2 * count
    }
    return fitting.last ?? 1
  }
}
