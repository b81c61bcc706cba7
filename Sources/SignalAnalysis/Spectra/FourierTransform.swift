// SPDX-License-Identifier: Apache-2.0

import CFFTW
private import Glibc
import Synchronization

/// The FFTW planner is one for the process and not safe to enter twice at a time.
///
/// A plan takes milliseconds to make, a short one much longer than to run, and any number of threads may run
/// it on buffers of their own: those of the first lengths asked for are kept.
private let planner = Mutex(PlanShelf())

/// A plan for the discrete Fourier transform of real signals of one length, both ways.
///
/// Owns its buffers, so one value serves one thread at a time. Double precision and a plan that
/// depends on the length alone: the same input gives the same bits on the same machine.
/// A transform of n samples costs O(n log n), about 0.1 ms for 16,384.
public struct FourierTransform: ~Copyable {
  /// How many samples go in: even, at least 2.
  public let length: Int
  private let time: UnsafeMutablePointer<Double>
  private let bins: UnsafeMutablePointer<Complex>
  private var plans = PlanPair()

  /// How many bins come out: from zero to half the rate, both included.
  public var binCount: Int { length / 2 + 1 }

  /// Makes a plan.
  ///
  /// Traps unless `length` is even and at least 2, and where memory is out; `fastLength(atLeast:)` gives
  /// good ones.
  public init(length: Int) { self.init(length: length, room: length) }

  /// Makes a plan with room for more samples than one transform takes.
  init(length: Int, room: Int) {
    precondition(length >= 2 && length.isMultiple(of: 2), "a transform of \(length) samples")
    self.length = length
    let binCount = length / 2 + 1
    // FFTW's own allocator, for the alignment that its vector code needs; freed in deinit.
    guard let time = fftw_alloc_real(max(length, room)), let bins = fftw_alloc_complex(binCount)
    else {
      fatalError("no memory for a transform of \(length) samples")
    }
    self.time = time
    // Complex has the layout of fftw_complex, and this memory is used as Complex alone.
    self.bins = UnsafeMutableRawPointer(bins).bindMemory(to: Complex.self, capacity: binCount)
  }

  deinit {
    let (length, plans) = (length, plans)
    planner.withLock { shelf in
      guard !shelf.keeps(length) else { return }
      if let plan = plans.forward { fftw_destroy_plan(fftw_plan(bitPattern: plan)) }
      if let plan = plans.inverse { fftw_destroy_plan(fftw_plan(bitPattern: plan)) }
    }
    fftw_free(time)
    fftw_free(bins)
  }

  /// Transforms samples to bins: X[k] = sum of x[n] exp(-2 pi j k n / length).
  ///
  /// Input shorter than `length` is followed by zeros; longer input traps. Bin k stands for the
  /// frequency k / length of the sample rate.
  public mutating func forward(_ samples: Span<Double>) -> [Complex] {
    precondition(samples.count <= length, "\(samples.count) samples in a plan of \(length)")
    for index in samples.indices { time[index] = samples[index] }
    return transform(filled: samples.count)
  }

  /// Transforms single-precision samples to bins, computing in double precision.
  public mutating func forward(_ samples: Span<Float>) -> [Complex] {
    precondition(samples.count <= length, "\(samples.count) samples in a plan of \(length)")
    for index in samples.indices { time[index] = Double(samples[index]) }
    return transform(filled: samples.count)
  }

  /// The samples that are transformed, and what there is room for after them.
  package var samples: UnsafeMutablePointer<Double> { time }

  /// Transforms `length` of the samples there is room for, from a multiple of 8 on.
  ///
  /// The bins are there until the next transform.
  package mutating func run(from first: Int = 0) -> UnsafePointer<Complex> {
    let plan = plan(\.forward) { fftw_plan_dft_r2c_1d($0, $1, $2, FFTW_ESTIMATE) }
    fftw_execute_dft_r2c(plan, time + first, complexBins)
    return UnsafePointer(bins)
  }

  /// Transforms bins back to `length` samples; inverts `forward`.
  ///
  /// Takes `binCount` bins; the imaginary parts of the first and the last count as zero.
  public mutating func inverse(_ spectrum: [Complex]) -> [Double] {
    precondition(spectrum.count == binCount, "\(spectrum.count) bins in a plan of \(binCount)")
    let count = length
    let samples = inverse { $0.update(from: spectrum, count: spectrum.count) }
    let scale = 1 / Double(count)
    return [Double](unsafeUninitializedCapacity: count) { buffer, filled in
      for index in 0..<count { buffer[index] = samples[index] * scale }
      filled = count
    }
  }

