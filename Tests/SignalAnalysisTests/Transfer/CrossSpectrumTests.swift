import Glibc
import SignalAnalysis
import Testing
import Units

struct CrossSpectrumTests {
  private let rate = SampleRate(hertz: 4_000)

  private func white(_ count: Int, _ noise: inout Noise, sigma: Double = 1) -> [Double] {
    (0..<count).map { _ in sigma * noise.gaussian() }
  }

  @Test func `the coherence follows from the signal-to-noise ratio`() throws {
    var noise = Noise(seed: 3)
    for ratio in [0.5, 2, 20] {
      let x = white(60_000, &noise)
      let y = noise.added(to: x, sigma: (1 / ratio).squareRoot())
      let found = try CrossSpectrum.welch(
        input: floats(x), output: y, rate: rate, segment: 256, band: 100...1_900)
      let mean = found.coherence.reduce(0) { $0 + $1.value } / Double(found.coherence.count)
      // Output noise of the ratio s: 1 / (1 + 1 / s).
      #expect(abs(mean - 1 / (1 + 1 / ratio)) < 0.015, "seed 3, ratio \(ratio): \(mean)")
    }
  }

  @Test func `H1 forgets noise at the output and H2 noise at the input`() throws {
    var noise = Noise(seed: 4)
    let x = white(80_000, &noise)
    let doubled = x.map { 2 * $0 }
    func mean(_ transfer: TransferFunction) -> Double {
      transfer.response.reduce(0) { $0 + $1.real } / Double(transfer.response.count)
    }
    let noisyOutput = try CrossSpectrum.welch(
      input: floats(x), output: noise.added(to: doubled, sigma: 1), rate: rate, segment: 256,
      band: 100...1_900)
    #expect(abs(mean(noisyOutput.h1) - 2) < 0.01)
    #expect(abs(mean(noisyOutput.h2) - 2.5) < 0.03, "Syy / Syx = (4 + 1) / 2")
    let noisyInput = try CrossSpectrum.welch(
      input: noise.added(to: x, sigma: 0.5), output: floats(doubled), rate: rate, segment: 256,
      band: 100...1_900)
    #expect(abs(mean(noisyInput.h2) - 2) < 0.01)
    #expect(abs(mean(noisyInput.h1) - 1.6) < 0.03, "Sxy / Sxx = 2 / 1.25")
  }

  @Test func `the stated uncertainty is the scatter of the response`() throws {
    var noise = Noise(seed: 6)
    var (squares, stated, count) = (0.0, 0.0, 0.0)
    for _ in 0..<60 {
      let pairs = (0..<10).map { _ in
        let x = white(200, &noise)
        return CrossSpectrum.Pair(
          input: floats(x), output: noise.added(to: x.map { 3 * $0 }, sigma: 0.6))
      }
      let found = try CrossSpectrum.repeats(pairs, rate: rate, band: 200...1_800)
      for (value, relative) in zip(found.h1.response, found.relativeUncertainty) {
        squares += (value.magnitude / 3 - 1) * (value.magnitude / 3 - 1)
        stated += relative * relative
        count += 1
      }
    }
    // Coherence 9 / 9.36 over 10 repeats.
    #expect(abs((squares / stated).squareRoot() - 1) < 0.15, "seed 6: \(squares / stated)")
  }

  @Test func `it is that of SciPy`() throws {
    var noise = Noise(seed: 11)
    let x = floats((0..<6_000).map { _ in noise.uniform() - 0.5 })
    let y = (0..<6_000).map { index -> Float in
      let filtered =
        0.2 * Double(x[index]) + (index > 0 ? 0.5 * Double(x[index - 1]) : 0)
        + (index > 1 ? 0.3 * Double(x[index - 2]) : 0)
      return Float(filtered + 0.2 * (noise.uniform() - 0.5))
    }
    let found = try CrossSpectrum.welch(
      input: x, output: y, rate: .standard, segment: 480, band: 100...20_000)
    // w = 0.5 - 0.5 * numpy.cos(2 * pi * (arange(480) + 0.5) / 480)
    // scipy.signal.coherence(x, y, 48000, window=w, nperseg=480, noverlap=240, detrend="constant")
    // scipy.signal.csd(x, y, ...) / csd(x, x, ...) and csd(y, y, ...) / conj(csd(x, y, ...))
    let reference: [(Double, Double, Complex, Complex)] = [
      (
        500, 0.9667721059, Complex(0.9811888689, -0.0342092454),
        Complex(1.0149122661, -0.0353850149)
      ),
      (
        5_000, 0.9305229495, Complex(0.6699612312, -0.5862091549),
        Complex(0.7199835657, -0.6299781808)
      ),
      (
        15_000, 0.7847595403, Complex(-0.1915519134, -0.2369195566),
        Complex(-0.2440899455, -0.3019008300)
      ),
    ]
    for (frequency, coherence, h1, h2) in reference {
      let index = try #require(found.frequencies.firstIndex { abs($0 - frequency) < 1e-6 })
      #expect(abs(found.coherence[index].value - coherence) < 1e-6)
      #expect((found.h1.response[index] - h1).magnitude < 1e-6)
      #expect((found.h2.response[index] - h2).magnitude < 1e-6)
    }
  }

  @Test func `unrelated signals have a coherence of one over the count`() throws {
    var noise = Noise(seed: 8)
    let found = try CrossSpectrum.welch(
      input: floats(white(40_000, &noise)), output: floats(white(40_000, &noise)), rate: rate,
      segment: 400, band: 50...1_900)
    let mean = found.coherence.reduce(0) { $0 + $1.value } / Double(found.coherence.count)
    #expect(abs(mean * found.averages - 1) < 0.25, "seed 8: \(mean * found.averages)")
  }

  @Test func `too little, silent or broken input is refused`() {
    let short = [Float](repeating: 1, count: 8)
    #expect(throws: TransferError.tooShort(frames: 8, needed: 16)) {
      try CrossSpectrum.welch(input: short, output: short, rate: rate, segment: 4)
    }
    let silence = [Float](repeating: 0, count: 4_000)
    #expect(throws: TransferError.noInput) {
      try CrossSpectrum.welch(input: silence, output: silence, rate: rate, segment: 400)
    }
    let broken = [Float](repeating: .infinity, count: 4_000)
    #expect(throws: TransferError.notFinite) {
      try CrossSpectrum.repeats([.init(input: silence, output: broken)], rate: rate)
    }
  }
}
