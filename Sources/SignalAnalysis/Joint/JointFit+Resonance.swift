extension JointFit {
  /// Moves the resonance that all waveforms share; they are drawn anew when they are placed.
  mutating func adjust(to target: (lnF0: Double, lnQ: Double)) {
    guard abs(target.lnF0 - moved.lnF0) > 1e-7 || abs(target.lnQ - moved.lnQ) > 1e-6 else { return }
    let (old, response) = (moved, resonance.response)
    var factors: [Int: [Complex]] = [:]
    for index in pieces.indices {
      let length = pieces[index].length
      let shelf =
        factors[length]
        ?? (0...(length / 2)).map { bin in
          let frequency = Double(bin) / Double(length)
          let before = response(frequency, old.lnF0, old.lnQ)
          guard before.power > 0 else { return Complex(1) }
          return response(frequency, target.lnF0, target.lnQ) / before
        }
      factors[length] = shelf
      pieces[index].filter(shelf)
    }
    moved = target
  }

  /// How the whole response changes with ln f0 and ln Q: its spectrum times the slope of ln H.
  ///
  /// Block by block, each with room for the slope's own ringing before and after.
  mutating func sharedSlopes(_ model: [Double]) -> [[Double]] {
    let (before, after) = (Int(2 * resonance.period), Int(16 * resonance.period))
    let length = FourierTransform.commonLength(atLeast: 8 * (before + after))
    let count = length - before - after
    let tables = resonanceSlopes(length)
    var slopes = [[Double]](repeating: [Double](repeating: 0, count: model.count), count: 2)
    plans.with(length) { plan in
      for first in stride(from: 0, to: model.count, by: count) {
        let bins = plan.forward(model.span.extracting(first..<min(first + count, model.count)))
        for (place, table) in tables.enumerated() {
          let samples = plan.inverse { product in
            bins.withUnsafeBufferPointer { bins in
              for bin in bins.indices { product[bin] = bins[bin] * table[bin] }
            }
          }
          let frames = (first - before..<first + count + after).clamped(to: model.indices)
          slopes[place].withUnsafeMutableBufferPointer { slope in
            for frame in frames.lowerBound..<max(first, frames.lowerBound) {
              slope[frame] += samples[frame - first + length]
            }
            for frame in first..<frames.upperBound { slope[frame] += samples[frame - first] }
          }
        }
      }
    }
    return slopes
  }

  /// How ln H changes with ln f0 and ln Q in each bin of a transform, over its length.
  private func resonanceSlopes(_ length: Int) -> [[Complex]] {
    let (response, now) = (resonance.response, moved)
    let step = 1e-4
    func table(_ lnF0: Double, _ lnQ: Double) -> [Complex] {
      (0...(length / 2)).map { bin in
        let frequency = Double(bin) / Double(length)
        let here = response(frequency, now.lnF0, now.lnQ)
        guard here.power > 0 else { return Complex(0) }
        let up = response(frequency, now.lnF0 + lnF0, now.lnQ + lnQ)
        let down = response(frequency, now.lnF0 - lnF0, now.lnQ - lnQ)
        return 1 / (2 * step * Double(length)) * ((up - down) / here)
      }
    }
    return [table(step, 0), table(0, step)]
  }
}
