private import Glibc

extension ResonatorFit {
  /// Parameters from which the fit goes down.
  struct Start {
    let delay: Double
    let frequency: Double
    let q: Double
    let gain: Double
    /// How much of chi-square it explains.
    let explained: Double
  }

  /// The starts worth trying, the best first, no two of them within a quarter period of each other.
  ///
  /// For a fixed frequency and Q the cross-spectrum of Y and the undelayed model A = H0 X gives, by one
  /// inverse transform, c(d) = sum of Re(Y A* exp(j w d)) for all delays at once; the gain that goes
  /// with d is c(d) / sum |A|^2 and explains c(d)^2 / sum |A|^2. Every hill of |c| is a possible cycle.
  func starts(for spectra: ResonatorSpectra, limit: Int = 4) -> [Start] {
    var found: [Start] = []
    let octaves = log2(band.upperBound / band.lowerBound)
    // Eight points a period of the band's upper edge, and the whole period of the bins' distance.
    let length = FourierTransform.fastLength(
      atLeast: max(8 * Int((band.upperBound / spectra.width).rounded(.up)), 64))
    var transform = FourierTransform(length: length)
    for step in 1..<max(2, Int(4 * octaves)) {
      let frequency = band.lowerBound * exp2(Double(step) / 4)
      for q in [2.5, 6, 14] {
        found += hills(spectra, frequency: frequency, q: q, &transform)
      }
    }
    var chosen: [Start] = []
    for start in found.sorted(by: { $0.explained > $1.explained }) where chosen.count < limit {
      let isNew = chosen.allSatisfy {
        abs($0.delay - start.delay) > 0.25 / start.frequency
          || abs(log2($0.frequency / start.frequency)) > 0.6
      }
      if isNew { chosen.append(start) }
    }
    return chosen
  }

  /// The two best delays for a frequency and a Q.
  func hills(
    _ spectra: ResonatorSpectra, frequency: Double, q: Double, _ transform: inout FourierTransform
  ) -> [Start] {
    var bins = [Complex](repeating: Complex(0), count: transform.binCount)
    let offset = Int((spectra.angular[0] / (2 * .pi * spectra.width)).rounded())
    var energy = 0.0
    for index in spectra.drive.indices {
      let model =
        spectra.resonator(at: spectra.angular[index], frequency: frequency, q: q)
        * spectra.drive[index]
      energy += model.power
      bins[offset + index] = spectra.response[index] * model.conjugate
    }
    guard energy > 0 else { return [] }
    let length = transform.length
    // An inverse transform has 1/L, and each bin counts for itself and its mirror.
    let products = transform.inverse(bins).map { $0 * Double(length) / 2 }
    let period = 1 / (spectra.width * Double(length))
    let first = Int((delays.lowerBound / period).rounded(.down))
    let last = min(first + length - 1, Int((delays.upperBound / period).rounded(.up)))
    func height(_ step: Int) -> Double { abs(products[((step % length) + length) % length]) }
    let tops = (first...max(first, last)).filter {
      height($0) >= height($0 - 1) && height($0) > height($0 + 1)
    }
    return tops.sorted { height($0) > height($1) }.prefix(2).map { step in
      let product = products[((step % length) + length) % length]
      return Start(
        delay: Double(step) * period, frequency: frequency, q: q, gain: product / energy,
        explained: product * product / energy)
    }
  }
}
