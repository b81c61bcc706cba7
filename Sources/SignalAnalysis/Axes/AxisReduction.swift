/// Three axes of a sensor as one signal.
public enum AxisReduction {
  /// One signal with the spectrum of all axes: DFT321.
  ///
  /// At each frequency the amplitude is the root of the sum of squares of the axes', the phase that of their
  /// sum (Landin, Romano, McMahan, Kuchenbecker, "Dimensional reduction of high-frequency accelerations",
  /// EuroHaptics 2010). Turning the sensor leaves every amplitude as it is. All axes are of one length;
  /// traps otherwise. No axes give no samples. Costs one transform an axis.
  public static func dft321(_ axes: [[Float]]) -> [Float] {
    guard let count = checked(axes), count > 0 else { return [] }
    var transform = FourierTransform(length: FourierTransform.fastLength(atLeast: count))
    var powers = [Double](repeating: 0, count: transform.binCount)
    var sums = [Complex](repeating: Complex(0), count: transform.binCount)
    for axis in axes {
      let bins = transform.forward(axis.span)
      for index in bins.indices {
        powers[index] += bins[index].power
        sums[index] = sums[index] + bins[index]
      }
    }
    let joined = powers.indices.map { index in
      let amplitude = powers[index].squareRoot()
      let length = sums[index].magnitude
      return length > 0 ? (amplitude / length) * sums[index] : Complex(amplitude)
    }
    return transform.inverse(joined).prefix(count).map(Float.init)
  }

  /// The root of the sum of squares of the axes, frame by frame: the length of the vector.
  ///
  /// For two axes across the shaft of a rotating mass it is constant. All axes are of one length; traps
  /// otherwise.
  public static func rootSumOfSquares(_ axes: [[Float]]) -> [Float] {
    guard let count = checked(axes) else { return [] }
    return (0..<count).map { frame in
      Float(axes.reduce(0.0) { $0 + Double($1[frame]) * Double($1[frame]) }.squareRoot())
    }
  }

  static func checked(_ axes: [[Float]]) -> Int? {
    guard let count = axes.first?.count else { return nil }
    for axis in axes {
      precondition(axis.count == count, "axes of \(count) and \(axis.count) frames")
    }
    return count
  }
}