  /// Transforms the `binCount` bins that `fill` writes to `length` times the samples.
  ///
  /// The samples are there until the next transform.
  mutating func inverse(
    filling fill: (UnsafeMutablePointer<Complex>) -> Void
  ) -> UnsafePointer<Double> {
    fill(bins)
    let plan = plan(\.inverse) { fftw_plan_dft_c2r_1d($0, $2, $1, FFTW_ESTIMATE) }
    fftw_execute_dft_c2r(plan, complexBins, time)
    return UnsafePointer(time)
  }

  /// The plan of one way, from the shelf or made when it is first needed.
  ///
  /// Planning by estimate leaves the buffers as they are.
  private mutating func plan(
    _ way: WritableKeyPath<PlanPair, UInt?>,
    make: (Int32, UnsafeMutablePointer<Double>, UnsafeMutablePointer<fftw_complex>) -> fftw_plan?
  ) -> fftw_plan? {
    if plans[keyPath: way] == nil {
      let (length, time, bins) = (length, time, complexBins)
      // A Mutex lets no pointer out, so the plan comes out as its address.
      plans[keyPath: way] = planner.withLock { shelf in
        shelf.plan(way, of: length) { UInt(bitPattern: make(Int32(length), time, bins)) }
      }
    }
    return plans[keyPath: way].flatMap { fftw_plan(bitPattern: $0) }
  }

  /// The bins under the type that FFTW gives them, of the same layout.
  private var complexBins: UnsafeMutablePointer<fftw_complex> {
    UnsafeMutableRawPointer(bins).assumingMemoryBound(to: fftw_complex.self)
  }

  private mutating func transform(filled: Int) -> [Complex] {
    (time + filled).update(repeating: 0, count: length - filled)
    return Array(UnsafeBufferPointer(start: run(), count: binCount))
  }

  /// The smallest even length that is fast to transform and not below a count of samples.
  ///
  /// Fast lengths are 2 times a product of 2, 3, 5 and 7.
  public static func fastLength(atLeast count: Int) -> Int {
    var half = max(1, (count + 1) / 2)
    while !isSmooth(half) { half += 1 }
    return 2 * half
  }

  /// An even length that is fast, not below a count of samples, and one of few: 4, 5, 6 or 7 times a power of two.
  ///
  /// A plan of up to some 50,000 samples takes longer to make than to run: where many stretches, each of a length of
  /// its own, are transformed once, they share plans. Up to a quarter longer than asked for.
  public static func commonLength(atLeast count: Int) -> Int {
    var unit = 2
    while 7 * unit < count { unit *= 2 }
    return max(2, (count + unit - 1) / unit * unit)
  }

  private static func isSmooth(_ number: Int) -> Bool {
    var rest = number
    for prime in [2, 3, 5, 7] {
      while rest.isMultiple(of: prime) { rest /= prime }
    }
    return rest == 1
  }
}

/// Plans of FFTW for one length, as their addresses, as far as they were needed.
private struct PlanPair {
  var forward: UInt?
  var inverse: UInt?
}

/// The plans that are kept for the life of the process.
///
/// A plan holds about as many bytes of tables as a transform has samples to work on: so there is room for
/// few long lengths, and the first come stay.
private struct PlanShelf {
  private var kept: [Int: PlanPair] = [:]
  private var room = 1 << 21

  /// Whether the plans of a length are kept, so that nobody may destroy them.
  func keeps(_ length: Int) -> Bool { kept[length] != nil }

  /// The kept plan of a length for one way, or a new one, which is kept where there is room.
  mutating func plan(
    _ way: WritableKeyPath<PlanPair, UInt?>, of length: Int, make: () -> UInt
  ) -> UInt {
    if let plan = kept[length]?[keyPath: way] { return plan }
    let plan = make()
    if kept[length] == nil, length <= room {
      room -= length
      kept[length] = PlanPair()
    }
    kept[length]?[keyPath: way] = plan
    return plan
  }
}

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
