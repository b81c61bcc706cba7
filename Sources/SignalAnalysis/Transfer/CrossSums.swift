import Units

/// Spectra summed over segments.
struct CrossSums: ~Copyable {
  private var transform: FourierTransform
  private let bins: ClosedRange<Int>
  private let spacing: Double
  private var inputs: [Double]
  private var outputs: [Double]
  private var cross: [Complex]

  init(length: Int, rate: SampleRate, band: ClosedRange<Double>) throws(TransferError) {
    let spacing = rate.hertz / Double(length)
    let first = max(1, Int((band.lowerBound / spacing).rounded(.up)))
    let last = min(length / 2, Int((band.upperBound / spacing).rounded(.down)))
    guard first <= last else { throw .tooShort(frames: length, needed: 2 * length) }
    transform = FourierTransform(length: length)
    self.spacing = spacing
    bins = first...last
    inputs = [Double](repeating: 0, count: bins.count)
    outputs = inputs
    cross = [Complex](repeating: Complex(0), count: bins.count)
  }

  /// Adds a segment, less its mean, under a window.
  mutating func add(_ input: [Float], _ output: [Float], from start: Int, window: [Double]) {
    let x = spectrum(input, from: start, window: window)
    let y = spectrum(output, from: start, window: window)
    for (index, bin) in bins.enumerated() {
      inputs[index] += x[bin].power
      outputs[index] += y[bin].power
      cross[index] = cross[index] + x[bin].conjugate * y[bin]
    }
  }

  /// The means.
  func result(averages: Double) throws(TransferError) -> CrossSpectrum {
    guard cross.allSatisfy(\.power.isFinite) else { throw .notFinite }
    guard inputs.contains(where: { $0 > 0 }) else { throw .noInput }
    return CrossSpectrum(
      spacing: spacing, frequencies: bins.map { Double($0) * spacing }, inputPower: inputs,
      outputPower: outputs, crossPower: cross, averages: averages)
  }

  private mutating func spectrum(
    _ samples: [Float], from start: Int, window: [Double]
  ) -> [Complex] {
    var mean = 0.0
    for index in window.indices { mean += Double(samples[start + index]) }
    mean /= Double(window.count)
    let weighted = window.indices.map { window[$0] * (Double(samples[start + $0]) - mean) }
    return transform.forward(weighted.span)
  }
}
