// SPDX-License-Identifier: Apache-2.0

import Units

/// What a system answers to an impulse, band-limited, on a time axis of its own.
public struct ImpulseResponse: Sendable, Equatable {
  /// Samples a second: a little more than twice the highest frequency measured.
  public let sampleRate: Double
  /// The values from time zero on, the times below zero at the end: the axis is a circle.
  public let samples: [Double]

  /// Makes an impulse response.
  public init(sampleRate: Double, samples: [Double]) {
    self.sampleRate = sampleRate
    self.samples = samples
  }

  /// The length of the circle in seconds.
  public var period: Double { Double(samples.count) / sampleRate }

  /// The value at a whole number of samples from time zero, round the circle.
  public subscript(_ index: Int) -> Double {
    if samples.indices.contains(index) { return samples[index] }
    return samples[((index % samples.count) + samples.count) % samples.count]
  }
}

/// Output over input as a band-limited impulse response on a circle.
struct SpectralDivision: Sendable, Equatable {
  let impulse: ImpulseResponse
  /// The impulse response of the band alone, which tells what a gate does to the band's edges.
  let band: ImpulseResponse
  /// The factor of the band at each bin of the circle.
  private let shares: [Double]
  private var width: Double { impulse.sampleRate / Double(impulse.samples.count) }

  /// Divides spectra, with raised cosines between `band` and the wider `reach`, zero outside.
  init(
    input: [Float], output: [Float], rate: SampleRate, band: ClosedRange<Double>,
    reach: ClosedRange<Double>
  ) throws(TransferError) {
    let length = Self.length(atLeast: input.count)
    let width = rate.hertz / Double(length)
    let last = min(length / 2, Int((reach.upperBound / width).rounded(.up)))
    var transform = LowBins(length: length, bins: last + 1)
    let inputs = transform.forward(input.span, less: 0)
    // Gravity would be a step where the padding begins.
    let mean = output.reduce(0) { $0 + Double($1) } / Double(output.count)
    let outputs = transform.forward(output.span, less: mean)

    let first = Int((band.lowerBound / width).rounded(.up))
    let edge = min(last, Int((band.upperBound / width).rounded(.down)))
    guard first < edge else { throw .tooShort(frames: input.count, needed: 2 * input.count) }
    // One sample that is not finite leaves no bin finite.
    guard inputs[first].power.isFinite, outputs[first].power.isFinite else { throw .notFinite }
    let middle = Statistics.median((first...edge).map { inputs[$0].power })
    guard middle > 0 else { throw .noInput }
    let floor = 1e-6 * middle

    // Room for a few bins above the band, so that no value of the circle is half a bin.
    let reduced = FourierTransform.fastLength(atLeast: 2 * (last + 2))
    var quotient = [Complex](repeating: Complex(0), count: reduced / 2 + 1)
    var shares = [Double](repeating: 0, count: quotient.count)
    for bin in 0...last {
      let share = Self.share(Double(bin) * width, band: band, reach: reach)
      guard share > 0 else { continue }
      let (x, y) = (inputs[bin], outputs[bin])
      quotient[bin] = (share / (x.power + floor)) * (x.conjugate * y)
      shares[bin] = share
    }
    var inverse = FourierTransform(length: reduced)
    let sampleRate = width * Double(reduced)
    impulse = ImpulseResponse(sampleRate: sampleRate, samples: inverse.inverse(quotient))
    self.band = ImpulseResponse(
      sampleRate: sampleRate, samples: inverse.inverse(shares.map { Complex($0) }))
    self.shares = shares
  }

  /// A length with many factors of 2, of which transforms take half the time of others.
  ///
  /// At most 1 % longer than the record: what is padded has no noise, and would make it seem less.
  private static func length(atLeast count: Int) -> Int {
    for block in [1_024, 256, 64, 16] {
      let length = block * FourierTransform.fastLength(atLeast: (count + block - 1) / block)
      if 100 * (length - count) <= count { return length }
    }
    return FourierTransform.fastLength(atLeast: count)
  }

  /// What a known system has as impulse response on this circle and in this band.
  func impulse(of model: ModalModel) -> ImpulseResponse {
    let width = width
    let known = model.responses(spacing: width, count: 1 + (shares.lastIndex { $0 > 0 } ?? 0))
    let bins = shares.indices.map { bin in
      shares[bin] > 0 ? shares[bin] * known[bin] : Complex(0)
    }
    var inverse = FourierTransform(length: impulse.samples.count)
    return ImpulseResponse(sampleRate: impulse.sampleRate, samples: inverse.inverse(bins))
  }

  func share(at frequency: Double) -> Double {
    let bin = Int((frequency / width).rounded())
    return bin < shares.count ? shares[bin] : 0
  }

  private static func share(
    _ frequency: Double, band: ClosedRange<Double>, reach: ClosedRange<Double>
  ) -> Double {
    let rise = (frequency - reach.lowerBound) / (band.lowerBound - reach.lowerBound)
    let fall = (reach.upperBound - frequency) / (reach.upperBound - band.upperBound)
    return RaisedCosine.rise(min(rise, fall))
  }
}
