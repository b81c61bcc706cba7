import CFFTW
import Synchronization

/// The FFTW planner is one for the process and not safe to enter twice at a time.
///
/// A plan takes as long to make as to run, and any number of threads may run it on buffers of their own:
/// those of the first lengths asked for are kept.
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
  private let plans: PlanPair

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
    // A Mutex lets no pointer out, so the plans come out as their addresses.
    let plans = planner.withLock { shelf in
      shelf.plans(of: length) {
        PlanPair(
          forward: UInt(
            bitPattern: fftw_plan_dft_r2c_1d(Int32(length), time, bins, FFTW_ESTIMATE)),
          inverse: UInt(
            bitPattern: fftw_plan_dft_c2r_1d(Int32(length), bins, time, FFTW_ESTIMATE)))
      }
    }
    self.plans = plans
  }

  deinit {
    let (length, plans) = (length, plans)
    planner.withLock { shelf in
      guard !shelf.keeps(length) else { return }
      fftw_destroy_plan(fftw_plan(bitPattern: plans.forward))
      fftw_destroy_plan(fftw_plan(bitPattern: plans.inverse))
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
  var samples: UnsafeMutablePointer<Double> { time }

  /// Transforms `length` of the samples there is room for, from a multiple of 8 on.
  ///
  /// The bins are there until the next transform.
  mutating func run(from first: Int = 0) -> UnsafePointer<Complex> {
    fftw_execute_dft_r2c(fftw_plan(bitPattern: plans.forward), time + first, complexBins)
    return UnsafePointer(bins)
  }

  /// Transforms bins back to `length` samples; inverts `forward`.
  ///
  /// Takes `binCount` bins; the imaginary parts of the first and the last count as zero.
  public mutating func inverse(_ spectrum: [Complex]) -> [Double] {
    precondition(spectrum.count == binCount, "\(spectrum.count) bins in a plan of \(binCount)")
    bins.update(from: spectrum, count: binCount)
    fftw_execute_dft_c2r(fftw_plan(bitPattern: plans.inverse), complexBins, time)
    let scale = 1 / Double(length)
    return (0..<length).map { time[$0] * scale }
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

  private static func isSmooth(_ number: Int) -> Bool {
    var rest = number
    for prime in [2, 3, 5, 7] {
      while rest.isMultiple(of: prime) { rest /= prime }
    }
    return rest == 1
  }
}
